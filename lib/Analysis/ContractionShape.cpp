//===- ContractionShape.cpp - A contraction seen as a matrix product ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/ContractionShape.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;

/// Regular products of fewer rows have schedules of their own, and keep them.
static constexpr uint64_t kMinColumns = 9;
/// Elements of columns that are packed while one of the result is stored alone.
static constexpr uint64_t kStoreCost = 64;
/// Channels of an image that are read where they lie, and elements of the sum from which
/// on gathering them costs more than storing the result across its order.
static constexpr uint64_t kMinChannels = 8, kMinGathered = 128;
/// Columns of a panel, as the longest vectors have it.
static constexpr double kPanelColumns = 32;
/// Cycles, at a panel's multiply-add each: an element packed, and one stored across its order.
static constexpr double kPackCycles = 0.3, kAcrossCycles = 2.5;

namespace {
class ShapeAnalysis {
public:
  ShapeAnalysis(ContractOp op, ArrayRef<ExprAttr> lhsStrides,
                ArrayRef<ExprAttr> rhsStrides, const ContractionFrame &frame);

  std::optional<ContractionShape> run();

private:
  bool hasKernel();
  std::optional<ContractionShape> ofGroups(SmallVectorImpl<unsigned> &rows,
                                           SmallVectorImpl<unsigned> &columns,
                                           ArrayRef<unsigned> batch,
                                           ArrayRef<unsigned> sum);
  bool readSteps();
  void exchange();
  bool wantsFewColumns(ArrayRef<unsigned> rows, ArrayRef<unsigned> columns,
                       ArrayRef<unsigned> sum) const;
  bool wastesColumns(ArrayRef<unsigned> rows, ArrayRef<unsigned> columns,
                     ArrayRef<unsigned> sum) const;
  bool gathersColumns(ArrayRef<unsigned> rows, ArrayRef<unsigned> columns,
                      ArrayRef<unsigned> sum) const;
  bool isMatrix(unsigned k, ArrayRef<unsigned> across,
                ArrayRef<unsigned> sum) const;
  bool hasWindowsInPlace(unsigned k, ArrayRef<unsigned> across,
                         ArrayRef<unsigned> sum) const;
  uint64_t count(ArrayRef<unsigned> dims) const;
  unsigned countOuter(ArrayRef<unsigned> columns) const;
  bool joinsImages(ArrayRef<unsigned> columns, ArrayRef<unsigned> sum) const;
  bool assignMasks(ArrayRef<unsigned> rows, ArrayRef<unsigned> columns);
  bool moveNeighboursLast(unsigned k, SmallVectorImpl<unsigned> &across,
                          ArrayRef<unsigned> sum) const;
  bool dependsOn(ExprAttr mask, ArrayRef<unsigned> dims) const;
  bool walksAsOne(unsigned k, ArrayRef<unsigned> dims) const;
  void describe(ArrayRef<unsigned> dims, DimGroup &group) const;
  bool isOuter(unsigned dim) const {
    return llvm::is_contained(frame.outer, dim);
  }

  ContractOp op;
  const ContractionFrame &frame;
  MLIRContext *context;
  unsigned parallel = 0;
  SmallVector<ExprAttr> extents;
  SmallVector<std::array<ExprAttr, 3>> steps;
  ContractionShape shape;
};
} // namespace

bool ContractionShape::isIrregular(unsigned k) const {
  const DimGroup *groups[3][2] = {
      {&rows, &sum}, {&sum, &columns}, {&rows, &columns}};
  return (k < 2 && masks[k]) || !groups[k][0]->steps[k] ||
         !groups[k][1]->steps[k];
}

ShapeAnalysis::ShapeAnalysis(ContractOp op, ArrayRef<ExprAttr> lhsStrides,
                             ArrayRef<ExprAttr> rhsStrides,
                             const ContractionFrame &frame)
    : op(op), frame(frame), context(op.getContext()) {
  extents = loop::getExprs(op.getParallelExtents());
  parallel = extents.size();
  llvm::append_range(extents, loop::getExprs(op.getReductionExtents()));
  // A reshape leaves divisions and remainders that only its extents undo.
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, context, extents);
  shape.addresses[0] = analysis::linearize(
      context, loop::getExprs(op.getLhsIndices()), lhsStrides, assumptions);
  shape.addresses[1] = analysis::linearize(
      context, loop::getExprs(op.getRhsIndices()), rhsStrides, assumptions);
  shape.addresses[2] = analysis::linearize(
      context, loop::getIdentityMap(context, parallel),
      frame.resultStrides.empty() ? getStoredStrides(op.getResult())
                                  : llvm::to_vector(frame.resultStrides),
      assumptions);
  for (auto [k, mask] : llvm::enumerate(loop::getExprs(op.getMasks())))
    if (!mask.isConstant(1))
      shape.masks[k] = mask;
}

