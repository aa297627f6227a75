//===- ShapeRulesView.cpp - Writing through views, rearrangements ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"
#include "ViewWorld.h"

#include "kiln/Base/ViewElementRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;

static Type getType(Inference &infer) {
  return infer.getElementType(infer.getFirstTensor());
}

LogicalResult rules::inputSizes(Inference &infer) {
  StringRef name = infer.has("input_sizes") ? "input_sizes" : "input_size";
  infer.addResult(*infer.getExprs(name), getType(infer));
  return success();
}

//===----------------------------------------------------------------------===//
// What is written through a view
//===----------------------------------------------------------------------===//

/// The sizes of `view` of a tensor of sizes `dims`, which argument `part` has.
template <typename Rule>
static LogicalResult checkPart(Inference &infer, StringRef part,
                               FailureOr<Dims> dims, Rule rule) {
  if (failed(dims))
    return failure();
  ViewWorld world(infer);
  auto views = rule(world, ViewWorld::Sizes(dims->begin(), dims->end()));
  if (!views)
    return failure();
  return checkSizes(infer, part, views->front().sizes);
}

template <typename Rule>
static LogicalResult inferScatter(Inference &infer, Rule rule) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(checkPart(infer, "src", dims, rule)))
    return failure();
  infer.addResult(*dims, getType(infer));
  return success();
}

template <typename Rule>
static LogicalResult inferBackward(Inference &infer, StringRef grad,
                                   Rule rule) {
  if (failed(checkPart(infer, grad, *infer.getExprs("input_sizes"), rule)))
    return failure();
  return rules::inputSizes(infer);
}

static auto selectPart(ViewWorld &w, ViewWorld::Sizes sizes) {
  return views::select(w, std::move(sizes), w.integer(2), w.number(3));
}
static auto slicePart(ViewWorld &w, ViewWorld::Sizes sizes) {
  return views::slice(w, std::move(sizes), w.integer(2), w.optional(3),
                      w.optional(4), w.number(5, 1));
}
static auto diagonalPart(ViewWorld &w, ViewWorld::Sizes sizes) {
  return views::diagonal(w, std::move(sizes), w.integer(2), w.integer(3),
                         w.integer(4));
}
static auto unfoldPart(ViewWorld &w, ViewWorld::Sizes sizes) {
  return views::unfold(w, std::move(sizes), w.integer(2), w.integer(3),
                       w.integer(4));
}
static auto asStridedPart(ViewWorld &w, ViewWorld::Sizes sizes) {
  return views::asStrided(w, std::move(sizes), w.numbers(2), w.numbers(3),
                          w.optional(4));
}

LogicalResult rules::selectScatter(Inference &infer) {
  return inferScatter(infer, selectPart);
}
LogicalResult rules::sliceScatter(Inference &infer) {
  return inferScatter(infer, slicePart);
}
LogicalResult rules::diagonalScatter(Inference &infer) {
  return inferScatter(infer, diagonalPart);
}
LogicalResult rules::stridedScatter(Inference &infer) {
  return inferScatter(infer, asStridedPart);
}
LogicalResult rules::selectBackward(Inference &infer) {
  return inferBackward(infer, "grad_output", selectPart);
}
LogicalResult rules::sliceBackward(Inference &infer) {
  return inferBackward(infer, "grad_output", slicePart);
}
LogicalResult rules::diagonalBackward(Inference &infer) {
  return inferBackward(infer, "grad_output", diagonalPart);
}
LogicalResult rules::unfoldBackward(Inference &infer) {
  return inferBackward(infer, "grad_in", unfoldPart);
}

//===----------------------------------------------------------------------===//
// The same shape
//===----------------------------------------------------------------------===//

LogicalResult rules::flip(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims) ||
      failed(infer.getDimFlags("dims", dims->size(), /*emptyIsAll=*/false)))
    return failure();
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::roll(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  size_t shifts = infer.getExprs("shifts")->size();
  SmallVector<int64_t> rolled = *infer.getInts("dims");
  if (dims->empty() && !rolled.empty())
    return infer.fail("expects a tensor with dimensions to roll along, but "
                      "found a scalar");
  // Without dimensions the flat tensor rolls, by one shift.
  if (shifts == 0 || shifts != std::max<size_t>(rolled.size(), 1))
    return infer.fail("expects a shift for each of " +
                      Twine(std::max<size_t>(rolled.size(), 1)) +
                      " dimensions, but found " + Twine(shifts));
  for (int64_t dim : rolled)
    if (failed(infer.wrapDim(dim, dims->size())))
      return failure();
  infer.addResult(*dims, getType(infer));
  return success();
}

//===----------------------------------------------------------------------===//
// Joining, repeating, padding
//===----------------------------------------------------------------------===//

