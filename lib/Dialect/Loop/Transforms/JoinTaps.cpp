//===- JoinTaps.cpp - Few channels with the taps of a window's rows -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image of three colours has no eight neighbours that a place of a window is
// made of. With its channels last, in twos or fours, a whole row of the window
// is neighbours, and with zeros around it none is masked:
//
//   x[n, c, 2 h + i - 3, 2 w + j - 3], c < 3, j < 7
//   p[n, 2 h + i, 8 w + r],            r = 4 j + c < 32
//
// In the gradient of a weight r is a dimension of the result; in a convolution
// the sum is over r, where what is behind the 28 elements of a row is masked.
//
// A processor reads such rows in place (`#loop.packed` with `in_place`), where padding leaves
// no part of one out and a row is whole words: with three channels 21 elements of f32, 28 of
// bf16. It packs the operands of a weight's gradient, which stays.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ImageWindows.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
#include "kiln/Support/Remarks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

class JoinedTaps {
public:
  JoinedTaps(ContractOp op, const analysis::SizeHints &hints)
      : op(op), context(op.getContext()), windows(op), hints(hints),
        extents(op.getDomain().all()), onCPU(!getGPUTarget(op)),
        hasWarpgroups(!onCPU && getGPUTarget(op).hasWarpgroups()) {
    analysis::addExtents(assumptions, context, extents);
  }

  /// False if there are no such windows, or not enough is read of them.
  bool find();
  void rewrite();

private:
  /// Reports why taps and channels stay apart; false.
  bool refuse(StringRef why);
  bool multipliesJoined();
  bool findOn(unsigned side);
  bool findTap();
  int64_t fillChannels(int64_t step) const;
  int64_t getFactorsTogether() const;
  bool hasRows();
  bool measurePlaces();
  bool readsAsTaps(ArrayRef<ExprAttr> indices);
  bool isInSum() { return channel >= op.getDomain().parallel.size(); }
  ExprAttr constant(int64_t value) {
    return guard::getConstant(context, value);
  }
  RankedTensorType typeOf(unsigned side) {
    return cast<RankedTensorType>(
        (side == 0 ? op.getLhs() : op.getRhs()).getType());
  }
  Value copyImage();
  Value copyWeight(SmallVectorImpl<ExprAttr> &indices);
  void copyBack(ContractOp made);

  ContractOp op;
  MLIRContext *context;
  Windows windows;
  const analysis::SizeHints &hints;
  SmallVector<ExprAttr> extents;
  guard::Assumptions assumptions;
  bool onCPU, hasWarpgroups;

  unsigned image = 0;                      ///< which operand
  unsigned channel = 0, tap = 0, step = 0; ///< dimensions of the domain
  unsigned channelPlace = 0, tapPlace = 0; ///< of the image
  int64_t channels = 0, taps = 0, stride = 0;
  int64_t filled = 0; ///< channels in the copy
  int64_t row = 0;    ///< elements of a row of the window
  /// Of each dimension of the image: the least index, and how many there are.
  /// Nothing where it stays as it is.
  SmallVector<std::optional<std::pair<int64_t, int64_t>>> places;
  SmallVector<ExprAttr> names; ///< of the old dimensions
};

} // namespace

/// The dimensions that an index depends on.
static SmallVector<unsigned> getDimsOf(ExprAttr index) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0, end = guard::getNumDims(index); dim < end; ++dim)
    if (mentions(index, dim))
      dims.push_back(dim);
  return dims;
}

/// Factors that a processor multiplies together.
int64_t JoinedTaps::getFactorsTogether() const {
  return analysis::hasFactorsOfBF16(op)
             ? getFactorsOfWord(getTarget(op).getBf16())
             : 1;
}

/// Channels of the copy: with them a window begins, at each step, where something is copied
/// at once; on a processor, which reads anywhere, rows of the window are words.
int64_t JoinedTaps::fillChannels(int64_t step) const {
  int64_t filled = channels;
  if (onCPU) {
    while (taps * filled % getFactorsTogether() != 0)
      ++filled;
    return filled;
  }
  filled = llvm::PowerOf2Ceil(filled);
  while (filled < kMinChannels && step * filled % kMinChannels != 0)
    filled *= 2;
  return filled;
}