/// True if an operand is bytes as they lie in memory, which the sum extends by
/// itself.
static bool isOfBytes(Value operand, Region &prologue) {
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  return prologue.empty() && isa<IntegerType>(element) &&
         element.getIntOrFloatBitWidth() == 8;
}

/// True if there is code for a sum of i32, of bytes: tiles take them as they
/// lie in memory, panels what prologues make of them. It is read and stored as
/// its own type.
static bool hasIntegerKernel(ContractOp op, const ContractionFrame &frame) {
  Type result = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  bool stores = !op.getEpilogue().empty() || result == op.getAccType();
  bool areBytes = frame.keepsOrder
                      ? isOfBytes(op.getLhs(), op.getLhsPrologue()) &&
                            isOfBytes(op.getRhs(), op.getRhsPrologue())
                      : !loop::getGPUTarget(op) &&
                            analysis::getBytes(op, /*ofLeft=*/true) &&
                            analysis::getBytes(op, /*ofLeft=*/false);
  return stores && !result.isInteger(1) && !isa<ComplexType>(result) &&
         areBytes;
}

/// True if there is code for the types.
bool ShapeAnalysis::hasKernel() {
  if (op.getAccType().isInteger(32))
    return hasIntegerKernel(op, frame);
  if (!isa<FloatType>(op.getAccType()))
    return false;
  auto elementOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  };
  auto isFloat = [](Type element) {
    return element.isF32() || element.isF64() || element.isBF16() ||
           element.isF16();
  };
  // Bytes that are floats once they are read: a weight on a grid.
  auto isRead = [&](Value operand, Region &prologue) {
    Type element = elementOf(operand);
    return isFloat(element) ||
           (element.getIntOrFloatBitWidth() == 8 && isa<IntegerType>(element) &&
            !prologue.empty());
  };
  return isRead(op.getLhs(), op.getLhsPrologue()) &&
         isRead(op.getRhs(), op.getRhsPrologue()) &&
         isFloat(elementOf(op.getResult()));
}

/// Reads what one step along each dimension adds to each address.
bool ShapeAnalysis::readSteps() {
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    std::array<ExprAttr, 3> step;
    for (unsigned k = 0; k < 3 && !isOuter(dim); ++k) {
      auto coefficient = guard::getCoefficient(shape.addresses[k],
                                               guard::getDim(context, dim));
      if (!coefficient || guard::hasDims(*coefficient))
        return false;
      step[k] = *coefficient;
    }
    steps.push_back(step);
  }
  return true;
}

void ShapeAnalysis::exchange() {
  shape.exchanged = !shape.exchanged;
  std::swap(shape.addresses[0], shape.addresses[1]);
  std::swap(shape.masks[0], shape.masks[1]);
  for (auto &step : steps)
    std::swap(step[0], step[1]);
}

/// The extents of `dims`, multiplied; 0 if one is not known.
uint64_t ShapeAnalysis::count(ArrayRef<unsigned> dims) const {
  uint64_t product = 1;
  for (unsigned dim : dims) {
    auto extent = extents[dim].getConstant();
    if (!extent || *extent < 0)
      return 0;
    product = llvm::SaturatingMultiply<uint64_t>(product, *extent);
  }
  return product;
}

/// How many of the first columns are counted off outside: columns are stored as vectors.
unsigned ShapeAnalysis::countOuter(ArrayRef<unsigned> columns) const {
  unsigned first = 0;
  while (!walksAsOne(2, columns.drop_front(first)))
    ++first;
  return first;
}

