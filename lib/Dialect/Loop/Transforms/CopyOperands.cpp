//===- CopyOperands.cpp - Operands of convolutions in another order --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageWindows.h"
#include "PermuteNest.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// As `kMinReuseOnCPU`, of a contraction by channels of their own, whose operand is gathered
/// where it is not copied.
static constexpr int64_t kMinReuseOfOwn = 2;

/// Copies a tensor with dimension `last` innermost, and zeros behind its elements up to
/// `extent`, as elements of a type that has them all.
static Value copyPermuted(OpBuilder &builder, Location location, Value tensor,
                          unsigned last, ExprAttr extent, Type element,
                          ArrayAttr origins) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<unsigned> order = getOrder(type.getRank(), last);
  SmallVector<ExprAttr> dims = permute(*guard::getDims(type), order);
  ExprAttr size = std::exchange(dims.back(), extent);
  auto copy = PointwiseOp::create(
      builder, location, guard::makeTensorType(element, dims), dims, origins);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = copy.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> indices(type.getRank());
  for (auto [now, before] : llvm::enumerate(order))
    indices[before] = body.getArgument(now);
  Value inside, zero;
  if (extent != size) {
    Value count =
        arith::ConstantIndexOp::create(builder, location, *size.getConstant());
    inside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult,
                                   indices[last], count);
    zero = arith::ConstantOp::create(
        builder, location, builder.getZeroAttr(type.getElementType()));
  }
  Value value =
      LoadOp::create(builder, location, tensor, indices,
                     getIdentityMap(builder.getContext(), indices.size()),
                     inside, zero);
  if (element != type.getElementType())
    value = arith::ExtFOp::create(builder, location, element, value);
  YieldOp::create(builder, location, value);
  return copy.getResult();
}

/// Reads an operand by way of its copy.
static void useCopy(ContractOp op, unsigned side, unsigned last, Value copy) {
  ArrayAttr list = side == 0 ? op.getLhsIndices() : op.getRhsIndices();
  SmallVector<ExprAttr> indices = getExprs(list);
  list = getExprArray(op.getContext(),
                      permute(indices, getOrder(indices.size(), last)));
  (side == 0 ? op.getLhsMutable() : op.getRhsMutable()).assign(copy);
  side == 0 ? op.setLhsIndicesAttr(list) : op.setRhsIndicesAttr(list);
}

bool loop::multipliesOnUnits(ContractOp op) {
  Type factor = analysis::getFactorType(op);
  bool isRounded = factor && factor.isF32() && op.getAccType().isF32() &&
                   permitsTf32(op);
  return factor && (factor.isBF16() || factor.isF16() || isRounded) &&
         op.getLhsPrologue().empty() && op.getRhsPrologue().empty();
}

bool loop::multipliesInOrder(ContractOp op) {
  if (analysis::getUnsignedFactor(op))
    return getTarget(op).getBytes() != DotUnit::Fma;
  if (!op.getAccType().isF32())
    return false;
  auto isFloat = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType().isF32();
  };
  return (isFloat(op.getLhs()) && isFloat(op.getRhs())) ||
         (getTarget(op).getBf16() == DotUnit::Pairs && analysis::hasFactorsOfBF16(op));
}

/// Whether each element of a copy with `extent` channels is read often.
bool OperandCopies::isReadOften(ContractOp op, Value tensor, unsigned channels,
                                ExprAttr extent) {
  auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  if (!dims)
    return false;
  (*dims)[channels] = extent;
  bool isOwn = hasOwnChannels(op, op.getParallelExtents().size() - 1);
  int64_t least = isOwn ? kMinReuseOfOwn : kMinReuseOnCPU;
  return hints.product(op.getDomain().all()) / (onCPU ? least : kMinReuse) >=
         hints.product(*dims);
}