/// The last dimension of an image along which taps of a window follow each
/// other, and windows at steps with which some number of channels fills what is
/// copied at once.
bool JoinedTaps::findTap() {
  ArrayRef<ExprAttr> indices = windows.indices[image];
  unsigned parallel = op.getDomain().parallel.size();
  for (unsigned place = indices.size(); place-- > 0;) {
    SmallVector<unsigned> dims = getDimsOf(indices[place]);
    if (place == channelPlace || dims.size() != 2)
      continue;
    for (unsigned k = 0; k < 2; ++k) {
      auto size = extents[dims[k]].getConstant();
      auto one = guard::getCoefficient(indices[place],
                                       guard::getDim(context, dims[k]));
      auto by = guard::getCoefficient(indices[place],
                                      guard::getDim(context, dims[1 - k]));
      auto steps = by ? by->getConstant() : std::nullopt;
      bool isAlone = llvm::all_of(llvm::enumerate(indices), [&](auto other) {
        return other.index() == place || !mentions(other.value(), dims[k]);
      });
      if (!size || *size < 2 || !one || !one->isConstant(1) || !steps ||
          *steps < 1 || !isAlone || (dims[k] >= parallel) != isInSum() ||
          !extents[dims[1 - k]].getConstant())
        continue;
      tapPlace = place;
      tap = dims[k];
      step = dims[1 - k];
      taps = *size;
      stride = *steps;
      filled = fillChannels(stride);
      row = onCPU ? taps * filled : llvm::alignTo(taps * filled, kMinChannels);
      return true;
    }
  }
  return false;
}

/// Finds out how far each dimension of the image is read.
bool JoinedTaps::measurePlaces() {
  auto sizes = guard::getDims(typeOf(image));
  if (!sizes)
    return false;
  places.assign(sizes->size(), std::nullopt);
  for (auto [place, index] : llvm::enumerate(windows.indices[image])) {
    if (place == channelPlace ||
        (index.isDim() && extents[index.getPosition()] == (*sizes)[place]))
      continue;
    guard::Interval range = guard::getRange(index, assumptions);
    if (range.min == guard::Interval::kMin ||
        range.max == guard::Interval::kMax || !(*sizes)[place].getConstant())
      return false;
    int64_t count = range.max - range.min + 1;
    if (place == tapPlace) {
      count += llvm::divideCeil(row, filled) - taps;
      if (!onCPU)
        count = llvm::alignTo(count, std::max<int64_t>(kMinChannels / filled, 1));
    }
    places[place] = {range.min, count};
  }
  return places[tapPlace].has_value();
}

/// True if an operand reads channels and taps as dimensions of their own, or
/// neither where they are not summed up.
bool JoinedTaps::readsAsTaps(ArrayRef<ExprAttr> indices) {
  for (unsigned dim : {channel, tap}) {
    unsigned found = 0;
    for (ExprAttr index : indices)
      if (mentions(index, dim)) {
        if (!index.isDim())
          return false;
        ++found;
      }
    if (found != (isInSum() ? 1 : 0))
      return false;
  }
  return true;
}

bool JoinedTaps::findOn(unsigned side) {
  image = side;
  auto sizes = guard::getDims(typeOf(side));
  if (!sizes)
    return false;
  for (auto [place, index] : llvm::enumerate(windows.indices[side])) {
    auto size = (*sizes)[place].getConstant();
    unsigned dim = index.isDim() ? index.getPosition() : 0;
    if (!index.isDim() || !size || *size < 2 || *size >= kMinChannels ||
        extents[index.getPosition()] != (*sizes)[place] ||
        windows.isWalked(index) ||
        llvm::count_if(windows.indices[side], [&](ExprAttr other) {
          return mentions(other, dim);
        }) != 1)
      continue;
    channel = index.getPosition();
    channelPlace = place;
    channels = *size;
    // A sum over eight channels in the copy is none the shorter. What is behind the row
    // of a window may be no number, which zeros do not take out of a sum: it is masked,
    // which those who copy for warpgroups take.
    if (findTap() &&
        (!isInSum() ||
         (filled < kMinChannels && (row == taps * filled || hasWarpgroups))) &&
        readsAsTaps(windows.indices[1 - side]) &&
        analysis::isMaskedOutside(op, image) && measurePlaces())
      return true;
  }
  return false;
}

