//===- LibraryConvolution.cpp - Convolutions that a library has -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution has three tensors, of which a contraction multiplies two and
// gives the third. Which of them a dimension moves says what it is:
//
//   source, target          an image, or a place
//   source, weight          a channel, or a tap
//   target, weight          a filter
//   all of them             a group
//
// Places and taps are parts of one index of the source, `2 * place + tap - 1`.
// So the gradient of a weight, which sums up images and places, is read like
// the convolution, which sums up channels and taps.
//
//===----------------------------------------------------------------------===//

#include "LibraryCalls.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/Precision.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::ConvolutionImageAttr;
using loop::ConvolutionWeightAttr;
using loop::KernelOp;
using loop::LibraryConvolutionAttr;

/// Dimensions of windows that a library has.
static constexpr size_t kMostWindows = 3;
/// Strides, dilations and padding that a package may have.
static constexpr int64_t kMostSteps = 65536;

namespace {
/// A dimension of the domain; none where its extent is 1.
using Dim = std::optional<unsigned>;

/// What walks one dimension of the source.
struct Window {
  Dim place, tap;
  int64_t stride = 1, dilation = 1, padding = 0;
  ExprAttr input; ///< the source's size
  ExprAttr step;  ///< elements of the source

  /// False for places alone, each of which has an element of its own.
  bool isWindow() const { return tap || stride != 1 || padding != 0; }
};

class ConvolutionReader {
public:
  /// The source is operand `source`. Of a gradient the other one is the target
  /// and the result the weight.
  ConvolutionReader(KernelOp kernel, ContractOp op, const KernelLayout &layout,
                    unsigned source, bool isGradient);

  /// Null if the contraction is no such convolution.
  LibraryConvolutionAttr read();

private:
  enum Tensor : unsigned { Source, Target, Weight };

  bool sortDims();
  bool readIndex(unsigned position);
  bool readChannel(ExprAttr index, unsigned position);
  bool readWindow(ExprAttr index, unsigned position);
  bool chooseImages();
  bool fit(const Window &window) const;
  std::optional<bool> isChannelsLast() const;
  ConvolutionImageAttr getSource() const;
  ConvolutionImageAttr getTarget() const;

  bool moves(unsigned tensor, unsigned dim) const {
    return !steps[dim][tensor].isConstant(0);
  }
  bool isMoved(unsigned dim, bool source, bool target, bool weight) const {
    return moves(Source, dim) == source && moves(Target, dim) == target &&
           moves(Weight, dim) == weight;
  }
  ExprAttr number(int64_t value) const {
    return guard::getConstant(context, value);
  }
  ExprAttr extentOf(Dim dim) const { return dim ? extents[*dim] : number(1); }
  ExprAttr stepOf(unsigned tensor, Dim dim) const {
    return dim ? steps[*dim][tensor] : number(0);
  }
  bool areEqual(ExprAttr a, ExprAttr b) const {
    return guard::simplify(a - b, assumptions).isConstant(0);
  }
  /// What is left of an expression where all indices are 0.
  ExprAttr atZero(ExprAttr expr) const {
    return guard::substitute(
        expr, [&](ExprAttr leaf) { return leaf.isDim() ? number(0) : leaf; });
  }
  /// The dimensions that an index is made of; nothing if it is no sum of their
  /// multiples.
  std::optional<SmallVector<unsigned>> getDims(ExprAttr index) const;

  ContractOp op;
  MLIRContext *context;
  unsigned source;
  bool isGradient;
  SmallVector<ExprAttr> extents, sizes,
      strides; ///< the last two are the source's
  guard::Assumptions assumptions;
  int64_t pointers[3];
  ExprAttr addresses[3];
  SmallVector<std::array<ExprAttr, 3>> steps;

  Dim images, group, channel, filter;
  std::optional<unsigned> channelPosition; ///< among the source's indices
  ExprAttr sourceOffset;
  SmallVector<std::pair<unsigned, Window>> windows; ///< by positions
};
} // namespace

ConvolutionReader::ConvolutionReader(KernelOp kernel, ContractOp op,
                                     const KernelLayout &layout,
                                     unsigned source, bool isGradient)
    : op(op), context(op.getContext()), source(source), isGradient(isGradient),
      extents(op.getDomain().all()) {
  analysis::addExtents(assumptions, context, extents);
  const unsigned other = isGradient ? Target : Weight,
                 result = isGradient ? Weight : Target;
  Value operands[] = {op.getLhs(), op.getRhs()};
  if (auto dims =
          guard::getDims(cast<RankedTensorType>(operands[source].getType())))
    sizes = std::move(*dims);
  strides = layout.lookup(operands[source]);
  pointers[Source] = pointerOf(operands[source]);
  pointers[other] = pointerOf(operands[1 - source]);
  pointers[result] = kernel.getInputs().size();
  ArrayAttr indices[] = {op.getLhsIndices(), op.getRhsIndices()};
  addresses[Source] = analysis::linearize(
      context, loop::getExprs(indices[source]), strides, assumptions);
  addresses[other] =
      analysis::linearize(context, loop::getExprs(indices[1 - source]),
                          layout.lookup(operands[1 - source]), assumptions);
  addresses[result] = analysis::linearize(
      context, loop::getIdentityMap(context, op.getDomain().parallel.size()),
      getStoredStrides(op.getResult()), assumptions);
}

