//===- Program.h - A compiled program as data -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is what a package runs: a signature, a symbol table, expressions
// over those symbols, values (where each tensor lives) and steps that the
// runtime walks in order. The compiler builds these structs, `encodeProgram`
// writes them, `decodeProgram` reads them back from untrusted bytes with every
// index and length checked. Nothing here knows LLVM.
//
// Example: y = x + 1 on x : f32[s0, 4], compiled to one kernel.
//
//   symbols  s0 = size 0 of slot 0, in [2, 64]
//   exprs    e0 = s0    e1 = 4    e2 = 1    e3 = s0 * 4
//   slots    0: user input "x" f32 [e0, e1]
//   values   0: slot 0             1: new storage f32 [e0, e1] strides [e1, e2]
//   steps    launch kernel 0, buffers (0, 1), writes (1), sym (e3), work e3
//   results  value 1 -> user output
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_PROGRAM_H
#define KILN_PACKAGE_PROGRAM_H

#include "kiln/Base/DType.h"
#include "kiln/Base/Result.h"

#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kiln::package {

/// Index into `Program::exprs`.
using ExprId = uint32_t;
/// Index into `Program::values`.
using ValueId = uint32_t;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

/// One expression in the bytecode of GuardABI.h.
struct Expr {
  std::vector<uint8_t> code;
};

/// A symbol and how its value is found when a call begins.
struct Symbol {
  enum class Source : uint8_t {
    InputSize,   ///< (size of dimension `dim` of slot `slot` - offset) / scale
    InputScalar, ///< the integer passed for slot `slot`
    InputStride, ///< stride of dimension `dim` of slot `slot`
    Step,        ///< set by a DefineSymbol step while the program runs
  };
  std::string name;
  Source source = Source::InputSize;
  uint32_t slot = 0;
  uint32_t dim = 0;
  int64_t scale = 1;  ///< never 0; an inexact division fails the guard
  int64_t offset = 0;
  int64_t min = 0;    ///< inclusive range the program was compiled for
  int64_t max = std::numeric_limits<int64_t>::max();
  bool isFloat = false;
};

/// A number, text or nothing: a constant input or output of a program.
using Constant =
    std::variant<std::monostate, bool, int64_t, double, std::string>;

/// One input of a program.
struct Slot {
  enum class Kind : uint8_t {
    UserInput,
    Parameter,
    Buffer,
    Constant, ///< a tensor stored in the archive or in the package
    Seed,
    Tangent,
    OptimizerState,
    Saved, ///< a value the forward program saved for the backward program
    Token,
  };
  Kind kind = Kind::UserInput;
  std::string name; ///< the value's name in the captured graph
  std::string path; ///< pytree path for callers, weight name for weights
  bool isTensor = true;
  bool isSymbolic = false; ///< a scalar that varies (else `constant` holds it)
  bool requiresGrad = false;
  DType dtype = DType::F32;
  std::vector<ExprId> sizes;
  std::vector<ExprId> strides; ///< as captured; a guard says if they must hold
  Constant constant;
  /// Index into Package::constants, if stored there; the caller may then pass
  /// nothing for this slot.
  uint32_t payload = kNone;
  /// A weight of which the package has no more than what was prepared of it: the
  /// caller may pass nothing for this slot, if nothing for any that is prepared from.
  bool isFrozen = false;
  /// Kind Tangent of a backward program: the output of the forward program
  /// whose tangent this is.
  uint32_t ofOutput = kNone;
};

/// Where a tensor of the program lives.
struct Value {
  enum class Kind : uint8_t {
    Slot,    ///< the tensor passed for `slot`
    Arena,   ///< `offset` bytes, a multiple of 64, into the call's arena
    New,     ///< fresh storage each call: results handed to the caller
    View,    ///< of value `base`, whose id is smaller; `offset` counts elements
             ///< of `dtype` from the first element of `base`
    Dynamic, ///< whatever an extern call returned
    Constant, ///< package constant `slot`
    /// Storage that stays between calls, written when the weights change. What the
    /// package's own weights make of it may be in constant `slot`, which has one
    /// dimension.
    Prepared
  };
  Kind kind = Kind::Dynamic;
  DType dtype = DType::F32;
  uint32_t slot = kNone;
  ValueId base = kNone;
  ExprId offset = kNone;
  std::vector<ExprId> sizes;
  std::vector<ExprId> strides; ///< in elements; empty means row-major
};

