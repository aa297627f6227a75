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
//               For everything that is not one of the others. With `in_place` rows
//               of A are not copied, but broadcast from where they lie.
//   skinny B    Few rows, rows of B contiguous: B is streamed once, the sums
//               stay in the cache.
//   skinny B^T  Few rows, columns of B contiguous: vectors along k.
//
// Which one, and all sizes of tiles, is said by the schedule: #loop.packed,
// #loop.skinny_rows or #loop.skinny_columns.
//
// Where rows, columns or k are not one dimension of an operand, or some of its
// elements do not count (padding), the operand is irregular: it is described by
// the dimensions that its axes consist of, and packed a vector at a time, read
// as neighbours where they are neighbours and gathered elsewhere. A convolution
// is a product whose B is its image, never laid out in memory.
//
// A work item is a tile of C, owned by one thread from its first k to its last:
// the order of summation, hence every bit of the result, depends on the sizes
// and the schedule only.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONEMITTER_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONEMITTER_H

#include "kiln/Dialect/Loop/IR/Loop.h"

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
/// here on, along the last index (`column`) or, if `alongRow`, along `row`. Of one
/// that begins outside, the index is that of lane `lane`, the first inside.
struct ContractionIndex {
  mlir::Value batch;
  mlir::Value row;
  mlir::Value column;
  bool alongRow = false;
  /// Of type vector<lanes x i1> for vectors of which some lanes lie outside;
  /// null when all are inside. Whoever loads more data must honour it.
  mlir::Value mask;
  mlir::Value lane = {}; ///< null for the first
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
  mlir::Type type;   ///< in memory, f16, bf16, f32, f64 or an integer
  Extent batchStride = 0;
  Extent rowStride = 0;
  Extent columnStride = 1;
  /// If true, the strides of rows and columns are these instead, one for each
  /// dimension of the axis; `mask` may leave elements out. For A and B. Of C
  /// rows may be so, and columns are one dimension.
  bool irregular = false;
  llvm::SmallVector<Extent> rowSteps, columnSteps;
  ContractionMask mask;
  /// Of B: its panels, if they were made before (`emitPackedColumns`), 64-byte aligned.
  mlir::Value packed = {};
  /// Of C where columns are no neighbours: so many rows, from each multiple of it
  /// on, are, and the map takes them as a vector. 1 for none.
  Extent rowRun = 1;
  /// A and B: applied to the element as it is in memory; what it gives is then
  /// converted to the type of the sum. C: applied to the sum; gives the value to be
  /// stored, in the type of the sum or of C. Empty for none.
  ContractionMap map;
  /// A: factors are the elements as they are in memory, bf16 among them, or bytes that `map`
  /// extends.
  bool isFactors = false;
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
  std::optional<int64_t> mostK; ///< k is at most this, where it is no constant
  /// Where each group of the batch ends, i32: rows of A and C, or else the sum, are in groups,
  /// of which `m` or `k` is all. Null: they are not.
  mlir::Value ends;
  Extent endStep = 1;
  bool groupsRows = false;
  bool limitsColumns = false;   ///< who walks the columns may end before `n`
  /// The masks of A and B do not depend on the outermost dimension of k.
  bool freeSum[2] = {false, false};
  /// The mask of A does not depend on the innermost dimension of k.
  bool freeRuns = true;
  ContractionOperand a, b, c;
  mlir::Type sumType; ///< f32, f64 or i32
  /// All factors are exact in bf16, also after the maps of A and B.
  bool ofBF16 = false;
  /// Factors of A, or else of B, are unsigned bytes, those of the other signed ones.
  bool unsignedA = false, unsignedB = false;
};

/// The lanes of a vector of sums, and whether the schedule is masked.
std::pair<int64_t, bool> getLanes(ScheduleAttr schedule);

/// Rows and columns of C that are a work item. There are
/// batch * ceil(m / rows) * ceil(n / columns) of them; of rows in groups as many as if each
/// group had all, and those of one more, which has the rows behind the last group: zeros.
struct ContractionItem {
  int64_t rows = 1, columns = 1;
};
ContractionItem getContractionItem(const ContractionSpec &spec,
                                   ScheduleAttr schedule);

/// Bytes of scratch memory that a thread needs.
int64_t getContractionScratch(const ContractionSpec &spec,
                              ScheduleAttr schedule);

/// What the schedule needs of the contraction and does not find, "expected ...";
/// empty if it fits.
llvm::StringRef getMisfit(const ContractionSpec &spec, ScheduleAttr schedule);

/// Emits, at the insertion point of `b`, loops over the work items from `begin`
/// to `end` (i64). `scratch` is a 64-byte aligned !llvm.ptr to
/// `getContractionScratch` bytes. Right for every size, 0 included: with k = 0
/// the sums are 0. The schedule fits.
void emitContraction(mlir::OpBuilder &b, mlir::Location loc,
                     const ContractionSpec &spec, ScheduleAttr schedule,
                     mlir::Value begin, mlir::Value end, mlir::Value scratch);

/// Bytes of scratch memory that a thread needs for `emitPackedColumns`.
int64_t getPackingScratch(const ContractionSpec &spec,
                          PackedScheduleAttr schedule);

/// Emits loops over the panels of B from `begin` to `end` (i64), which lay them out at
/// `panels` as the packed scheme has them: `getPackedElements` elements (Weights.h) for
/// each matrix of the batch. Of `spec` what is said of B, the batch, columns and k counts.
void emitPackedColumns(mlir::OpBuilder &b, mlir::Location loc,
                       const ContractionSpec &spec, PackedScheduleAttr schedule,
                       mlir::Value begin, mlir::Value end, mlir::Value panels,
                       mlir::Value scratch);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONEMITTER_H
