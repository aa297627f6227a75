//===- ShapeRulesView.cpp - Views and rearrangements ---------------------===//
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

static Type getType(Inference &infer) {
  return infer.getElementType(infer.getFirstTensor());
}

//===----------------------------------------------------------------------===//
// Other shapes of the same elements
//===----------------------------------------------------------------------===//

/// The sizes that a view asks for, with -1 computed. `name` is the argument.
static LogicalResult inferView(Inference &infer, StringRef name) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Dims sizes = *infer.getExprs(name);
  ExprAttr count = guard::getNumElements(infer.context, *dims);
  ExprAttr known = infer.constant(1);
  int64_t open = -1;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!size.isConstant(-1)) {
      if (!infer.isAtLeast(size, 0))
        return infer.fail("expects sizes that are not negative, but found " +
                          size.str());
      known = guard::mul(known, size);
      continue;
    }
    if (open >= 0)
      return infer.fail("expects at most one size to be -1");
    open = i;
  }
  if (open >= 0) {
    if (known.isConstant(0))
      return infer.fail("cannot compute the size -1 beside a size of 0");
    ExprAttr quotient = guard::floorDiv(count, known);
    if (infer.differ(guard::mul(quotient, known), count))
      return infer.fail("cannot view " + Twine(count.str()) +
                        " elements in multiples of " + known.str());
    sizes[open] = quotient;
  } else if (infer.differ(known, count)) {
    return infer.fail("cannot view " + Twine(count.str()) + " elements as " +
                      known.str());
  }
  infer.addResult(sizes, getType(infer));
  return success();
}

LogicalResult rules::view(Inference &infer) {
  return inferView(infer, infer.has("size") ? "size" : "shape");
}

LogicalResult rules::flatten(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> start = infer.getDim("start_dim", dims->size());
  FailureOr<int64_t> end = infer.getDim("end_dim", dims->size());
  if (failed(start) || failed(end))
    return failure();
  if (*start > *end)
    return infer.fail("expects 'start_dim' not to come after 'end_dim', but "
                      "found " + Twine(*start) + " and " + Twine(*end));
  Dims result;
  ExprAttr merged = infer.constant(1);
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    bool isInside = int64_t(i) >= *start && int64_t(i) <= *end;
    if (!isInside)
      result.push_back(dim);
    else
      merged = guard::mul(merged, dim);
    if (int64_t(i) == *end)
      result.push_back(merged);
  }
  if (dims->empty())
    result.push_back(merged);
  infer.addResult(result, getType(infer));
  return success();
}

LogicalResult rules::expand(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Dims sizes = *infer.getExprs("size");
  if (sizes.size() < dims->size())
    return infer.fail("expects at least " + Twine(dims->size()) +
                      " sizes, but found " + Twine(sizes.size()));
  size_t offset = sizes.size() - dims->size();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (i < offset) {
      if (size.isConstant(-1))
        return infer.fail("expects a size for the new dimension " + Twine(i) +
                          ", but found -1");
      continue;
    }
    ExprAttr dim = (*dims)[i - offset];
    if (size.isConstant(-1))
      size = dim;
    else if (!infer.is(dim, 1) && infer.differ(dim, size))
      return infer.fail("cannot expand dimension " + Twine(i) + " of size " +
                        dim.str() + " to " + size.str());
  }
  infer.addResult(sizes, getType(infer));
  return success();
}

LogicalResult rules::permute(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  SmallVector<int64_t> order = *infer.getInts("dims");
  if (order.size() != dims->size())
    return infer.fail("expects " + Twine(dims->size()) +
                      " dimensions, but found " + Twine(order.size()));
  if (failed(infer.getDimFlags("dims", dims->size(), /*emptyIsAll=*/false)))
    return failure();
  Dims result;
  for (int64_t dim : order)
    result.push_back((*dims)[*infer.wrapDim(dim, dims->size())]);
  infer.addResult(result, getType(infer));
  return success();
}

LogicalResult rules::transpose(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  bool isAxes = infer.has("axis0"); // `swapaxes`
  FailureOr<int64_t> i =
      infer.getDim(isAxes ? "axis0" : "dim0", dims->size());
  FailureOr<int64_t> j =
      infer.getDim(isAxes ? "axis1" : "dim1", dims->size());
  if (failed(i) || failed(j))
    return failure();
  if (!dims->empty())
    std::swap((*dims)[*i], (*dims)[*j]);
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::t(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->size() > 2)
    return infer.fail("expects a rank of at most 2, but found " +
                      Twine(dims->size()));
  return reverseDims(infer);
}

LogicalResult rules::reverseDims(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  infer.addResult(Dims(llvm::reverse(*dims)), getType(infer));
  return success();
}