Value OperandCopies::getCopy(ContractOp op, Value tensor, unsigned channels,
                             ExprAttr extent, Type element) {
  if (!element)
    element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value &copy = copies[{tensor, channels, extent, element}];
  if (!copy) {
    OpBuilder builder(op);
    copy = copyPermuted(builder, op.getLoc(), tensor, channels, extent, element,
                        op.getOriginsAttr());
  }
  return copy;
}

/// Sums over zeros behind channels that are no multiple of those copied at once: an image
/// of three colours would be copied element by element.
void OperandCopies::fillChannels(ContractOp op) {
  Windows windows(op);
  if (windows.empty() || !multipliesOnUnits(op))
    return;
  Domain domain = op.getDomain();
  for (unsigned k = 0; k < domain.reduction.size(); ++k) {
    auto size = domain.reduction[k].getConstant();
    ExprAttr dim = guard::getDim(op.getContext(), domain.parallel.size() + k);
    if (!size || *size <= 1 || *size % kMinChannels == 0 ||
        windows.isWalked(dim))
      continue;
    ExprAttr filled = guard::getConstant(
        op.getContext(), llvm::alignTo(*size, kMinChannels));
    std::optional<unsigned> places[2];
    bool isWorth = true;
    for (unsigned side = 0; side < 2; ++side) {
      Value tensor = side == 0 ? op.getLhs() : op.getRhs();
      for (auto [place, index] : llvm::enumerate(windows.indices[side]))
        if (index == dim)
          places[side] = place;
        else if (mentions(index, domain.parallel.size() + k))
          isWorth = false;
      // A batch is summed up in the gradient of a weight, and has no channels.
      isWorth = isWorth && places[side] &&
                places[side] == windows.findChannels(windows.indices[side]) &&
                cast<RankedTensorType>(tensor.getType())
                        .getDimSize(*places[side]) == *size &&
                isReadOften(op, tensor, *places[side], filled);
    }
    if (!isWorth)
      continue;
    for (unsigned side = 0; side < 2; ++side)
      useCopy(op, side, *places[side],
              getCopy(op, side == 0 ? op.getLhs() : op.getRhs(), *places[side],
                      filled));
    SmallVector<ExprAttr> extents(domain.reduction);
    extents[k] = filled;
    op.setReductionExtentsAttr(getExprArray(op.getContext(), extents));
    return;
  }
}

/// The type of what a convolution by channels of their own reads of a copy: what is multiplied
/// often enough, as its weights are, is made as wide as its sums once, and not wherever it is
/// read. Null if that of the operand is.
static Type getWide(ContractOp op, unsigned side, ArrayRef<ExprAttr> dims,
                    const analysis::SizeHints &hints) {
  Value tensor = side == 0 ? op.getLhs() : op.getRhs();
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  bool isNarrow = isa<FloatType>(type) && isa<FloatType>(op.getAccType()) &&
                  type.getIntOrFloatBitWidth() <
                      op.getAccType().getIntOrFloatBitWidth();
  bool isOften =
      hints.product(op.getDomain().all()) / kMinReuse >= hints.product(dims);
  Region &prologue = side == 0 ? op.getLhsPrologue() : op.getRhsPrologue();
  return isNarrow && isOften && prologue.empty() ? op.getAccType() : Type();
}

/// Copies operands whose channels are not neighbours.
void OperandCopies::relay(ContractOp op) {
  Windows windows(op);
  unsigned last = op.getParallelExtents().size() - 1;
  bool isOwn = hasOwnChannels(op, last);
  if (windows.empty() ||
      !(isOwn || (onCPU ? multipliesInOrder(op) : multipliesOnUnits(op))))
    return;
  for (unsigned side = 0; side < 2; ++side) {
    Value tensor = side == 0 ? op.getLhs() : op.getRhs();
    auto channels = windows.getChannels(op, side);
    // Those of the result, not those that are summed up for each.
    const auto *own = llvm::find(windows.indices[side],
                                 guard::getDim(op.getContext(), last));
    if (isOwn && own != windows.indices[side].end())
      channels = own - windows.indices[side].begin();
    // Channels of their own that are no neighbours in the result are walked across memory.
    ExprAttr index = channels ? windows.indices[side][*channels] : ExprAttr();
    if (index && index.isDim() && index.getPosition() < last &&
        hasOwnChannels(op, index.getPosition()))
      continue;
    auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
    SmallVector<ExprAttr> strides = getStrides(tensor);
    if (!channels || !dims || strides.empty() ||
        strides[*channels].isConstant(1) ||
        hints.evaluate((*dims)[*channels]) < kMinChannels ||
        !isReadOften(op, tensor, *channels, (*dims)[*channels]))
      continue;
    useCopy(op, side, *channels,
            getCopy(op, tensor, *channels, (*dims)[*channels],
                    isOwn && onCPU ? getWide(op, side, *dims, hints) : Type()));
  }
}

