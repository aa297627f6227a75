//===- Warpgroups.h - Instructions of warpgroups and a copy engine --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is multiplied by `wgmma` lies in shared memory in chunks: rows of 128
// bytes, whose units of 16 bytes the copy engine exchanges within eight rows.
// An operand that is wider has several chunks, one behind the other. Who
// multiplies and who asks for copies meet at barriers, which lie in shared
// memory too.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_WARPGROUPS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_WARPGROUPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::loop {

/// Threads of a warpgroup, and rows that it multiplies.
inline constexpr int64_t kGroupThreads = 128, kGroupRows = 64;
/// Bytes of a row of a chunk, those that one instruction takes along it, and of
/// the eight rows whose units are exchanged.
inline constexpr int64_t kChunkRow = 128, kChunkStep = 32,
                         kSwizzledRows = 8 * kChunkRow;

/// Registers that are left to each thread of `multiplying` warpgroups, where `blocks` blocks share
/// a multiprocessor and one more warpgroup of each keeps `asking` a thread. Who asks for more than
/// that waits for ever.
int64_t countRegistersLeft(int64_t blocks, int64_t multiplying, int64_t asking);

/// Which stage is next, and the phase of its barriers, as i32.
struct StageTurn {
  mlir::Value stage, phase;
};

/// Emits them into one function.
class Warpgroups {
public:
  Warpgroups(mlir::ImplicitLocOpBuilder &b, mlir::Value sharedBase)
      : b(b), sharedBase(sharedBase) {}

  mlir::Value word(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  /// A place in shared memory, by an i32 of bytes.
  mlir::Value getShared(mlir::Value bytes);

  /// Makes a barrier that so many arrivals complete.
  void initBarrier(mlir::Value barrier, int64_t arrivals);
  /// Waits until a barrier has completed `phase`.
  void wait(mlir::Value barrier, mlir::Value phase);
  void arrive(mlir::Value barrier);
  /// Arrives, and lets the barrier wait for so many bytes besides.
  void expect(mlir::Value barrier, int64_t bytes) {
    expect(barrier, word(bytes));
  }
  void expect(mlir::Value barrier, mlir::Value bytes);
  StageTurn advance(const StageTurn &turn, int64_t stages);
  /// The other phase, which who fills a stage waits for.
  mlir::Value flip(mlir::Value phase);
  /// Asks for the box of a tensor map that begins at `coordinates`, i32; for
  /// all blocks of a cluster that `blocks`, an i16 of bits, says.
  void ask(mlir::Value map, mlir::ValueRange coordinates, mlir::Value place,
           mlir::Value barrier, mlir::Value blocks = {});
  /// Asks for `bytes`, an i32 that is a multiple of 16, of global memory from the
  /// pointer `from` on, which is aligned to that, as is `place`.
  void bring(mlir::Value from, mlir::Value place, mlir::Value barrier,
             mlir::Value bytes);
  /// Lets the copy engine see what this thread has written to shared memory.
  void fenceWrites();
  /// Asks for the box at `place`, as a group of its own, to be stored where it begins
  /// at `coordinates`, i32.
  void store(mlir::Value map, mlir::ValueRange coordinates, mlir::Value place);
  /// Asks for `bytes` of f32 at `place`, as a group of its own, to be added to those at
  /// the global pointer `to`, which is aligned to 16 bytes, as `place` is.
  void addFloats(mlir::Value to, mlir::Value place, int64_t bytes);
  /// Waits until at most `pending` such groups of this thread have still to be read
  /// from shared memory; with `isWritten` to be written.
  void awaitStores(int64_t pending, bool isWritten);

  /// A chunk from byte `place` on, i32, as `wgmma` takes it. `leading` is the
  /// distance of chunks in bytes where what is summed up lies from row to row.
  mlir::Value getDescriptor(mlir::Value place, int64_t leading);
  mlir::Value advance(mlir::Value descriptor, int64_t bytes);
  /// Adds the product of two operands in shared memory, each along the sum, to
  /// `sums`, a structure of f32; the first product makes them. Rows of the right one are
  /// those of the sum if it is down.
  mlir::Value multiply(mlir::Value sums, mlir::Value left, mlir::Value right,
                       int64_t columns, mlir::Type element, bool isFirst,
                       bool isRightDown = false);
  /// Adds the product of four registers of each thread by an operand whose rows
  /// are those of the sum.
  llvm::SmallVector<mlir::Value> multiplyKept(mlir::ValueRange sums,
                                              mlir::ValueRange left,
                                              mlir::Value right,
                                              mlir::Type element);
  void fence();
  void commit();
  /// Waits until at most `pending` groups of products are under way. Values
  /// pass through the instruction, so that nothing reads, or overwrites, them
  /// before.
  llvm::SmallVector<mlir::Value> complete(mlir::ValueRange values,
                                          int64_t pending);

private:
  mlir::Value getCluster(mlir::Value place);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value sharedBase;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_WARPGROUPS_H
