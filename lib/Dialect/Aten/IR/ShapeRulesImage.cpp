//===- ShapeRulesImage.cpp - Pooling, resizing, padding, sampling --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;

/// Results of the same sizes: the first promoted, a second of i64.
static LogicalResult addWithIndices(Inference &infer, ArrayRef<ExprAttr> dims) {
  if (failed(infer.addPromoted(dims)))
    return failure();
  if (infer.info.results.size() > 1)
    infer.addResult(dims, getI64(infer));
  return success();
}

static unsigned getListSize(Inference &infer, StringRef name) {
  return infer.info.args[infer.info.getArgIndex(name)].listSize;
}

/// An argument of `count` integers; one stands for all, none for `byDefault`.
static FailureOr<SmallVector<int64_t>>
getWindow(Inference &infer, StringRef name, size_t count, int64_t lowest,
          ArrayRef<int64_t> byDefault) {
  SmallVector<int64_t> values =
      infer.getInts(name).value_or(SmallVector<int64_t>());
  if (values.empty() && byDefault.size() == count)
    return SmallVector<int64_t>(byDefault);
  if (values.size() == 1)
    values.assign(count, int64_t(values.front()));
  if (values.size() != count)
    return infer.fail("expects " + Twine(count) + " entries of '" + name +
                      "', but found " + Twine(values.size()));
  for (int64_t value : values)
    if (value < lowest || value > INT32_MAX)
      return infer.fail("expects entries of '" + name + "' from " +
                        Twine(lowest) + " to 2^31 - 1, but found " +
                        Twine(value));
  return values;
}

/// Sizes of `name` with `spatial` dimensions at the end and one or two before.
static FailureOr<Dims> getImageDims(Inference &infer, StringRef name,
                                    size_t spatial) {
  FailureOr<Dims> dims = infer.getDims(name);
  if (failed(dims))
    return failure();
  if (dims->size() == spatial + 1 || dims->size() == spatial + 2)
    return dims;
  return infer.fail("expects '" + name + "' of rank " + Twine(spatial + 1) +
                    " or " + Twine(spatial + 2) + ", but found rank " +
                    Twine(dims->size()));
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// One of PyTorch's kernels does not count the padding.
static LogicalResult inferPool(Inference &infer, bool countsPadding) {
  size_t spatial = getListSize(infer, "kernel_size");
  FailureOr<Dims> dims = getImageDims(infer, "self", spatial);
  if (failed(dims))
    return failure();
  auto kernel = getWindow(infer, "kernel_size", spatial, 1, {});
  if (failed(kernel))
    return failure();
  auto stride = getWindow(infer, "stride", spatial, 1, *kernel);
  auto padding = getWindow(infer, "padding", spatial, 0, {});
  auto dilation = getWindow(infer, "dilation", spatial, 1,
                            SmallVector<int64_t>(spatial, 1));
  if (failed(stride) || failed(padding) || failed(dilation))
    return failure();
  for (size_t i = 0; i < spatial; ++i) {
    ExprAttr &dim = (*dims)[dims->size() - spatial + i];
    int64_t pad = (*padding)[i], step = (*stride)[i];
    if (pad > (*kernel)[i] / 2)
      return infer.fail("expects a padding of at most half the kernel, but "
                        "found " + Twine(pad) + " for " +
                        Twine((*kernel)[i]));
    int64_t window = (*dilation)[i] * ((*kernel)[i] - 1) + 1;
    if (!countsPadding && !infer.isAtLeast(dim, window))
      return infer.fail("has a window larger than its input");
    ExprAttr space = dim + (2 * pad - window);
    if (!infer.isAtLeast(space, infer.getBool("ceil_mode") ? 1 - step : 0))
      return infer.fail("has a window larger than its padded input");
    if (!infer.getBool("ceil_mode")) {
      dim = guard::floorDiv(space, step) + 1;
      continue;
    }
    // The last window must begin inside of the input or its left padding.
    ExprAttr lastBegin = guard::floorDiv(dim + (pad - 1), step);
    dim = guard::min(guard::ceilDiv(space, step), lastBegin) + 1;
  }
  return addWithIndices(infer, *dims);
}

LogicalResult rules::pool(Inference &infer) {
  return inferPool(infer, /*countsPadding=*/true);
}

LogicalResult rules::averagePool3d(Inference &infer) {
  return inferPool(infer, /*countsPadding=*/false);
}

LogicalResult rules::adaptivePool(Inference &infer, AdaptivePool kind) {
  size_t spatial = getListSize(infer, "output_size");
  FailureOr<Dims> dims = getImageDims(infer, "self", spatial);
  if (failed(dims))
    return failure();
  Dims sizes;
  if (auto exprs = infer.getExprs("output_size"))
    sizes = *exprs;
  else if (auto integers = infer.getInts("output_size"))
    for (int64_t size : *integers)
      sizes.push_back(infer.constant(size));
  if (sizes.size() == 1)
    sizes.assign(spatial, Dims(sizes).front());
  if (sizes.size() != spatial)
    return infer.fail("expects " + Twine(spatial) +
                      " entries of 'output_size', but found " +
                      Twine(sizes.size()));
  for (ExprAttr size : sizes)
    if (!infer.isAtLeast(size, 0))
      return infer.fail("expects sizes that are not negative, but found " +
                        size.str());
  // A maximum or an average of volumes may have no batch, another average no
  // planes; a mean over everything may have no elements.
  bool isMean = kind == AdaptivePool::AverageOrMean &&
                llvm::all_of(sizes, [&](ExprAttr size) {
                  return size.isConstant(1);
                });
  size_t first = kind == AdaptivePool::Maximum || spatial == 3
                     ? 1
                     : dims->size() - spatial;
  for (ExprAttr dim : ArrayRef(*dims).drop_front(first))
    if (!isMean && dim.isConstant(0))
      return infer.fail("expects elements to choose from or to average, but "
                        "found a size of 0");
  std::copy(sizes.begin(), sizes.end(), dims->end() - spatial);
  return addWithIndices(infer, *dims);
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

LogicalResult rules::upsample(Inference &infer, size_t spatial) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims))
    return failure();
  if (dims->size() != spatial + 2)
    return infer.fail("expects 'input' of rank " + Twine(spatial + 2) +
                      ", but found rank " + Twine(dims->size()));
  std::optional<Dims> sizes = infer.getExprs("output_size");
  auto factors = llvm::dyn_cast_if_present<mlir::DenseF64ArrayAttr>(
      infer.get("scale_factors").getAttribute());
  if (sizes.has_value() == !!factors)
    return infer.fail("expects either 'output_size' or 'scale_factors'");
  if (sizes ? sizes->size() != spatial : size_t(factors.size()) != spatial)
    return infer.fail("expects " + Twine(spatial) + " sizes or factors");
  for (size_t i = 0; i < spatial; ++i) {
    ExprAttr &dim = (*dims)[2 + i];
    if (sizes) {
      dim = (*sizes)[i];
      continue;
    }
    double factor = factors[i];
    if (!(factor > 0) || factor > double(INT32_MAX))
      return infer.fail("expects factors above 0 and below 2^31");
    // floor(size * factor), exactly if the factor is whole.
    if (factor == double(int64_t(factor))) {
      dim = dim * int64_t(factor);
      continue;
    }
    ExprAttr scaled = guard::mul(guard::toFloat(dim),
                                 guard::getFloat(infer.context, factor));
    dim = guard::build(guard::ExprKind::Floor, {scaled});
  }
  return infer.addPromoted(*dims);
}