/// An argument of an extern call, in the order of the operator's schema with
/// all defaults filled in.
struct Argument {
  struct None {};
  struct TensorRef { ValueId value; };
  struct ExprRef { ExprId expr; };  ///< an integer, float or bool of this call
  struct DTypeRef { DType dtype; };
  /// A number read from a tensor by an earlier step (an `item` result).
  struct ScalarRef { ValueId value; };
  using List = std::vector<Argument>;
  std::variant<None, TensorRef, ExprRef, ScalarRef, bool, int64_t, double,
               std::string, DTypeRef, List, std::complex<double>>
      value;
};

struct LaunchStep {
  uint32_t kernel = 0;           ///< index into Package::kernels
  std::vector<ValueId> buffers;  ///< `ptr` of the kernel
  std::vector<uint32_t> writes;  ///< positions of the buffers it writes, ascending
  /// Pairs of positions: the kernel reads no element of the second buffer after
  /// it has written the one in the same place of the first, so both may be one.
  std::vector<uint32_t> overwrites;
  std::vector<ExprId> arguments; ///< `sym` of the kernel
  ExprId workItems = kNone;      ///< N of KernelABI.h
  int64_t grain = 1;             ///< smallest range worth a thread
  ExprId scratchBytes = kNone;   ///< per thread; kNone: none
};

