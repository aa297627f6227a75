//===- GridProgram.h - What threads of a grid do, decoded -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is decoded once and run by many threads. Every value has registers of 64 bits
// at a known place, one for each lane of a vector or field of a struct; integers and floats
// are the low bits of a register, and those above are 0. An op becomes instructions that
// know the places of their operands and what types say. Constants, addresses of shared
// memory, numbers of threads and blocks, and fields of structs become none: they are in
// registers already.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDPROGRAM_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDPROGRAM_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <array>

namespace kiln::loop::grid {

/// Where an operand is: the register of its first lane, and how far the next one is. That
/// is 0 for a value of one lane, which all lanes of a result share.
struct Operand {
  uint32_t first = 0, step = 0;
};

enum class Kind : uint8_t {
  Unknown,
  Evaluate, ///< touches registers alone
  Load,     ///< from an address
  Store,    ///< a value to an address
  Gather,   ///< from a place for each lane where a mask is set, else a value
  Scatter,  ///< a value to places where a mask is set
  Atomic,   ///< what is evaluated of the old content, in place of it
  Copy,     ///< to an address from an address, so many bytes
  CommitCopies,
  WaitForCopies,
  // A copy engine, and barriers in shared memory that count what it has brought.
  InitBarrier, ///< at an address, of so many arrivals
  Expect,      ///< arrives at an address, which so many bytes complete besides
  Bring, ///< to an address from an address, for the barrier at one, so many bytes
  Await, ///< the barrier at an address, until a phase of a parity is complete
  Branch,
  Return,
  Stop, ///< the device
  // For all threads of a block.
  Barrier,
  Count, ///< of those that say so
  // For all threads of a warp.
  Exchange, ///< what the thread of a number says, or of a number that differs in bits
  Others,   ///< bits of the threads that say something else in so many bits
  WarpBarrier,
  LoadMatrices,
  Multiply,
};

struct Instruction;
using Evaluation = void (*)(const Instruction &, uint64_t *registers);

struct Instruction {
  Kind kind = Kind::Unknown;
  uint8_t width = 0;       ///< bits of an element of the first operand
  uint8_t resultWidth = 0; ///< and of the result
  uint8_t bytes = 0;       ///< of an element in memory
  bool isConstant = false; ///< a load of what nothing writes meanwhile
  uint32_t alignment = 1;
  uint32_t result = 0, lanes = 1; ///< the first register, and their number
  /// Of bytes, an edge, copies under way: what its kind or evaluation says.
  int64_t number = 0;
  Evaluation evaluate = nullptr;
  /// Those that there are; evaluations have up to three, and read others as 0.
  std::array<Operand, 10> operands = {};
  mlir::Operation *op = nullptr;

  /// A lane of an operand.
  uint64_t get(const uint64_t *registers, unsigned n, uint32_t lane = 0) const {
    return registers[operands[n].first + lane * operands[n].step];
  }
};

inline bool waitsForWarp(const Instruction &of) {
  return of.kind >= Kind::Exchange;
}

/// Where a branch goes, and what the block's arguments become: registers from registers.
struct Edge {
  uint32_t to;
  std::vector<std::pair<uint32_t, uint32_t>> moves;
};

/// Registers of every thread before others, those of the arguments last.
enum : uint32_t { kZeroRegister, kThreadRegister, kBlockRegister, kArguments };

struct Program {
  /// `addresses` are those of the module's globals.
  Program(mlir::LLVM::LLVMFuncOp function,
          const llvm::DenseMap<mlir::StringAttr, uint64_t> &addresses);

  /// Those of blocks, each of which ends with a branch.
  std::vector<Instruction> instructions;
  std::vector<Edge> edges; ///< of a branch, where its condition holds and not
  std::vector<uint64_t> registers; ///< what a thread starts with
};

/// Prepares an op that gives each lane of its result for lanes of its operands; null if it
/// is not interpreted.
Evaluation getEvaluation(mlir::Operation &op, Instruction &made);
/// Sums of numbers of a type.
Evaluation getSum(mlir::Type element, Instruction &made);
/// The bits of a constant, a lane each; empty if the op is none.
llvm::SmallVector<uint64_t> getConstantBits(mlir::Operation &op);

/// Of an element of a vector, or a scalar.
unsigned getWidth(mlir::Type type);
unsigned getStoredBytes(mlir::Type type);
/// Lanes of a vector or fields of a struct.
unsigned countLanes(mlir::Type type);
/// Bytes of a type in memory.
uint64_t getStoredSize(mlir::Type type);

} // namespace kiln::loop::grid

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDPROGRAM_H