/// True if all images are the columns of one matrix although they do not follow each other in the
/// result. Who gathers each window anyway may have the end of one image in a tile and the begin of
/// the next, and no tile is filled up for each of them.
bool ShapeAnalysis::joinsImages(ArrayRef<unsigned> columns,
                                ArrayRef<unsigned> sum) const {
  return frame.keepsOrder && frame.outer.empty() && !columns.empty() &&
         !sum.empty() && hasWindowsInPlace(1, columns, sum) &&
         count(sum) >= kMinGathered;
}

/// True if columns fill their panels so badly that rows had better be the columns, although the
/// result is then stored across its order: images of a late layer have 49 elements, which take two
/// panels, with weights packed for each. All images are the rows instead, unless read in place.
bool ShapeAnalysis::wastesColumns(ArrayRef<unsigned> rows,
                                  ArrayRef<unsigned> columns,
                                  ArrayRef<unsigned> sum) const {
  // Only a whole result is free to be stored in any order.
  if (!frame.resultStrides.empty() || !frame.outer.empty() || rows.empty() ||
      columns.empty() || sum.empty() || hasWindowsInPlace(0, rows, sum))
    return false;
  unsigned outer = countOuter(columns);
  double m = count(rows), n = count(columns.drop_front(outer)), k = count(sum);
  double images = count(columns.take_front(outer));
  if (m < kMinColumns || n < kMinColumns || k < 1 || images < 1)
    return false;
  // Tiles of one matrix may be as wide as it is: to store it across its order takes longer
  // than what they waste.
  if (frame.keepsOrder && images == 1)
    return false;
  // What are the columns then must be neighbours, or have them along the sum.
  if (!steps[rows.back()][0].isConstant(1) &&
      !steps[sum.back()][0].isConstant(1))
    return false;
  auto waste = [](double count) {
    return std::ceil(count / kPanelColumns) * kPanelColumns / count;
  };
  // Per element of the result.
  double now = k / kPanelColumns * waste(n) + kPackCycles * k / n;
  double then = k / kPanelColumns * waste(m) + kPackCycles * k / (n * images) +
                kAcrossCycles;
  return then < now;
}

/// True if operand `k` (A or B) has all its elements and walks its dimensions as one.
bool ShapeAnalysis::isMatrix(unsigned k, ArrayRef<unsigned> across,
                             ArrayRef<unsigned> sum) const {
  return !shape.masks[k] && walksAsOne(k, across) && walksAsOne(k, sum);
}

/// True if operand `k` (A or B) is walked by windows of an image with its channels last.
bool ShapeAnalysis::hasWindowsInPlace(unsigned k, ArrayRef<unsigned> across,
                                      ArrayRef<unsigned> sum) const {
  return !isMatrix(k, across, sum) && steps[sum.back()][k].isConstant(1) &&
         !dependsOn(shape.masks[k], sum.back()) &&
         count(sum.back()) >= kMinChannels;
}

/// True if columns are such windows, and rows a matrix: each element of a panel of columns would
/// be gathered, but rows are read where they lie. The result is then stored across its order.
bool ShapeAnalysis::gathersColumns(ArrayRef<unsigned> rows,
                                   ArrayRef<unsigned> columns,
                                   ArrayRef<unsigned> sum) const {
  return !frame.keepsOrder && frame.resultStrides.empty() &&
         frame.outer.empty() && !sum.empty() && isMatrix(0, rows, sum) &&
         hasWindowsInPlace(1, columns, sum) && count(sum) >= kMinGathered;
}

/// True if packing the columns costs more than storing the result against its
/// order. Where the sum walks neighbours of both operands, rows are packed a
/// vector at a time and columns element by element: so are the windows of an image
/// if its channels are few, in the gradient of a weight. Windows that are rows already, of
/// an image with its channels last, stay there.
bool ShapeAnalysis::wantsFewColumns(ArrayRef<unsigned> rows,
                                    ArrayRef<unsigned> columns,
                                    ArrayRef<unsigned> sum) const {
  // Only a whole result is free to be stored in any order.
  if (frame.keepsOrder || !frame.resultStrides.empty() ||
      !frame.outer.empty() || sum.empty() || !steps[sum.back()][0].isConstant(1) ||
      !steps[sum.back()][1].isConstant(1) ||
      (isMatrix(1, columns, sum) && !isMatrix(0, rows, sum)))
    return false;
  uint64_t m = count(rows), n = count(columns), k = count(sum);
  return m >= kMinColumns && n > m &&
         llvm::SaturatingMultiply(k, n - m) >
             llvm::SaturatingMultiply(
                 kStoreCost, llvm::SaturatingMultiply<uint64_t>(m, n));
}