LogicalResult rules::cat(Inference &infer) {
  Dims result;
  std::optional<int64_t> dim;
  for (Value tensor : infer.get("tensors").getValues()) {
    FailureOr<Dims> dims = infer.getDims(tensor, "tensors");
    if (failed(dims))
      return failure();
    // The empty list of old programs.
    if (dims->size() == 1 && dims->front().isConstant(0))
      continue;
    if (dims->empty())
      return infer.fail("expects tensors with dimensions");
    if (!dim) {
      FailureOr<int64_t> wrapped = infer.getDim("dim", dims->size());
      if (failed(wrapped))
        return failure();
      dim = *wrapped;
      result = *dims;
      continue;
    }
    if (dims->size() != result.size())
      return infer.fail("expects tensors of one rank, but found " +
                        Twine(result.size()) + " and " + Twine(dims->size()));
    for (auto [i, size] : llvm::enumerate(*dims)) {
      if (int64_t(i) == *dim) {
        result[i] = result[i] + size;
        continue;
      }
      if (infer.differ(result[i], size))
        return infer.fail("expects equal sizes but along dimension " +
                          Twine(*dim) + "; found " + result[i].str() +
                          " and " + size.str() + " at dimension " + Twine(i));
      result[i] = unify(result[i], size);
    }
  }
  if (infer.get("tensors").getValues().empty())
    return infer.fail("expects at least one tensor");
  if (!dim)
    result.push_back(infer.constant(0));
  return infer.addPromoted(result);
}

LogicalResult rules::stack(Inference &infer) {
  ArrayRef<Value> tensors = infer.get("tensors").getValues();
  if (tensors.empty())
    return infer.fail("expects at least one tensor");
  Dims result;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    FailureOr<Dims> dims = infer.getDims(tensor, "tensors");
    if (failed(dims))
      return failure();
    if (i == 0)
      result = *dims;
    bool isSame = dims->size() == result.size();
    for (auto [a, b] : llvm::zip(*dims, result))
      isSame &= !infer.differ(a, b);
    if (!isSame)
      return infer.fail("expects tensors of one shape");
  }
  FailureOr<int64_t> dim = infer.getDim("dim", result.size() + 1);
  if (failed(dim))
    return failure();
  result.insert(result.begin() + *dim, infer.constant(tensors.size()));
  return infer.addPromoted(result);
}

LogicalResult rules::repeat(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Dims repeats = *infer.getExprs("repeats");
  if (repeats.size() < dims->size())
    return infer.fail("expects at least " + Twine(dims->size()) +
                      " repeats, but found " + Twine(repeats.size()));
  for (ExprAttr count : repeats)
    if (!infer.isAtLeast(count, 0))
      return infer.fail("expects repeats that are not negative, but found " +
                        count.str());
  size_t offset = repeats.size() - dims->size();
  for (auto [i, dim] : llvm::enumerate(*dims))
    repeats[i + offset] = repeats[i + offset] * dim;
  infer.addResult(repeats, getType(infer));
  return success();
}

/// The sizes with `widths` around them, from the last dimension on.
static LogicalResult inferPad(Inference &infer, ArrayRef<ExprAttr> widths,
                              StringRef mode) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (widths.size() % 2 != 0 || widths.size() / 2 > dims->size())
    return infer.fail("expects pairs of widths for at most " +
                      Twine(dims->size()) + " dimensions, but found " +
                      Twine(widths.size()) + " widths");
  bool leavesNothing = !widths.empty();
  for (size_t i = 0; i < widths.size() / 2; ++i) {
    ExprAttr &dim = (*dims)[dims->size() - 1 - i];
    // A reflection does not reach beyond what it reflects, and what goes round
    // goes round once.
    bool reflects = mode == "reflect";
    for (ExprAttr width : {widths[2 * i], widths[2 * i + 1]})
      if ((reflects && !infer.holds(guard::lt(width, dim))) ||
          (mode == "circular" && !infer.holds(guard::le(width, dim))))
        return infer.fail("expects widths below the size " + dim.str() +
                          ", but found " + width.str());
    dim = dim + widths[2 * i] + widths[2 * i + 1];
    if (!infer.isAtLeast(dim, mode == "replicate" ? 1 : 0))
      return infer.fail("crops more than there is");
    leavesNothing &= reflects && dim.isConstant(0);
  }
  // PyTorch's kernels ask for elements along one dimension that they reflect.
  if (leavesNothing)
    return infer.fail("leaves nothing");
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::pad(Inference &infer) {
  return inferPad(infer, *infer.getExprs("pad"), infer.getString("mode"));
}

/// Images of `spatial` dimensions behind the channels.
static LogicalResult inferImagePad(Inference &infer, size_t spatial,
                                   StringRef mode) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Dims widths = *infer.getExprs("padding");
  if (widths.size() != 2 * spatial || dims->size() <= spatial ||
      dims->size() > spatial + 2)
    return infer.fail("expects " + Twine(2 * spatial) +
                      " widths and a rank of " + Twine(spatial + 1) + " or " +
                      Twine(spatial + 2) + ", but found " +
                      Twine(widths.size()) + " widths and rank " +
                      Twine(dims->size()));
  return inferPad(infer, widths, mode);
}

LogicalResult rules::reflectionPad(Inference &infer, size_t spatial) {
  return inferImagePad(infer, spatial, "reflect");
}

LogicalResult rules::replicationPad(Inference &infer, size_t spatial) {
  return inferImagePad(infer, spatial, "replicate");
}