/// Where an element of an operand is in a copy that has a dimension for each that moves it,
/// of a domain in which it is always inside; nothing if there may be no such element.
static std::optional<SmallVector<ExprAttr>>
renameIndices(ContractOp op, Value tensor, ArrayRef<ExprAttr> indices,
              ArrayRef<unsigned> moving) {
  MLIRContext *context = op.getContext();
  SmallVector<ExprAttr> extents = op.getDomain().all();
  SmallVector<ExprAttr> names = getIdentityMap(context, extents.size());
  guard::Assumptions assumptions;
  for (auto [now, dim] : llvm::enumerate(moving)) {
    names[dim] = guard::getDim(context, now);
    assumptions.setExtent(names[dim], extents[dim]);
  }
  SmallVector<ExprAttr> map;
  auto sizes = *guard::getDims(cast<RankedTensorType>(tensor.getType()));
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    map.push_back(guard::substituteDims(index, names));
    if (!guard::isKnownNonNegative(map.back(), assumptions) ||
        !guard::isKnownLess(map.back(), size, assumptions))
      return std::nullopt;
  }
  return map;
}

/// Copies what is summed up with windows of an image and has no neighbours along the sum: the
/// weights of a convolution, turned around, in the gradient of its image.
void OperandCopies::layAlongSum(ContractOp op) {
  Domain domain = op.getDomain();
  if (domain.reduction.empty() || Windows(op).empty() || !multipliesOnUnits(op) ||
      llvm::count_if(domain.reduction, [](ExprAttr extent) {
        return !extent.isConstant(1);
      }) < 2)
    return;
  unsigned last = domain.reduction.size() - 1;
  for (unsigned side = 0; side < 2; ++side) {
    if (getNeighbours(op, 1 - side) != last || getNeighbours(op, side) == last)
      continue;
    Value tensor = side == 0 ? op.getLhs() : op.getRhs();
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<ExprAttr> indices =
        getExprs(side == 0 ? op.getLhsIndices() : op.getRhsIndices());
    SmallVector<unsigned> moving;
    SmallVector<ExprAttr> extents, dims;
    for (unsigned dim = 0; dim < domain.rank(); ++dim)
      if (llvm::any_of(indices,
                       [&](ExprAttr index) { return mentions(index, dim); })) {
        moving.push_back(dim);
        extents.push_back(domain.all()[dim]);
        dims.push_back(guard::getDim(op.getContext(), dim));
      }
    auto size = guard::getDims(type);
    if (!size || hints.product(extents) > hints.product(*size) ||
        hints.product(domain.all()) / kMinReuse < hints.product(extents))
      continue;
    auto map = renameIndices(op, tensor, indices, moving);
    if (!map)
      continue;
    OpBuilder builder(op);
    PointwiseOp copy = createCopy(builder, op.getLoc(), tensor, extents, *map,
                                  op.getOriginsAttr());
    (side == 0 ? op.getLhsMutable() : op.getRhsMutable())
        .assign(copy.getResult());
    ArrayAttr list = getExprArray(op.getContext(), dims);
    side == 0 ? op.setLhsIndicesAttr(list) : op.setRhsIndicesAttr(list);
    return;
  }
}