bool ShapeAnalysis::dependsOn(ExprAttr mask, ArrayRef<unsigned> dims) const {
  return mask && llvm::any_of(dims, [&](unsigned dim) {
           return guard::contains(mask, guard::getDim(context, dim));
         });
}

/// Sees to it that A's mask knows no columns and B's no rows.
bool ShapeAnalysis::assignMasks(ArrayRef<unsigned> rows,
                           ArrayRef<unsigned> columns) {
  // A product counts if both factors do: of two equal masks one is enough.
  if (shape.masks[0] && shape.masks[0] == shape.masks[1])
    shape.masks[dependsOn(shape.masks[0], columns) ? 0 : 1] = {};
  return !dependsOn(shape.masks[0], columns) &&
         !dependsOn(shape.masks[1], rows);
}

/// Walks the rows or columns of operand `k` in the order of the operand, where a tile's
/// result may be stored in any order and the sum is long: the channels of an image that has
/// them last are neighbours, those of the gradient of its weight need not be. True if that
/// is another order than before.
bool ShapeAnalysis::moveNeighboursLast(unsigned k,
                                       SmallVectorImpl<unsigned> &across,
                                       ArrayRef<unsigned> sum) const {
  if (!frame.keepsOrder || across.size() < 2 || sum.empty() ||
      !walksAsOne(2, across) || count(sum) < kMinGathered ||
      steps[across.back()][k].isConstant(1) ||
      steps[sum.back()][k].isConstant(1))
    return false;
  auto *last = llvm::find_if(across, [&](unsigned dim) {
    return steps[dim][k].isConstant(1) && count(dim) >= kMinChannels;
  });
  if (last == across.end())
    return false;
  std::rotate(last, last + 1, across.end());
  return true;
}

bool ShapeAnalysis::walksAsOne(unsigned k, ArrayRef<unsigned> dims) const {
  for (unsigned i = 1; i < dims.size(); ++i)
    if (steps[dims[i - 1]][k] != steps[dims[i]][k] * extents[dims[i]])
      return false;
  return true;
}

/// Makes a group of dimensions. An empty one has extent 1.
void ShapeAnalysis::describe(ArrayRef<unsigned> dims, DimGroup &group) const {
  group.dims.assign(dims.begin(), dims.end());
  group.extent = guard::getConstant(context, 1);
  group.runs.clear();
  for (unsigned dim : dims)
    group.extent = group.extent * extents[dim];
  for (unsigned k = 0; k < 3; ++k) {
    group.steps[k] = guard::getConstant(context, 0);
    if (!dims.empty())
      group.steps[k] =
          walksAsOne(k, dims) ? steps[dims.back()][k] : ExprAttr();
  }
  auto isMasked = [&](unsigned dim) {
    return dependsOn(shape.masks[0], dim) || dependsOn(shape.masks[1], dim);
  };
  for (unsigned i = 0; i < dims.size(); ++i) {
    bool joins = i > 0 && !isMasked(dims[i]) && !isMasked(dims[i - 1]);
    for (unsigned k = 0; k < 3 && joins; ++k)
      joins = walksAsOne(k, dims.slice(i - 1, 2));
    if (!joins)
      group.runs.push_back({{}, guard::getConstant(context, 1), {}});
    DimGroup::Run &run = group.runs.back();
    run.dims.push_back(dims[i]);
    run.extent = run.extent * extents[dims[i]];
    std::copy(steps[dims[i]].begin(), steps[dims[i]].end(), run.steps);
  }
}