/// Finds what dimensions do that are known by the tensors alone. Each of more
/// than one element moves two tensors or all.
bool ConvolutionReader::sortDims() {
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    std::array<ExprAttr, 3> own = {number(0), number(0), number(0)};
    if (extents[dim].isConstant(1)) {
      steps.push_back(own);
      continue;
    }
    for (unsigned k : {Source, Target, Weight}) {
      auto step =
          guard::getCoefficient(addresses[k], guard::getDim(context, dim));
      // A result is walked forward, whatever its sizes are.
      const bool isResult = k == unsigned(isGradient ? Weight : Target);
      if (!step || guard::hasDims(*step) ||
          (!isResult && !guard::isKnownNonNegative(*step, assumptions)))
        return false;
      own[k] = *step;
    }
    steps.push_back(own);
    if (moves(Source, dim) + moves(Target, dim) + moves(Weight, dim) < 2)
      return false;
    bool isFilter = isMoved(dim, false, true, true);
    if (!isFilter && !isMoved(dim, true, true, true))
      continue;
    Dim &known = isFilter ? filter : group;
    if (known)
      return false;
    known = dim;
  }
  return true;
}

std::optional<SmallVector<unsigned>>
ConvolutionReader::getDims(ExprAttr index) const {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    auto factor = guard::getCoefficient(index, guard::getDim(context, dim));
    if (!factor || guard::hasDims(*factor))
      return std::nullopt;
    if (!factor->isConstant(0))
      dims.push_back(dim);
  }
  return dims;
}

/// All channels of all groups: group * channels + channel.
bool ConvolutionReader::readChannel(ExprAttr index, unsigned position) {
  ExprAttr walked = number(0);
  if (channel)
    walked = walked + guard::getDim(context, *channel);
  if (group)
    walked = walked + guard::getDim(context, *group) * extentOf(channel);
  if (channelPosition || index != walked ||
      !areEqual(sizes[position], extentOf(group) * extentOf(channel)))
    return false;
  channelPosition = position;
  return true;
}

/// place * stride + tap * dilation - padding.
bool ConvolutionReader::readWindow(ExprAttr index, unsigned position) {
  Window window;
  window.input = sizes[position];
  window.step = strides[position];
  auto dims = getDims(index);
  auto padding = (number(0) - atZero(index)).getConstant();
  if (!dims || !padding || *padding < 0 || *padding > kMostSteps)
    return false;
  window.padding = *padding;
  for (unsigned dim : *dims) {
    bool isPlace = isMoved(dim, true, true, false);
    Dim &known = isPlace ? window.place : window.tap;
    auto factor = guard::getCoefficient(index, guard::getDim(context, dim))
                      ->getConstant();
    if ((!isPlace && !isMoved(dim, true, false, true)) || known || !factor ||
        *factor < 1 || *factor > kMostSteps)
      return false;
    known = dim;
    (isPlace ? window.stride : window.dilation) = *factor;
  }
  windows.emplace_back(position, window);
  return true;
}

/// Reads an index of the source, whose dimensions of one element are 0.
bool ConvolutionReader::readIndex(unsigned position) {
  ExprAttr index = guard::dropUnitDims(
      loop::getExprs(source == 0 ? op.getLhsIndices()
                                 : op.getRhsIndices())[position],
      extents);
  auto dims = getDims(index);
  if (!dims)
    return false;
  if (dims->empty()) {
    sourceOffset = sourceOffset + index * strides[position];
    return true;
  }
  if (group && llvm::is_contained(*dims, *group)) {
    for (unsigned dim : *dims)
      if (isMoved(dim, true, false, true))
        channel = dim;
    return readChannel(index, position);
  }
  // A channel that is walked one by one, as a tap of a window without places
  // may be.
  if (!group && dims->size() == 1 &&
      isMoved(dims->front(), true, false, true) &&
      index == guard::getDim(context, dims->front()) && !channel &&
      areEqual(sizes[position], extents[dims->front()])) {
    channel = dims->front();
    return readChannel(index, position);
  }
  return readWindow(index, position);
}

/// Makes images of the first places that have an element each, which is a
/// dimension without windows as well. What is left are windows, of which one is
/// more than that.
bool ConvolutionReader::chooseImages() {
  auto *first = llvm::find_if(windows, [&](const auto &each) {
    const Window &window = each.second;
    return !window.isWindow() && areEqual(window.input, extentOf(window.place));
  });
  if (first != windows.end()) {
    images = first->second.place;
    windows.erase(first);
  }
  return windows.size() <= kMostWindows &&
         llvm::any_of(windows,
                      [](const auto &each) { return each.second.isWindow(); });
}