/// Functions of a GPU that run one after the other, each on a grid of its own.
/// Each takes the address of every buffer, then that of the workspace, which is
/// the last buffer or null; then its arguments, then for each check the address of a
/// cell, then its tensor maps.
struct GridStep {
  /// How a function sees a buffer through the copy engine.
  struct TensorMap {
    uint32_t buffer = 0;         ///< position among the buffers
    DType dtype = DType::F32;
    ExprId offset = kNone;       ///< elements from the first one of the buffer
    std::vector<ExprId> sizes;   ///< elements, innermost first; 2 to 5
    std::vector<ExprId> strides; ///< bytes, of all sizes but the first
    std::vector<uint32_t> box;   ///< elements that are moved at a time
    uint32_t swizzle = 0;        ///< bytes: 0, 32, 64 or 128
  };
  struct Part {
    uint32_t kernel = 0;           ///< index into Package::kernels
    uint32_t wide = kNone;         ///< the same for where `narrow` is 0
    std::vector<ExprId> arguments; ///< 64 bits each
    ExprId blocks = kNone;         ///< 0: nothing to do
    uint32_t threads = 1;          ///< of a block
    uint32_t sharedBytes = 0;      ///< dynamic shared memory of a block
    std::vector<TensorMap> maps;
  };
  /// What a library of the device may do in place of the functions: for each b, i and j
  ///
  ///   result[b, i, j] = sum over k of left[b, i, k] * right[b, k, j] + bias[j]
  ///
  /// added up in f32 and then rounded.
  struct Product {
    /// Element j of row i of matrix b lies offset + b * apart + i * leading + j elements from
    /// the first one of the buffer; transposed, i and j are exchanged.
    struct Matrix {
      uint32_t buffer = 0; ///< position among the buffers
      bool isTransposed = false;
      ExprId offset = kNone, leading = kNone, apart = kNone;
    };
    DType factors = DType::F32; ///< of both; F32, F16 or BF16
    DType results = DType::F32; ///< of result and bias; F32, or as factors
    bool permitsTF32 = false;   ///< factors of F32 may be rounded
    ExprId matrices = kNone, rows = kNone, columns = kNone, sum = kNone;
    Matrix left, right, result; ///< the result is not transposed
    uint32_t bias = kNone;      ///< position of a buffer; kNone: there is none
  };
  /// Or a convolution, in 1 to 3 dimensions, all lists outermost first:
  ///
  ///   target[n, g, f, p] = sum over c and t of weight[g, f, c, t] *
  ///                        source[n, g, c, p * stride + t * dilation - padding]
  ///
  /// added up in f32 and then rounded, with zeros outside of the source; or the gradient of the
  /// weight, summed up over n and p.
  struct Convolution {
    static constexpr size_t kMostDims = 3;
    /// An element lies offset + n * image + c * channel + sum of place * places elements from
    /// the first one of the buffer; c is of all groups.
    struct Image {
      uint32_t buffer = 0; ///< position among the buffers
      ExprId offset = kNone, image = kNone, channel = kNone;
      std::vector<ExprId> places;
    };
    DType elements = DType::F32; ///< of all; F32, F16 or BF16
    bool permitsTF32 = false;    ///< factors of F32 may be rounded
    bool isGradient = false;     ///< the weight is written, the target read
    ExprId images = kNone, groups = kNone;
    ExprId channels = kNone, filters = kNone; ///< of a group
    std::vector<ExprId> inputs, outputs, taps;
    std::vector<uint32_t> strides, dilations, padding; ///< `padding` on both sides
    Image source, target;
    uint32_t weight = 0;         ///< position of a buffer
    ExprId weightOffset = kNone; ///< elements
    bool isChannelsLast = false; ///< of a filter: taps, then channels; else channels first
  };
  using Library = std::variant<std::monostate, Product, Convolution>;
  std::vector<ValueId> buffers;
  std::vector<uint32_t> writes;     ///< as in LaunchStep
  std::vector<uint32_t> overwrites; ///< as in LaunchStep
  bool hasWorkspace = false;        ///< the last buffer is no argument's, but memory
  ExprId narrow = kNone; ///< if not 0, `kernel` may run, else `wide`; kNone: kernel
  std::vector<Part> parts;
  Library library; ///< may do what the parts do
  /// Messages of assertions: a function for which one does not hold writes 1 to its cell,
  /// 32 bits that the host sees, and stops the device. None where there is a library.
  std::vector<std::string> checks;
};

struct ExternStep {
  std::string overload; ///< "aten.add.Tensor"
  std::vector<Argument> arguments;
  std::vector<ValueId> results; ///< kNone where a result is not used
  std::string reason; ///< why this was not compiled; empty: not a fallback
  std::string location; ///< the model's source line, for errors
};

/// Copies elements of `source` to `target` (same dtype and sizes).
struct CopyStep {
  ValueId source = kNone;
  ValueId target = kNone;
};

/// Gives a symbol its value: a size of a tensor, or the number read by `item`.
struct DefineSymbolStep {
  uint32_t symbol = 0;
  ValueId value = kNone;
  uint32_t dim = kNone; ///< kNone: the number held by `value`
};

struct AssertStep {
  ExprId condition = kNone;
  std::string message;
};

/// Forgets values so that their storage can be freed.
struct ReleaseStep {
  std::vector<ValueId> values;
};

/// Runs bodies: programs of `Package::bodies`, which are functions of their
/// slots. A body may itself run bodies, but only ones that stand behind it in
/// the list, so that calls nest and end.
struct ControlStep {
  enum class Kind : uint8_t {
    /// bodies (then, else), arguments (predicate, inputs...): the first body
    /// if the predicate is true, else the second, on the inputs.
    Branch,
    /// bodies (condition, step): as long as the condition gives true for the
    /// arguments, the step gives the next `carried` ones.
    While,
    /// bodies (step): arguments are `carried` ones, then `scanned` tensors of
    /// which the step gets one slice along the first dimension after the other.
    /// It gives the next carried ones, and a slice of each further result.
    Scan,
  };
  Kind kind = Kind::Branch;
  std::vector<uint32_t> bodies; ///< indices into Package::bodies
  std::vector<Argument> arguments;
  uint32_t carried = 0;
  uint32_t scanned = 0;
  std::vector<ValueId> results; ///< kNone where a result is not used
  std::string location;         ///< the model's source line, for errors
};