/// The product of a group, which is the batch; its members are the rows, or the sum. It has
/// no other batch and no mask, and the number of groups is known.
std::optional<ContractionShape>
ShapeAnalysis::ofGroups(SmallVectorImpl<unsigned> &rows,
                        SmallVectorImpl<unsigned> &columns,
                        ArrayRef<unsigned> batch, ArrayRef<unsigned> sum) {
  bool areRows = op.hasGroupedRows();
  auto isMember = [&](ArrayRef<unsigned> dims) {
    return dims.size() == 1 && dims[0] == op.getMemberDim();
  };
  if (areRows ? isMember(columns)
              : !rows.empty() && steps[rows.back()][2].isConstant(1)) {
    exchange();
    std::swap(rows, columns);
  }
  if (!isMember(areRows ? ArrayRef(rows) : sum) || batch.size() != 1 ||
      batch[0] != op.getGroupDim() || shape.masks[0] || shape.masks[1] ||
      count(batch) == 0 || !frame.outer.empty() ||
      !frame.resultStrides.empty() || countOuter(columns) != 0)
    return std::nullopt;
  describe(rows, shape.rows);
  describe(columns, shape.columns);
  describe(sum, shape.sum);
  describe(batch, shape.batch);
  return shape;
}

std::optional<ContractionShape> ShapeAnalysis::run() {
  if (!hasKernel() || !readSteps())
    return std::nullopt;

  SmallVector<unsigned> rows, columns, batch, sum;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    if (extents[dim].isConstant(1) || isOuter(dim))
      continue;
    bool moves[2] = {!steps[dim][0].isConstant(0),
                     !steps[dim][1].isConstant(0)};
    bool isGroup = op.isGrouped() && dim == op.getGroupDim();
    if (dim >= parallel && !isGroup)
      sum.push_back(dim);
    else if (isGroup || moves[0] == moves[1])
      batch.push_back(dim);
    else
      (moves[0] ? rows : columns).push_back(dim);
  }
  if (op.isGrouped())
    return ofGroups(rows, columns, batch, sum);
  // Neighbours in the result are columns.
  if (!rows.empty() && steps[rows.back()][2].isConstant(1)) {
    exchange();
    std::swap(rows, columns);
  }
  if (frame.row && extents[*frame.row].isConstant(1)) {
    if (columns.empty() && !rows.empty()) {
      exchange();
      std::swap(rows, columns);
    }
    rows.insert(rows.begin(), *frame.row);
  }
  if (gathersColumns(rows, columns, sum) ||
      wantsFewColumns(rows, columns, sum) ||
      wastesColumns(rows, columns, sum)) {
    exchange();
    std::swap(rows, columns);
  }
  if (!assignMasks(rows, columns))
    return std::nullopt;
  moveNeighboursLast(0, rows, sum);
  bool isMoved = moveNeighboursLast(1, columns, sum);
  unsigned first =
      isMoved || joinsImages(columns, sum) ? 0 : countOuter(columns);
  shape.outer.assign(columns.begin(), columns.begin() + first);
  columns.erase(columns.begin(), columns.begin() + first);
  describe(rows, shape.rows);
  describe(columns, shape.columns);
  describe(sum, shape.sum);
  // The innermost batch dimensions that collapse are the product's; the others
  // are counted off, as is what a mask depends on.
  auto isProduct = [&](ArrayRef<unsigned> dims) {
    return llvm::all_of(llvm::seq(3u),
                        [&](unsigned k) { return walksAsOne(k, dims); }) &&
           !dependsOn(shape.masks[0], dims) && !dependsOn(shape.masks[1], dims);
  };
  unsigned inner = batch.size();
  while (inner > 0 && isProduct(ArrayRef(batch).drop_front(inner - 1)))
    --inner;
  describe(ArrayRef(batch).drop_front(inner), shape.batch);
  shape.outer.append(batch.begin(), batch.begin() + inner);
  shape.outer.append(frame.outer.begin(), frame.outer.end());
  llvm::sort(shape.outer);
  return shape;
}

std::optional<ContractionShape>
analysis::analyzeContraction(ContractOp op, ArrayRef<ExprAttr> lhsStrides,
                             ArrayRef<ExprAttr> rhsStrides,
                             const ContractionFrame &frame) {
  return ShapeAnalysis(op, lhsStrides, rhsStrides, frame).run();
}

bool analysis::readsFactors(ContractOp op, bool ofLeft) {
  Value tensor = ofLeft ? op.getLhs() : op.getRhs();
  Region &prologue = ofLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  if (prologue.empty()) {
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    return element == op.getAccType() ||
           (element.isBF16() && op.getAccType().isF32() && hasFactorsOfBF16(op));
  }
  Operation *extended =
      prologue.front().getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extended) &&
         extended->getOperand(0) == prologue.getArgument(0) &&
         getUnsignedFactor(op).has_value();
}