LogicalResult rules::squeeze(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  llvm::erase_if(*dims, [&](ExprAttr dim) { return infer.is(dim, 1); });
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::squeezeDim(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
  if (failed(dim))
    return failure();
  if (!dims->empty() && infer.is((*dims)[*dim], 1))
    dims->erase(dims->begin() + *dim);
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::squeezeDims(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<SmallVector<bool>> flags =
      infer.getDimFlags("dim", dims->size(), /*emptyIsAll=*/false);
  if (failed(flags))
    return failure();
  Dims result;
  for (auto [dim, isNamed] : llvm::zip(*dims, *flags))
    if (!isNamed || !infer.is(dim, 1))
      result.push_back(dim);
  infer.addResult(result, getType(infer));
  return success();
}

LogicalResult rules::unsqueeze(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size() + 1);
  if (failed(dim))
    return failure();
  dims->insert(dims->begin() + *dim, infer.constant(1));
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::inputSizes(Inference &infer) {
  StringRef name = infer.has("input_sizes") ? "input_sizes" : "input_size";
  infer.addResult(*infer.getExprs(name), getType(infer));
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The sizes of `self` and a dimension of it; fails for a rank of 0.
static FailureOr<Dims> getDimsAndDim(Inference &infer, StringRef name,
                                     int64_t &dim) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->empty())
    return infer.fail("expects a tensor with dimensions");
  FailureOr<int64_t> wrapped = infer.getDim(name, dims->size());
  if (failed(wrapped))
    return failure();
  dim = *wrapped;
  return dims;
}

LogicalResult rules::select(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, "dim", dim);
  if (failed(dims))
    return failure();
  std::optional<int64_t> index = infer.getInt("index");
  ExprAttr size = (*dims)[dim];
  if (index && !infer.isAtLeast(size, *index < 0 ? -*index : *index + 1))
    return infer.fail("expects an index from " + (-size).str() + " to " +
                      (size + -1).str() + ", but found " + Twine(*index));
  dims->erase(dims->begin() + dim);
  infer.addResult(*dims, getType(infer));
  return success();
}

/// A bound of a slice as PyTorch takes it: from the end if negative, within the
/// tensor.
static ExprAttr clampBound(Inference &infer, ExprAttr bound, ExprAttr size) {
  if (std::optional<int64_t> value = bound.getConstant()) {
    if (*value == std::numeric_limits<int64_t>::max())
      return size;
    if (*value == 0)
      return bound;
    if (*value < 0)
      return guard::max(guard::add(size, bound), infer.constant(0));
    return guard::min(bound, size);
  }
  if (bound == size)
    return size;
  // size - k is a bound from the end already resolved.
  std::optional<int64_t> beyond = guard::sub(bound, size).getConstant();
  if (beyond && *beyond >= 0)
    return size;
  guard::Assumptions sizes;
  if (!guard::isKnownNonNegative(bound, sizes)) {
    ExprAttr fromEnd = guard::add(bound, size);
    bound = guard::select(guard::lt(bound, infer.constant(0)), fromEnd, bound);
    bound = guard::max(bound, infer.constant(0));
  }
  return guard::min(bound, size);
}

/// How many elements of a dimension a slice takes.
static FailureOr<ExprAttr> getSliceSize(Inference &infer, ExprAttr size) {
  ExprAttr start = infer.getExpr("start"), end = infer.getExpr("end"),
           step = infer.getExpr("step");
  if (step.isConstant() && step.getPayload() <= 0)
    return infer.fail("expects a positive step, but found " +
                      Twine(step.getPayload()));
  start = start ? clampBound(infer, start, size) : infer.constant(0);
  end = end ? clampBound(infer, end, size) : size;
  guard::Assumptions sizes;
  ExprAttr extent = guard::simplify(guard::sub(end, start), sizes);
  if (!guard::isKnownNonNegative(extent, sizes))
    extent = guard::max(extent, infer.constant(0));
  return guard::simplify(guard::ceilDiv(extent, step), sizes);
}

LogicalResult rules::slice(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, "dim", dim);
  if (failed(dims))
    return failure();
  FailureOr<ExprAttr> size = getSliceSize(infer, (*dims)[dim]);
  if (failed(size))
    return failure();
  (*dims)[dim] = *size;
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::selectBackward(Inference &infer) {
  Dims sizes = *infer.getExprs("input_sizes");
  FailureOr<int64_t> dim = infer.getDim("dim", sizes.size());
  if (failed(dim) || sizes.empty())
    return infer.fail("expects sizes of a tensor with this dimension");
  sizes.erase(sizes.begin() + *dim);
  if (failed(checkSizes(infer, "grad_output", sizes)))
    return failure();
  return inputSizes(infer);
}

