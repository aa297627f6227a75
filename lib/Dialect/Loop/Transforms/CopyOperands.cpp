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

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// Points of a contraction for each element of an operand from which on it is worth being
/// copied, and channels of 16 bits that are copied at once.
static constexpr int64_t kMinReuse = 64, kMinChannels = 8;
/// The same on a processor.
static constexpr int64_t kMinReuseOnCPU = 16;

/// Copies a tensor with dimension `last` innermost, and zeros behind its elements up to
/// `extent`.
static Value copyPermuted(OpBuilder &builder, Location location, Value tensor,
                          unsigned last, ExprAttr extent, ArrayAttr origins) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<unsigned> order = getOrder(type.getRank(), last);
  SmallVector<ExprAttr> dims = permute(*guard::getDims(type), order);
  ExprAttr size = std::exchange(dims.back(), extent);
  auto copy = PointwiseOp::create(
      builder, location, guard::makeTensorType(type.getElementType(), dims),
      dims, origins);
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
  Value element =
      LoadOp::create(builder, location, tensor, indices,
                     getIdentityMap(builder.getContext(), indices.size()),
                     inside, zero);
  YieldOp::create(builder, location, element);
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

static bool multipliesHalves(ContractOp op) {
  Type factor = analysis::getFactorType(op);
  return factor && (factor.isBF16() || factor.isF16()) &&
         op.getLhsPrologue().empty() && op.getRhsPrologue().empty();
}

bool loop::multipliesFloats(ContractOp op) {
  auto isFloat = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType().isF32();
  };
  return isFloat(op.getLhs()) && isFloat(op.getRhs()) && op.getAccType().isF32();
}

/// Whether each element of a copy with `extent` channels is read often.
bool OperandCopies::isReadOften(ContractOp op, Value tensor, unsigned channels,
                                ExprAttr extent) {
  auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  if (!dims)
    return false;
  (*dims)[channels] = extent;
  return hints.product(op.getDomain().all()) /
             (onCPU ? kMinReuseOnCPU : kMinReuse) >=
         hints.product(*dims);
}

Value OperandCopies::getCopy(ContractOp op, Value tensor, unsigned channels,
                             ExprAttr extent) {
  Value &copy = copies[{tensor, channels, extent}];
  if (!copy) {
    OpBuilder builder(op);
    copy = copyPermuted(builder, op.getLoc(), tensor, channels, extent,
                        op.getOriginsAttr());
  }
  return copy;
}

/// Sums over zeros behind channels that are no multiple of those copied at once: an image
/// of three colours would be copied element by element.
void OperandCopies::fillChannels(ContractOp op) {
  Windows windows(op);
  if (windows.empty() || !multipliesHalves(op))
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

/// Copies operands whose channels are not neighbours.
void OperandCopies::relay(ContractOp op) {
  Windows windows(op);
  if (windows.empty() || !(onCPU ? multipliesFloats(op) : multipliesHalves(op)))
    return;
  for (unsigned side = 0; side < 2; ++side) {
    Value tensor = side == 0 ? op.getLhs() : op.getRhs();
    auto channels = windows.getChannels(op, side);
    auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
    SmallVector<ExprAttr> strides = getStrides(tensor);
    if (!channels || !dims || strides.empty() ||
        strides[*channels].isConstant(1) ||
        hints.evaluate((*dims)[*channels]) < kMinChannels ||
        !isReadOften(op, tensor, *channels, (*dims)[*channels]))
      continue;
    useCopy(op, side, *channels,
            getCopy(op, tensor, *channels, (*dims)[*channels]));
  }
}