using Step = std::variant<LaunchStep, ExternStep, CopyStep, DefineSymbolStep,
                          AssertStep, ReleaseStep, ControlStep, GridStep>;

/// One output of a program.
struct Output {
  enum class Kind : uint8_t {
    Tensor,    ///< value `value`
    Expr,      ///< integer, float or bool expression `expr`
    Constant,  ///< `constant`
    Scalar,    ///< the number held by value `value`
  };
  enum class Role : uint8_t {
    UserOutput,
    Loss,
    BufferMutation,    ///< new contents of buffer `target`
    ParameterMutation,
    InputMutation,     ///< new contents of user input `target`
    ParameterGradient, ///< gradient of parameter `target`
    InputGradient,     ///< gradient of the user input whose path is `target`
    /// For the slots of kind Saved of the backward program, in order: the n-th
    /// saved output is the n-th saved slot.
    Saved,
    Token,
  };
  Kind kind = Kind::Tensor;
  Role role = Role::UserOutput;
  ValueId value = kNone;
  ExprId expr = kNone;
  Constant constant;
  std::string name;
  std::string path;   ///< pytree path of a user output
  std::string target; ///< what is mutated or differentiated
  /// For mutations and for outputs that are an input unchanged: that slot.
  uint32_t aliasOfSlot = kNone;
};

struct Program {
  std::string name; ///< "main", or "forward" and "backward"
  std::vector<Symbol> symbols;
  std::vector<Expr> exprs;
  std::vector<Slot> slots;
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<Output> outputs;
  ExprId arenaBytes = kNone; ///< size of the arena; kNone: no arena
};

/// What `id` is a view of; `id` itself if it is no view.
ValueId getRoot(const Program &program, ValueId id);

/// What a launch or a grid reads and writes; null for other steps.
const std::vector<ValueId> *getBuffers(const Step &step);

/// True for a launch that writes a prepared value. It depends on weights alone, so it is
/// left out of calls whose weights are those of the call before.
bool isPreparation(const Program &program, const Step &step);

/// Of each prepared value that preparation alone reads, the last step that does: it is let go
/// of behind that. `SIZE_MAX` for all other values.
std::vector<size_t> findPassing(const Program &program);

/// Per value, true for one that is prepared and that steps which are no preparation read.
std::vector<bool> findLasting(const Program &program);

/// Sizes and strides of a prepared value, which are numbers.
struct PreparedLayout {
  std::vector<int64_t> sizes, strides;
  int64_t bytes = 0; ///< of its memory
};
/// Malformed for sizes that no memory has.
Result<PreparedLayout> getPreparedLayout(const Program &program,
                                         const Value &value);

/// True if the package has what preparation makes of its weights.
bool isPreparationStored(const Program &program);

/// Per slot, true if preparation reads it.
std::vector<bool> findPreparedSlots(const Program &program);

/// Per slot, true for a weight that nothing but preparation reads: it may be frozen once what
/// is prepared is stored.
std::vector<bool> findFreezable(const Program &program);

/// True if the caller may pass nothing for the slot.
inline bool mayBeLeftOut(const Slot &slot) {
  return slot.payload != kNone || slot.isFrozen;
}

/// Appends the encoding of `program` to `out`. The grammar stands in
/// kiln/ABI/PackageABI.h.
void encodeProgram(const Program &program, std::vector<uint8_t> &out);

/// Reads a program from untrusted bytes. Every index is in range, every
/// expression leaves exactly one cell, every value is defined before a step
/// uses it; anything else is a Malformed error that names the place.
Result<Program> decodeProgram(const uint8_t *data, size_t size);

} // namespace kiln::package

#endif // KILN_PACKAGE_PROGRAM_H