/// True if a processor finds the taps of a row, or these and the channels, as neighbours that
/// no padding parts: patches have such rows as they are.
bool JoinedTaps::hasRows() {
  SmallVector<ExprAttr> masks = getExprs(op.getMasks());
  auto along = getNeighbours(op, image);
  if (!onCPU || !along || !(masks.empty() || masks[image].isConstant(1)))
    return false;
  unsigned dim = op.getDomain().parallel.size() + *along;
  int64_t elements = taps;
  if (dim == channel) {
    elements *= channels;
    for (unsigned side = 0; side < 2; ++side) {
      auto inner = getStep(op, side, channel), outer = getStep(op, side, tap);
      if (!inner || !outer || *outer != *inner * constant(channels))
        return false;
    }
  } else if (dim != tap) {
    return false;
  }
  return elements >= kMinChannels && elements % getFactorsTogether() == 0;
}

/// True if factors are multiplied as they lie in the copy, and zeros around an image are
/// zeros of the product.
bool JoinedTaps::multipliesJoined() {
  Type factor = analysis::getFactorType(op);
  if (!factor || !op.getLhsPrologue().empty() || !op.getRhsPrologue().empty())
    return false;
  if (onCPU)
    return multipliesInOrder(op);
  return multipliesOnUnits(op) && !factor.isF32() && op.getEpilogue().empty();
}

bool JoinedTaps::find() {
  // A processor packs what the gradient of a weight sums up, whose images are no channels.
  if (windows.empty() || !multipliesJoined() || (onCPU && sumsImages(op)) ||
      !(findOn(0) || findOn(1)) || (onCPU && !isInSum()) || hasRows())
    return false;
  double elements = 1;
  auto sizes = *guard::getDims(typeOf(image));
  for (auto [place, range] : llvm::enumerate(places))
    elements *= place == channelPlace ? filled
                : range               ? range->second
                                      : hints.evaluate(sizes[place]);
  // Rows of a window that are filled up may not be most of what is summed up.
  if (row > 2 * kMinChannels + 2 * taps * channels)
    return refuse("most of a row would be zeros");
  int64_t reuse = onCPU ? kMinReuseOnCPU : kMinReuse;
  return elements <= double(hints.product(extents)) / reuse ||
         refuse("too few products read an element of the copy");
}

bool JoinedTaps::refuse(StringRef why) {
  tellMissed(op, remarks::kTapsApart, why);
  return false;
}

Value JoinedTaps::copyImage() {
  auto old = *guard::getDims(typeOf(image));
  SmallVector<ExprAttr> sizes, map(old.size());
  SmallVector<Bound> bounds;
  for (unsigned place = 0; place < old.size(); ++place) {
    if (place == channelPlace || place == tapPlace)
      continue;
    ExprAttr index = guard::getDim(context, sizes.size());
    auto range = places[place];
    sizes.push_back(range ? constant(range->second) : old[place]);
    map[place] = range ? index + range->first : index;
    if (range && (range->first < 0 ||
                  range->first + range->second > *old[place].getConstant()))
      bounds.push_back({map[place], *old[place].getConstant()});
  }
  ExprAttr last = guard::getDim(context, sizes.size());
  auto [first, count] = *places[tapPlace];
  sizes.push_back(constant(count * filled));
  map[tapPlace] = guard::floorDiv(last, filled) + first;
  map[channelPlace] = guard::mod(last, filled);
  int64_t size = *old[tapPlace].getConstant();
  // Of elements, which are neighbours, and not of the places that they are divided into.
  if (first < 0 || first + count > size)
    bounds.push_back({last + first * filled, size * filled});
  if (filled > channels)
    bounds.push_back({map[channelPlace], channels});
  return copyWithin(op, image, sizes, map, bounds);
}