LogicalResult rules::sliceBackward(Inference &infer) {
  Dims sizes = *infer.getExprs("input_sizes");
  FailureOr<int64_t> dim = infer.getDim("dim", sizes.size());
  if (failed(dim) || sizes.empty())
    return infer.fail("expects sizes of a tensor with this dimension");
  FailureOr<ExprAttr> size = getSliceSize(infer, sizes[*dim]);
  if (failed(size))
    return failure();
  sizes[*dim] = *size;
  if (failed(checkSizes(infer, "grad_output", sizes)))
    return failure();
  return inputSizes(infer);
}

LogicalResult rules::unfoldBackward(Inference &infer) {
  Dims sizes = *infer.getExprs("input_sizes");
  FailureOr<int64_t> dim = infer.getDim("dim", sizes.size());
  if (failed(dim))
    return failure();
  int64_t size = *infer.getInt("size"), step = *infer.getInt("step");
  if (step <= 0)
    return infer.fail("expects a positive step, but found " + Twine(step));
  if (!sizes.empty())
    sizes[*dim] = guard::floorDiv(sizes[*dim] + -size, step) + 1;
  sizes.push_back(infer.constant(size));
  if (failed(checkSizes(infer, "grad_in", sizes)))
    return failure();
  return inputSizes(infer);
}

LogicalResult rules::split(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, "dim", dim);
  if (failed(dims))
    return failure();
  ExprAttr part = infer.getExpr("split_size"), size = (*dims)[dim];
  std::optional<int64_t> count = infer.getFixed(guard::ceilDiv(size, part));
  if (part.isConstant() && part.getPayload() <= 0 && !size.isConstant(0))
    return infer.fail("expects a positive 'split_size', but found " +
                      Twine(part.getPayload()));
  if (size.isConstant(0))
    count = 1;
  if (!count)
    count = infer.resultCount;
  if (!count)
    return infer.fail("cannot tell into how many parts a size of " +
                      Twine(size.str()) + " splits by " + part.str());
  for (int64_t i = 0; i < *count; ++i) {
    Dims result = *dims;
    result[dim] = i + 1 < *count ? part
                                 : guard::sub(size, guard::mul(part, *count - 1));
    infer.addResult(result, getType(infer));
  }
  return success();
}

LogicalResult rules::splitWithSizes(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, "dim", dim);
  if (failed(dims))
    return failure();
  Dims parts = *infer.getExprs("split_sizes");
  ExprAttr total = guard::sum(infer.context, parts), size = (*dims)[dim];
  if (infer.differ(total, size))
    return infer.fail("expects the parts to add up to " + Twine(size.str()) +
                      ", but found " + total.str());
  for (ExprAttr part : parts) {
    if (!infer.isAtLeast(part, 0))
      return infer.fail("expects parts of at least 0, but found " +
                        part.str());
    (*dims)[dim] = part;
    infer.addResult(*dims, getType(infer));
  }
  return success();
}

LogicalResult rules::chunk(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, "dim", dim);
  if (failed(dims))
    return failure();
  int64_t chunks = *infer.getInt("chunks");
  ExprAttr size = (*dims)[dim];
  if (chunks <= 0)
    return infer.fail("expects a positive number of chunks, but found " +
                      Twine(chunks));
  // A chunk is the size divided, rounded up; the last may be smaller, and there
  // may be fewer than asked for.
  ExprAttr part = guard::ceilDiv(size, chunks);
  int64_t count = chunks;
  if (!size.isConstant(0))
    count = infer.getFixed(guard::ceilDiv(size, part))
                .value_or(infer.resultCount.value_or(chunks));
  for (int64_t i = 0; i < count; ++i) {
    Dims result = *dims;
    result[dim] =
        i + 1 < count ? part : guard::sub(size, guard::mul(part, count - 1));
    infer.addResult(result, getType(infer));
  }
  return success();
}