int64_t analysis::getRunInPlace(ContractOp op, const ContractionShape &shape) {
  auto all = shape.sum.extent.getConstant();
  if (!readsFactors(op, !shape.exchanged) || !all || *all < 1)
    return 0;
  if (!shape.isIrregular(0))
    return shape.sum.steps[0].isConstant(1) ? *all : 0;
  if (shape.sum.runs.empty())
    return 0;
  const DimGroup::Run &run = shape.sum.runs.back();
  bool isMasked = shape.masks[0] && llvm::any_of(run.dims, [&](unsigned dim) {
    return guard::contains(shape.masks[0], guard::getDim(op.getContext(), dim));
  });
  auto extent = run.extent.getConstant();
  return run.steps[0].isConstant(1) && !isMasked && extent ? *extent : 0;
}

Type analysis::getFactorType(ContractOp op) {
  auto typeOf = [](Value tensor, Region &prologue) {
    return prologue.empty()
               ? loop::getBodyType(
                     cast<RankedTensorType>(tensor.getType()).getElementType())
               : prologue.front().getTerminator()->getOperand(0).getType();
  };
  Type left = typeOf(op.getLhs(), op.getLhsPrologue());
  return left == typeOf(op.getRhs(), op.getRhsPrologue()) ? left : Type();
}

std::optional<UnitFactors> analysis::getUnitFactors(Type factor) {
  if (!factor)
    return std::nullopt;
  Builder builder(factor.getContext());
  if (factor.isF16())
    return UnitFactors{builder.getF32Type(), loop::kGPUProduct, true};
  if (factor.isBF16() || factor.isF32())
    return UnitFactors{builder.getF32Type(), loop::kGPUCopiesAhead,
                       factor.isBF16()};
  if (factor.isInteger(8))
    return UnitFactors{builder.getI32Type(), loop::kGPUCopiesAhead, false};
  return std::nullopt;
}

bool analysis::hasFactorsOfBF16(ContractOp op) {
  auto isBF16 = [](Value tensor, Region &prologue) {
    if (prologue.empty())
      return cast<RankedTensorType>(tensor.getType()).getElementType().isBF16();
    Value factor = prologue.front().getTerminator()->getOperand(0);
    if (auto extended = factor.getDefiningOp<arith::ExtFOp>())
      factor = extended.getIn();
    return factor.getType().isBF16();
  };
  return isBF16(op.getLhs(), op.getLhsPrologue()) &&
         isBF16(op.getRhs(), op.getRhsPrologue());
}

/// What an i32 can be that was extended from 8 bits.
static std::optional<std::pair<int64_t, int64_t>> getRange(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp>(op) &&
      op->getOperand(0).getType().isInteger(8))
    return std::pair<int64_t, int64_t>(-128, 127);
  if (isa_and_nonnull<arith::ExtUIOp>(op) &&
      op->getOperand(0).getType().isInteger(8))
    return std::pair<int64_t, int64_t>(0, 255);
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  auto range = getRange(op->getOperand(0));
  APInt number;
  if (!range || !matchPattern(op->getOperand(1), m_ConstantInt(&number)) ||
      number.abs().ugt(255))
    return std::nullopt;
  int64_t moved =
      isa<arith::AddIOp>(op) ? number.getSExtValue() : -number.getSExtValue();
  return std::pair(range->first + moved, range->second + moved);
}

std::optional<analysis::Bytes> analysis::getBytes(ContractOp op, bool ofLeft) {
  Region &prologue = ofLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  if (prologue.empty() || !op.getAccType().isInteger(32))
    return std::nullopt;
  Value factor = prologue.front().getTerminator()->getOperand(0);
  auto range = factor.getType().isInteger(32) ? getRange(factor) : std::nullopt;
  if (range && range->first >= -128 && range->second <= 127)
    return Bytes::Signed;
  if (range && range->first >= 0 && range->second <= 255)
    return Bytes::Unsigned;
  return std::nullopt;
}

std::optional<unsigned> analysis::getUnsignedFactor(ContractOp op) {
  auto left = getBytes(op, /*ofLeft=*/true);
  auto right = getBytes(op, /*ofLeft=*/false);
  if (!left || !right || *left == *right)
    return std::nullopt;
  return *left == Bytes::Unsigned ? 0 : 1;
}