/// True if a library that pads both sides alike finds as many places as there
/// are. A window with more taps than places is one with its places for taps, in
/// the gradient of a weight.
bool ConvolutionReader::fit(const Window &window) const {
  ExprAttr taps = extentOf(window.tap), places = extentOf(window.place);
  ExprAttr last =
      window.input - (taps + -1) * window.dilation + (2 * window.padding - 1);
  auto tapCount = taps.getConstant(), placeCount = places.getConstant();
  return areEqual(guard::floorDiv(last, window.stride) + 1, places) &&
         !(tapCount && placeCount && *tapCount > *placeCount);
}

/// In which order a dense weight lies; nothing if it is none.
std::optional<bool> ConvolutionReader::isChannelsLast() const {
  auto isDense = [&](bool last) {
    ExprAttr step = number(1);
    bool fits = true;
    auto walk = [&](Dim dim) {
      fits &= !dim || areEqual(steps[*dim][Weight], step);
      step = step * extentOf(dim);
    };
    if (last)
      walk(channel);
    for (const auto &[position, window] : llvm::reverse(windows))
      walk(window.tap);
    if (!last)
      walk(channel);
    walk(filter);
    walk(group);
    return fits;
  };
  // Where it may be either, it is as the image.
  bool wanted = !channelPosition || strides[*channelPosition].isConstant(1);
  for (bool last : {wanted, !wanted})
    if (isDense(last))
      return last;
  return std::nullopt;
}

ConvolutionImageAttr ConvolutionReader::getSource() const {
  SmallVector<Attribute> places;
  for (const auto &[position, window] : windows)
    places.push_back(window.step);
  return ConvolutionImageAttr::get(
      context, pointers[Source], sourceOffset, stepOf(Source, images),
      channelPosition ? strides[*channelPosition] : number(1),
      ArrayAttr::get(context, places));
}

/// Null if the filters of all groups are not one dimension of it.
ConvolutionImageAttr ConvolutionReader::getTarget() const {
  SmallVector<Attribute> places;
  for (const auto &[position, window] : windows)
    places.push_back(stepOf(Target, window.place));
  if (group && filter &&
      !areEqual(steps[*group][Target],
                steps[*filter][Target] * extents[*filter]))
    return {};
  return ConvolutionImageAttr::get(
      context, pointers[Target], atZero(addresses[Target]),
      stepOf(Target, images), stepOf(Target, filter ? filter : group),
      ArrayAttr::get(context, places));
}

LibraryConvolutionAttr ConvolutionReader::read() {
  sourceOffset = number(0);
  if (sizes.size() != strides.size() || !isMaskedOutside(op, source) ||
      !sortDims())
    return {};
  for (unsigned position = 0; position < sizes.size(); ++position)
    if (!readIndex(position))
      return {};
  if (!chooseImages())
    return {};
  // Each dimension walks one index.
  SmallVector<Dim> walked = {images, group, channel, filter};
  for (const auto &[position, window] : windows) {
    if (!fit(window))
      return {};
    walked.append({window.place, window.tap});
  }
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (!extents[dim].isConstant(1) && llvm::count(walked, Dim(dim)) != 1)
      return {};
  auto isLast = isChannelsLast();
  ConvolutionImageAttr target = getTarget();
  if (!isLast || !target)
    return {};
  SmallVector<Attribute> inputs, outputs, taps;
  SmallVector<int64_t> steps, dilations, padding;
  for (const auto &[position, window] : windows) {
    inputs.push_back(window.input);
    outputs.push_back(extentOf(window.place));
    taps.push_back(extentOf(window.tap));
    steps.push_back(window.stride);
    dilations.push_back(window.dilation);
    padding.push_back(window.padding);
  }
  Type element = getElement(op.getResult());
  Builder builder(context);
  return LibraryConvolutionAttr::get(
      context, element, extentOf(images), extentOf(group), extentOf(channel),
      extentOf(filter), builder.getArrayAttr(inputs),
      builder.getArrayAttr(outputs), builder.getArrayAttr(taps),
      builder.getDenseI64ArrayAttr(steps),
      builder.getDenseI64ArrayAttr(dilations),
      builder.getDenseI64ArrayAttr(padding), getSource(), target,
      ConvolutionWeightAttr::get(context, pointers[Weight],
                                 atZero(addresses[Weight]), *isLast),
      isGradient, element.isF32() && loop::permitsTf32(op));
}

LibraryConvolutionAttr
analysis::getLibraryConvolution(KernelOp kernel, const KernelStrides &strides) {
  ContractOp op = getPlainContraction(kernel);
  std::optional<loop::LoadOp> added;
  if (op)
    added = getAdded(op);
  // A bias is not documented to be added before the sum is rounded.
  if (!added || *added)
    return {};
  Type element = getElement(op.getResult());
  if (!isFactor(element) || getElement(op.getLhs()) != element ||
      getElement(op.getRhs()) != element)
    return {};
  KernelLayout layout = getLayout(kernel, strides);
  for (bool isGradient : {false, true})
    for (unsigned source : {0u, 1u})
      if (auto found =
              ConvolutionReader(kernel, op, layout, source, isGradient).read())
        return found;
  return {};
}
