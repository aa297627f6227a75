//===- ContractionShape.h - A contraction seen as a matrix product --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every parallel dimension of a contraction belongs to the rows (only the left
// operand moves along it), the columns (only the right one), or the batch. The
// operands are exchanged if that puts neighbours of the result into columns: a
// convolution's weight has the rows, its image the columns. If the sum is long and
// walks neighbours of both, the operand with less has the columns: the output's
// gradient in the gradient of a weight of few channels. Where columns would fill their
// panels badly, as small images do, they are the rows; so they are where each element would
// be gathered, as in images with their channels last.
//
// The dimensions of a group are one dimension of a matrix product for an operand
// that walks them as one. An operand that does not, or that masks some of its
// elements, is packed through the group's runs: neighbouring dimensions that
// all operands and masks walk as one. So the windows of a convolution are never
// laid out in memory. Batch dimensions that do not collapse are counted off
// outside of the product, and so are the outer dimensions of columns that are
// not neighbours in the result.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_CONTRACTIONSHAPE_H
#define KILN_ANALYSIS_CONTRACTIONSHAPE_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::analysis {

using guard::ExprAttr;

/// Dimensions of the domain that act as one, outermost first.
struct DimGroup {
  SmallVector<unsigned> dims;
  ExprAttr extent; ///< the product of their extents
  /// Elements that an operand advances for one step: A, B, C. Null for one that
  /// does not walk the dimensions as one.
  ExprAttr steps[3];

  /// Dimensions that every operand walks as one; a dimension that a mask
  /// depends on is a run of its own.
  struct Run {
    SmallVector<unsigned> dims;
    ExprAttr extent;
    ExprAttr steps[3];
  };
  SmallVector<Run> runs;
};

struct ContractionShape {
  DimGroup rows, columns, sum, batch;
  SmallVector<unsigned> outer; ///< dimensions counted off outside
  /// A is the right operand of the contraction, and B the left one.
  bool exchanged = false;
  /// Linear addresses of A, B and C in the domain's dims.
  ExprAttr addresses[3];
  /// Which elements of A and B count; null where all do.
  ExprAttr masks[2];

  /// True if operand `k` (A, B or C) has a mask or walks one of its groups in
  /// several runs.
  bool isIrregular(unsigned k) const;
};

/// Where a contraction stands within a larger kernel.
struct ContractionFrame {
  /// Strides of the result; null for those of a row-major tensor.
  ArrayRef<ExprAttr> resultStrides;
  /// Parallel dimensions that are counted off outside in any case. Addresses
  /// need not be linear in them.
  ArrayRef<unsigned> outer;
  /// Neighbours in the result stay columns, however many rows and columns there are:
  /// nothing is packed that would cost more. Rows and columns of a long sum that an operand
  /// does not have as neighbours are walked in the order of the operand, and each element
  /// of the result is stored where it belongs. So are images with their channels last, all of
  /// them one matrix, of a result that has them first.
  bool keepsOrder = false;
  /// A dimension of the result that is the rows even if it has one element, which is no
  /// dimension of a matrix otherwise.
  std::optional<unsigned> row = std::nullopt;

  /// That of a kernel whose blocks each have a tile, on a GPU.
  static ContractionFrame ofTiles() { return {{}, {}, /*keepsOrder=*/true}; }
};

/// The shape of a contraction whose operands have these strides; nothing if it
/// is no matrix product: of other types than f16, bf16, f32 and f64, and bytes
/// whose sums are i32, with addresses that are not linear, or with a mask on
/// rows and columns together.
///
///   C[i, j] += A[i, k] * B[k, j]         rows i, columns j, sum k
///   C[b, o, x] += W[o, k] * I[b, x + k]  rows o, columns x, sum k; b is
///                                        counted off outside
///
/// Of members in groups (`ContractOp::isGrouped`) the group is the batch, along
/// which A or C do not move, and the members are the rows or the sum: whoever
/// walks these begins where the group begins and ends where it ends.
std::optional<ContractionShape>
analyzeContraction(loop::ContractOp op, ArrayRef<ExprAttr> lhsStrides,
                   ArrayRef<ExprAttr> rhsStrides,
                   const ContractionFrame &frame = {});

