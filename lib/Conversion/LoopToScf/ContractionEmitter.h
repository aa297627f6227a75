//===- ContractionEmitter.h - Matrix products as vector loops -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits C[b,m,n] = f(sum over k of A[b,m,k] * B[b,k,n]) into the body of a
// kernel (kiln/ABI/KernelABI.h). Every operand has strides of its own, so
// transposes, broadcasts (stride 0) and slices cost nothing extra.
//
// Three schemes:
//
//   packed      Rows of A and columns of B are copied into contiguous panels in
//               scratch memory, then multiplied by a register-tiled kernel: MR
//               rows x NR columns of accumulators, one pass over up to KC of k.
//               For everything that is not one of the others.
//   skinny B    At most 8 rows, rows of B contiguous: B is streamed once, the
//               sums stay in the cache.
//   skinny B^T  At most 8 rows, columns of B contiguous: vectors along k.
//
// Where rows, columns or k are not one dimension of an operand, or some of its
// elements do not count (padding), the operand is irregular: it is described by
// the dimensions that its axes consist of, and packed a vector at a time, read
// as neighbours where they are neighbours and gathered elsewhere. A convolution
// is a product whose B is its image, never laid out in memory.
//
// A work item is a tile of C, owned by one thread from its first k to its last:
// the order of summation, hence every bit of the result, depends on the sizes
// and the target only.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONEMITTER_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONEMITTER_H

#include "mlir/IR/Builders.h"

#include <functional>
#include <optional>

namespace kiln::loop {

/// A size or stride: a number, or an SSA value of type i64.
struct Extent {
  Extent(int64_t constant) : constant(constant) {}
  Extent(mlir::Value value) : value(value) {}

  bool is(int64_t number) const { return constant && *constant == number; }

  std::optional<int64_t> constant;
  mlir::Value value;
};

/// Where an element is: scalar i64 values. A vector holds the elements from
/// here on, along the last index (`column`) or, if `alongRow`, along `row`.
struct ContractionIndex {
  mlir::Value batch;
  mlir::Value row;
  mlir::Value column;
  bool alongRow = false;
  /// Of type vector<lanes x i1> for vectors of which some lanes lie outside;
  /// null when all are inside. Whoever loads more data must honour it.
  mlir::Value mask;
};

/// Maps a value at an index: scalar to scalar, vector to vector of as many
/// lanes. The builder stands where the code belongs.
using ContractionMap = std::function<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value, const ContractionIndex &)>;

/// Whether elements exist; those that do not are 0. Gets the indices in the
/// dimensions of the operand's two axes, i64 or vectors of them, and gives i1 or
/// a vector of it.
using ContractionMask = std::function<mlir::Value(
    mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::Value> row,
    llvm::ArrayRef<mlir::Value> column)>;

/// One matrix. For A the row is m and the column k, for B k and n, for C m and
/// n. Strides are in elements.
struct ContractionOperand {
  mlir::Value base;  ///< !llvm.ptr
  mlir::Type type;   ///< in memory: f16, bf16, f32 or f64
  Extent batchStride = 0;
  Extent rowStride = 0;
  Extent columnStride = 1;
  /// If true, the strides of rows and columns are these instead, one for each
  /// dimension of the axis; `mask` may leave elements out. For A and B. Of C
  /// rows may be so, and columns are one dimension.
  bool irregular = false;
  llvm::SmallVector<Extent> rowSteps, columnSteps;
  ContractionMask mask;
  /// A and B: applied to the element after it was extended to the type of the
  /// sum. C: applied to the sum; gives the value to be stored, in the type of
  /// the sum or of C. Empty for none.
  ContractionMap map;
};

/// Sizes of the dimensions that make up rows, columns or k, outermost first.
/// None stands for one dimension.
using ContractionAxis = llvm::SmallVector<Extent>;

struct ContractionSpec {
  Extent batch = 1;
  Extent m = 1;
  Extent n = 1;
  Extent k = 1;
  ContractionAxis rows, columns, sum; ///< of m, n and k
  /// B's mask does not depend on the outermost dimension of k.
  bool freeSum = false;
  ContractionOperand a, b, c;
  mlir::Type sumType; ///< f32 or f64
};

/// Of the target; see `target::CPUTarget`.
struct ContractionTarget {
  unsigned vectorBits = 512;
  unsigned vectorRegisters = 32;
  uint64_t l2Bytes = 1u << 20;
};

/// How a contraction is cut, decided from types and static sizes alone.
struct ContractionPlan {
  enum class Scheme { Packed, SkinnyRows, SkinnyColumns };
  Scheme scheme = Scheme::Packed;
  int64_t lanes = 16; ///< of a vector of sums
  bool masks = true;  ///< the target has masks for all types
  int64_t mr = 12;    ///< rows of a register tile
  int64_t nr = 32;    ///< columns of a register tile
  int64_t mc = 120;   ///< rows of A packed at a time
  int64_t kc = 1024;  ///< of k, between visits of C
  int64_t tileM = 960; ///< rows of a work item
  int64_t tileN = 256; ///< columns of a work item
  uint64_t scratchBytes = 0;

  /// Work items: batch * ceil(m / tileM) * ceil(n / tileN), for the caller to
  /// build as an expression.
  int64_t workItems(int64_t batch, int64_t m, int64_t n) const;
};

/// Chooses scheme and tile sizes. Deterministic.
ContractionPlan planContraction(const ContractionSpec &spec,
                                const ContractionTarget &target);

/// Emits, at the insertion point of `b`, loops over the work items from `begin`
/// to `end` (i64). `scratch` is a 64-byte aligned !llvm.ptr to
/// `plan.scratchBytes`. Right for every size, 0 included: with k = 0 the sums
/// are 0.
void emitContraction(mlir::OpBuilder &b, mlir::Location loc,
                     const ContractionSpec &spec, const ContractionPlan &plan,
                     mlir::Value begin, mlir::Value end, mlir::Value scratch);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONEMITTER_H
