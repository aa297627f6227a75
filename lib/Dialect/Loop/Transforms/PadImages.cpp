//===- PadImages.cpp - Images with zeros around them ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a weight sums up places of an image, of which each tap of the window reads
// others, and those at the edges read what is not there. With zeros around the image all places
// are alike: they may be cut into parts, and what is packed of them is copied without a look.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ImageWindows.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// The indices of an operand's dimension that are read: the least, and how many.
struct ReadRange {
  int64_t first = 0, count = 0;
};

/// Of each dimension of the image; nothing where some are not known.
static std::optional<SmallVector<ReadRange>>
measure(ContractOp op, const Windows &windows, unsigned image) {
  auto type = cast<RankedTensorType>(
      (image == 0 ? op.getLhs() : op.getRhs()).getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, op.getContext(), op.getDomain().all());
  SmallVector<ReadRange> ranges;
  for (ExprAttr index : windows.indices[image]) {
    guard::Interval range = guard::getRange(index, assumptions);
    if (range.min == guard::Interval::kMin || range.max == guard::Interval::kMax)
      return std::nullopt;
    ranges.push_back({range.min, range.max - range.min + 1});
  }
  return ranges;
}

Value loop::copyWithin(ContractOp op, unsigned side, ArrayRef<ExprAttr> sizes,
                       ArrayRef<ExprAttr> map, ArrayRef<Bound> bounds) {
  OpBuilder builder(op);
  Location location = op.getLoc();
  Value tensor = side == 0 ? op.getLhs() : op.getRhs();
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto made = PointwiseOp::create(builder, location,
                                  guard::makeTensorType(element, sizes), sizes,
                                  op.getOriginsAttr());
  Block &body = made.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value inside, zero;
  for (const Bound &bound : bounds) {
    Value index =
        createIndex(builder, location, bound.index, body.getArguments());
    Value size = arith::ConstantIndexOp::create(builder, location, bound.size);
    // An index below 0 is a large number.
    Value fits = arith::CmpIOp::create(builder, location,
                                       arith::CmpIPredicate::ult, index, size);
    inside =
        inside ? arith::AndIOp::create(builder, location, inside, fits) : fits;
  }
  if (inside)
    zero = arith::ConstantOp::create(builder, location,
                                     builder.getZeroAttr(element));
  Value loaded = LoadOp::create(builder, location, tensor, body.getArguments(),
                                map, inside, zero);
  YieldOp::create(builder, location, loaded);
  return made.getResult();
}

/// The elements of an operand in these ranges, and zeros where it has none.
static Value copyPadded(ContractOp op, unsigned side, ArrayRef<ReadRange> ranges) {
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(
      (side == 0 ? op.getLhs() : op.getRhs()).getType());
  SmallVector<ExprAttr> sizes, map;
  SmallVector<Bound> bounds;
  for (auto [place, range] : llvm::enumerate(ranges)) {
    sizes.push_back(guard::getConstant(context, range.count));
    map.push_back(guard::getDim(context, place) + range.first);
    int64_t size = type.getDimSize(place);
    if (range.first < 0 || range.first + range.count > size)
      bounds.push_back({map.back(), size});
  }
  return copyWithin(op, side, sizes, map, bounds);
}

void loop::padImage(ContractOp op, const analysis::SizeHints &hints) {
  Windows windows(op);
  if (windows.empty() || !sumsImages(op) || sumsOwnChannels(op) ||
      op.getMasks().empty() || !op.getLhsPrologue().empty() ||
      !op.getRhsPrologue().empty())
    return;
  for (unsigned image : {0u, 1u}) {
    auto ranges = measure(op, windows, image);
    if (!ranges || !analysis::isMaskedOutside(op, image))
      continue;
    double elements = 1;
    for (const ReadRange &range : *ranges)
      elements *= range.count;
    if (elements > double(hints.product(op.getDomain().all())) / kMinReuseOnCPU)
      continue;
    OpOperand &operand = image == 0 ? op.getLhsMutable() : op.getRhsMutable();
    operand.set(copyPadded(op, image, *ranges));
    SmallVector<ExprAttr> indices;
    for (auto [index, range] : llvm::zip_equal(windows.indices[image], *ranges))
      indices.push_back(index + -range.first);
    ArrayAttr attribute = getExprArray(op.getContext(), indices);
    image == 0 ? op.setLhsIndicesAttr(attribute) : op.setRhsIndicesAttr(attribute);
    op.setMasksAttr(getExprArray(op.getContext(), {}));
    return;
  }
}