/// An operand as an engine sees it that copies boxes of a tensor of several dimensions,
/// the innermost first: rows (or columns) and sum, then the batch and dimensions that are
/// counted off outside. Of the result columns and rows are the first two.
struct OperandBoxes {
  bool alongSum = false; ///< the innermost dimension is the sum
  ExprAttr offset;       ///< of the tensor, in elements
  SmallVector<ExprAttr> sizes, strides; ///< in elements; the innermost has stride 1
  bool hasBatch = false; ///< the third dimension is the batch
  SmallVector<unsigned> outer; ///< which of `ContractionShape::outer` follow
};

/// Operand `k` (A or B) in boxes; nothing where it is masked, walks one of its groups in
/// several runs, has no neighbours, more than 5 dimensions, or strides that are not known
/// to be multiples of `multiple` elements.
std::optional<OperandBoxes> getOperandBoxes(loop::ContractOp op,
                                            const ContractionShape &shape,
                                            unsigned k, int64_t multiple);
/// The same of the result.
std::optional<OperandBoxes> getResultBoxes(loop::ContractOp op,
                                           const ContractionShape &shape,
                                           int64_t multiple);

/// True if operand `k` (A or B), as it lies in memory, can be copied `lanes` elements along
/// the sum at a time, of a known size: they are neighbours, begin at multiples of `lanes` of
/// the tensor, and are masked together, but for the last ones of the sum's innermost run.
bool hasSumVectors(loop::ContractOp op, const ContractionShape &shape,
                   unsigned k, int64_t lanes);
/// The same of rows (or columns) instead of the sum.
bool hasAcrossVectors(loop::ContractOp op, const ContractionShape &shape,
                      unsigned k, int64_t lanes);

/// True if the masks of `op` leave out what is outside of its operand `image`, 0 for the left one,
/// and nothing else.
bool isMaskedOutside(loop::ContractOp op, unsigned image);

/// Of an operand that `hasSumVectors`: how many of the first indices of the sum's innermost run
/// are not masked, whatever the others are; the rest of the vector that they end in is zeros.
int64_t countUnmasked(const ContractionShape &shape, unsigned k);

/// True if the factors of an operand are its elements as they lie in memory: of the type of
/// the sum, bf16 that is multiplied by bf16 and summed up in f32, or bytes that are extended
/// to the sum's and multiplied by bytes.
bool readsFactors(loop::ContractOp op, bool ofLeft);

/// The run of the sum along which A can be read where it lies: its neighbours, all of which
/// count or none, that are factors as they lie there, and of a known size. 0 if there is
/// none.
int64_t getRunInPlace(loop::ContractOp op, const ContractionShape &shape);

/// The type that both operands are multiplied in, behind their prologues; null
/// where they differ. Bytes are i8, with a sign or without, as the operand's
/// elements say.
Type getFactorType(loop::ContractOp op);

/// What matrix units of GPUs ask of factors of a type.
struct UnitFactors {
  Type sum;           ///< in which their products are added up
  int64_t capability; ///< of the first GPU whose units take them
  /// Neighbours may lie across the sum. Of others units take words along it;
  /// `mma.sync` words that were put together.
  bool mayLieAcross;
};
/// Those of f16, bf16, f32, which is rounded to tf32 where a target permits it
/// (Precision.h), and bytes, whose sums are i32 and exact; nothing for other
/// types, and for null.
std::optional<UnitFactors> getUnitFactors(Type factor);

/// True if both factors are bf16, or bf16 that is extended to the type of the sum.
bool hasFactorsOfBF16(loop::ContractOp op);

/// The bytes that factors of an operand are, after its prologue: i32 that were
/// extended from 8 bits, a constant perhaps added. Nothing for others.
enum class Bytes { Signed, Unsigned };
std::optional<Bytes> getBytes(loop::ContractOp op, bool ofLeft);

/// The operand whose factors are unsigned bytes, 0 for the left one, if those of
/// the other are signed ones and sums are i32: what `quads` multiplies.
std::optional<unsigned> getUnsignedFactor(loop::ContractOp op);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_CONTRACTIONSHAPE_H