/// The other factor of a sum over channels and taps. `indices` become those of
/// the copy.
Value JoinedTaps::copyWeight(SmallVectorImpl<ExprAttr> &indices) {
  unsigned side = 1 - image;
  auto old = *guard::getDims(typeOf(side));
  SmallVector<ExprAttr> sizes, map(old.size()),
      before(indices.begin(), indices.end());
  indices.clear();
  ExprAttr last = guard::getDim(context, old.size() - 2);
  for (auto [place, index] : llvm::enumerate(before)) {
    if (mentions(index, channel)) {
      map[place] = guard::mod(last, filled);
    } else if (mentions(index, tap)) {
      map[place] = guard::floorDiv(last, filled);
    } else {
      map[place] = guard::getDim(context, sizes.size());
      sizes.push_back(old[place]);
      indices.push_back(guard::substituteDims(index, names));
    }
  }
  sizes.push_back(constant(row));
  indices.push_back(names[channel]);
  SmallVector<Bound> bounds;
  if (filled > channels)
    bounds.push_back({guard::mod(last, filled), channels});
  if (row > taps * filled)
    bounds.push_back({last, taps * filled});
  return copyWithin(op, side, sizes, map, bounds);
}

/// The result with channels and taps apart again.
void JoinedTaps::copyBack(ContractOp made) {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel, map;
  for (unsigned dim = 0; dim < parallel.size(); ++dim)
    if (dim != channel && dim != tap)
      map.push_back(guard::getDim(context, dim));
  map.push_back(guard::getDim(context, tap) * filled +
                guard::getDim(context, channel));
  OpBuilder builder(op);
  auto apart = PointwiseOp::create(
      builder, op.getLoc(), cast<RankedTensorType>(op.getResult().getType()),
      parallel, op.getOriginsAttr());
  Block &body = apart.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value element = LoadOp::create(builder, op.getLoc(), made.getResult(),
                                 body.getArguments(), map, Value(), Value());
  YieldOp::create(builder, op.getLoc(), element);
  op.getResult().replaceAllUsesWith(apart.getResult());
}

void JoinedTaps::rewrite() {
  Domain domain = op.getDomain();
  SmallVector<ExprAttr> parallel, reduction;
  names.assign(extents.size(), ExprAttr());
  // The row of a window is the last of the dimensions that it is made of.
  auto take = [&](unsigned begin, unsigned end, bool hasRow,
                  SmallVectorImpl<ExprAttr> &list) {
    for (unsigned dim = begin; dim < end; ++dim)
      if (dim != channel && dim != tap) {
        names[dim] = guard::getDim(context, parallel.size() + reduction.size());
        list.push_back(extents[dim]);
      }
    if (!hasRow)
      return;
    names[channel] = names[tap] =
        guard::getDim(context, parallel.size() + reduction.size());
    list.push_back(constant(row));
  };
  take(0, domain.parallel.size(), !isInSum(), parallel);
  take(domain.parallel.size(), extents.size(), isInSum(), reduction);

  SmallVector<ExprAttr> indices[2];
  for (auto [place, index] : llvm::enumerate(windows.indices[image]))
    if (place != channelPlace && place != tapPlace)
      indices[image].push_back(guard::substituteDims(index, names) +
                               (places[place] ? -places[place]->first : 0));
  indices[image].push_back(names[step] * (stride * filled) + names[tap]);
  Value operands[2];
  operands[image] = copyImage();
  SmallVector<ExprAttr> &others = indices[1 - image];
  others = windows.indices[1 - image];
  if (isInSum()) {
    operands[1 - image] = copyWeight(others);
  } else {
    operands[1 - image] = image == 0 ? op.getRhs() : op.getLhs();
    for (ExprAttr &index : others)
      index = guard::substituteDims(index, names);
  }
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!isInSum())
    type = guard::makeTensorType(type.getElementType(), parallel);
  auto made = ContractOp::create(
      builder, op.getLoc(), type, operands[0], operands[1], parallel, reduction,
      indices[0], indices[1], op.getAccType(), op.getOriginsAttr());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (isInSum()) {
    if (row > taps * filled) {
      ExprAttr masks[2] = {constant(1), constant(1)};
      masks[image] = guard::lt(names[tap], constant(taps * filled));
      made.setMasksAttr(getExprArray(context, masks));
    }
    made.getEpilogue().takeBody(op.getEpilogue());
    op.getResult().replaceAllUsesWith(made.getResult());
  } else {
    copyBack(made);
  }
  op.erase();
}

bool OperandCopies::joinTaps(ContractOp op) {
  if (!JoinedTaps(op, hints).find())
    return false;
  // The other factor has channels as before.
  relay(op);
  JoinedTaps joined(op, hints);
  if (!joined.find())
    return false;
  joined.rewrite();
  return true;
}