LogicalResult rules::upsampleTo(Inference &infer) {
  Dims sizes = *infer.getExprs("output_size");
  FailureOr<Dims> dims = infer.getDimsOfRank("self", sizes.size() + 2);
  if (failed(dims))
    return failure();
  std::copy(sizes.begin(), sizes.end(), dims->begin() + 2);
  return infer.addPromoted(*dims);
}

LogicalResult rules::pixelShuffle(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->size() < 3)
    return infer.fail("expects a rank of 3 or more, but found " +
                      Twine(dims->size()));
  bool isUp = infer.has("upscale_factor");
  int64_t factor =
      *infer.getInt(isUp ? "upscale_factor" : "downscale_factor");
  if (factor < 1 || factor > INT16_MAX)
    return infer.fail("expects a factor from 1 to " + Twine(INT16_MAX) +
                      ", but found " + Twine(factor));
  size_t rank = dims->size();
  ExprAttr &channels = (*dims)[rank - 3], &height = (*dims)[rank - 2],
           &width = (*dims)[rank - 1];
  auto divides = [&](ExprAttr size, int64_t by) {
    return infer.divides(by, size);
  };
  if (isUp) {
    if (!divides(channels, factor * factor))
      return infer.fail("expects channels in multiples of " +
                        Twine(factor * factor) + ", but found " +
                        channels.str());
    channels = guard::floorDiv(channels, factor * factor);
    height = height * factor;
    width = width * factor;
  } else {
    if (!divides(height, factor) || !divides(width, factor))
      return infer.fail("expects sizes in multiples of " + Twine(factor) +
                        ", but found " + height.str() + " and " +
                        width.str());
    channels = channels * (factor * factor);
    height = guard::floorDiv(height, factor);
    width = guard::floorDiv(width, factor);
  }
  return infer.addPromoted(*dims);
}

//===----------------------------------------------------------------------===//
// Windows as columns
//===----------------------------------------------------------------------===//