LogicalResult rules::unbind(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, "dim", dim);
  if (failed(dims))
    return failure();
  ExprAttr size = (*dims)[dim];
  std::optional<int64_t> count = infer.getFixed(size);
  if (!count)
    return infer.fail("expects a static size to unbind, but found " +
                      Twine(size.str()));
  dims->erase(dims->begin() + dim);
  for (int64_t i = 0; i < *count; ++i)
    infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::unfold(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dimension", dims->size());
  if (failed(dim))
    return failure();
  int64_t size = *infer.getInt("size"), step = *infer.getInt("step");
  ExprAttr extent = dims->empty() ? infer.constant(1) : (*dims)[*dim];
  if (step <= 0)
    return infer.fail("expects a positive step, but found " + Twine(step));
  if (size < 0 || !infer.isAtLeast(extent, size))
    return infer.fail("expects a window from 0 to " + Twine(extent.str()) +
                      ", but found " + Twine(size));
  if (!dims->empty())
    (*dims)[*dim] = guard::floorDiv(extent + -size, step) + 1;
  dims->push_back(infer.constant(size));
  infer.addResult(*dims, getType(infer));
  return success();
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

/// Runs the rule of the part and checks that 'src' has its shape.
static LogicalResult inferScatterOf(Inference &infer,
                                    LogicalResult (*partRule)(Inference &)) {
  SmallVector<Type> part;
  Inference ofPart = infer.withResults(part);
  FailureOr<Dims> dims = infer.getDims("self"), src = infer.getDims("src");
  if (failed(dims) || failed(src) || failed(partRule(ofPart)))
    return failure();
  Dims expected =
      *guard::getDims(llvm::cast<RankedTensorType>(part.front()));
  bool isSame = expected.size() == src->size();
  for (auto [a, b] : llvm::zip(expected, *src))
    isSame &= !infer.differ(a, b);
  if (!isSame)
    return infer.fail("expects 'src' to have the shape of the part it replaces");
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::selectScatter(Inference &infer) {
  return inferScatterOf(infer, select);
}

LogicalResult rules::sliceScatter(Inference &infer) {
  return inferScatterOf(infer, slice);
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

LogicalResult rules::pad(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Dims widths = *infer.getExprs(infer.has("pad") ? "pad" : "padding");
  if (widths.size() % 2 != 0 || widths.size() / 2 > dims->size())
    return infer.fail("expects pairs of widths for at most " +
                      Twine(dims->size()) + " dimensions, but found " +
                      Twine(widths.size()) + " widths");
  // "aten.reflection_pad2d" pads two dimensions behind the channels.
  StringRef name = infer.info.name;
  for (auto [suffix, spatial] :
       {std::pair("_pad1d", 1), {"_pad2d", 2}, {"_pad3d", 3}})
    if (name.ends_with(suffix) &&
        (int(widths.size()) != 2 * spatial || int(dims->size()) <= spatial ||
         int(dims->size()) > spatial + 2))
      return infer.fail("expects " + Twine(2 * spatial) + " widths and a rank of " +
                        Twine(spatial + 1) + " or " + Twine(spatial + 2) +
                        ", but found " + Twine(widths.size()) +
                        " widths and rank " + Twine(dims->size()));
  StringRef mode = infer.getString("mode");
  bool leavesNothing = !widths.empty();
  for (size_t i = 0; i < widths.size() / 2; ++i) {
    ExprAttr &dim = (*dims)[dims->size() - 1 - i];
    // A reflection does not reach beyond what it reflects, and what goes round
    // goes round once.
    bool reflects = mode == "reflect" ||
                    name.contains("reflection_pad");
    for (ExprAttr width : {widths[2 * i], widths[2 * i + 1]})
      if ((reflects && !infer.holds(guard::lt(width, dim))) ||
          (mode == "circular" && !infer.holds(guard::le(width, dim))))
        return infer.fail("expects widths below the size " + dim.str() +
                          ", but found " + width.str());
    dim = dim + widths[2 * i] + widths[2 * i + 1];
    bool replicates = mode == "replicate" || name.contains("replication_pad");
    if (!infer.isAtLeast(dim, replicates ? 1 : 0))
      return infer.fail("crops more than there is");
    leavesNothing &= reflects && dim.isConstant(0);
  }
  // PyTorch's kernels ask for elements along one dimension that they reflect.
  if (leavesNothing)
    return infer.fail("leaves nothing");
  infer.addResult(*dims, getType(infer));
  return success();
}

LogicalResult rules::upsample2d(Inference &infer) {
  FailureOr<Dims> dims = infer.getDimsOfRank("input", 4);
  if (failed(dims))
    return failure();
  std::optional<Dims> sizes = infer.getExprs("output_size");
  auto factors = llvm::dyn_cast_if_present<mlir::DenseF64ArrayAttr>(
      infer.get("scale_factors").getAttribute());
  if (sizes.has_value() == !!factors)
    return infer.fail("expects either 'output_size' or 'scale_factors'");
  if ((sizes && sizes->size() != 2) || (factors && factors.size() != 2))
    return infer.fail("expects two sizes or factors");
  for (int i = 0; i < 2; ++i) {
    ExprAttr &dim = (*dims)[2 + i];
    if (sizes) {
      dim = (*sizes)[i];
      continue;
    }
    // floor(size * factor), exactly if the factor is whole.
    double factor = factors[i];
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