/// The number of windows of an image of `height` by `width`.
static FailureOr<ExprAttr> countWindows(Inference &infer, ExprAttr height,
                                        ExprAttr width,
                                        ArrayRef<int64_t> kernel) {
  auto dilation = getWindow(infer, "dilation", 2, 1, {});
  auto padding = getWindow(infer, "padding", 2, 0, {});
  auto stride = getWindow(infer, "stride", 2, 1, {});
  if (failed(dilation) || failed(padding) || failed(stride))
    return failure();
  ExprAttr sizes[] = {height, width};
  ExprAttr count = infer.constant(1);
  for (int i = 0; i < 2; ++i) {
    int64_t window = (*dilation)[i] * (kernel[i] - 1) + 1;
    ExprAttr steps =
        guard::floorDiv(sizes[i] + (2 * (*padding)[i] - window),
                        (*stride)[i]) + 1;
    if (!infer.isAtLeast(steps, 1))
      return infer.fail("has a window larger than its padded image");
    count = count * steps;
  }
  return count;
}

LogicalResult rules::im2col(Inference &infer) {
  FailureOr<Dims> dims = getImageDims(infer, "self", 2);
  auto kernel = getWindow(infer, "kernel_size", 2, 1, {});
  if (failed(dims) || failed(kernel))
    return failure();
  ExprAttr width = dims->pop_back_val(), height = dims->pop_back_val();
  FailureOr<ExprAttr> count = countWindows(infer, height, width, *kernel);
  if (failed(count))
    return failure();
  dims->back() = dims->back() * ((*kernel)[0] * (*kernel)[1]);
  dims->push_back(*count);
  return infer.addPromoted(*dims);
}

LogicalResult rules::col2im(Inference &infer) {
  FailureOr<Dims> dims = getImageDims(infer, "self", 1);
  auto kernel = getWindow(infer, "kernel_size", 2, 1, {});
  if (failed(dims) || failed(kernel))
    return failure();
  Dims sizes = *infer.getExprs("output_size");
  if (sizes.size() != 2)
    return infer.fail("expects two output sizes");
  ExprAttr columns = dims->pop_back_val();
  FailureOr<ExprAttr> count = countWindows(infer, sizes[0], sizes[1], *kernel);
  if (failed(count))
    return failure();
  int64_t area = (*kernel)[0] * (*kernel)[1];
  if (infer.differ(columns, *count))
    return infer.fail("expects " + Twine(count->str()) +
                      " columns, but found " + columns.str());
  if (!infer.divides(area, dims->back()))
    return infer.fail("expects rows in multiples of " + Twine(area) +
                      ", but found " + dims->back().str());
  dims->back() = guard::floorDiv(dims->back(), area);
  llvm::append_range(*dims, sizes);
  return infer.addPromoted(*dims);
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

LogicalResult rules::gridSampler(Inference &infer, size_t spatial) {
  FailureOr<Dims> input = infer.getDims("input"), grid = infer.getDims("grid");
  if (failed(input) || failed(grid))
    return failure();
  size_t rank = spatial + 2;
  if (input->size() != rank || grid->size() != rank)
    return infer.fail("expects an input and a grid of rank " + Twine(rank) +
                      ", but found ranks " + Twine(input->size()) + " and " +
                      Twine(grid->size()));
  if (infer.differ(input->front(), grid->front()) ||
      infer.differ(grid->back(), infer.constant(spatial)))
    return infer.fail("expects a grid of as many samples as the input, with " +
                      Twine(spatial) + " coordinates for each place");
  std::copy(grid->begin() + 1, grid->end() - 1, input->begin() + 2);
  return infer.addPromoted(*input);
}

LogicalResult rules::gridSamplerBackward(Inference &infer, size_t spatial) {
  FailureOr<Dims> input = infer.getDims("input"), grid = infer.getDims("grid");
  SmallVector<Type> types;
  Inference ofForward = infer.withResults(types);
  if (failed(input) || failed(grid) ||
      failed(gridSampler(ofForward, spatial)) ||
      failed(checkSizes(
          infer, "grad_output",
          *guard::getDims(llvm::cast<RankedTensorType>(types.front())))))
    return failure();
  infer.addResult(*input, infer.getElementType("input"));
  infer.addResult(*grid, infer.getElementType("grid"));
  return success();
}

LogicalResult rules::channelShuffle(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  ExprAttr groups = infer.getExpr("groups");
  if (dims->size() < 3 || !infer.isAtLeast(groups, 1) ||
      !infer.holds(guard::eq(guard::mod((*dims)[1], groups),
                             infer.constant(0))))
    return infer.fail("expects channels in multiples of " + groups.str());
  return infer.addPromoted(*dims);
}

LogicalResult rules::affineGrid(Inference &infer) {
  Dims size = *infer.getExprs("size");
  if (size.size() != 4 && size.size() != 5)
    return infer.fail("expects 4 or 5 sizes, but found " + Twine(size.size()));
  ExprAttr spatial = infer.constant(size.size() - 2);
  if (failed(checkSizes(infer, "theta", {size.front(), spatial, spatial + 1})))
    return failure();
  size.erase(size.begin() + 1);
  size.push_back(infer.constant(size.size() - 1));
  return infer.addPromoted(size);
}
