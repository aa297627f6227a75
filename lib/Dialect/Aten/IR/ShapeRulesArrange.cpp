//===- ShapeRulesArrange.cpp - More views, repetitions, concatenations ---===//
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

/// The sizes of `self` and argument `dim`; dimensions must be there.
static FailureOr<Dims> getDimsAndDim(Inference &infer, int64_t &dim) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->empty())
    return infer.fail("expects a tensor with dimensions");
  FailureOr<int64_t> wrapped = infer.getDim("dim", dims->size());
  if (failed(wrapped))
    return failure();
  dim = *wrapped;
  return dims;
}

//===----------------------------------------------------------------------===//
// Complex numbers and bytes
//===----------------------------------------------------------------------===//

LogicalResult rules::angle(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  FailureOr<Type> type = infer.getPromotedType();
  if (failed(dims) || failed(type))
    return failure();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(*type))
    type = complex.getElementType();
  infer.addResult(*dims, *type);
  return success();
}

LogicalResult rules::makeComplex(Inference &infer) {
  SmallVector<Type> types;
  Inference parts = infer.withResults(types);
  if (failed(broadcast(parts)))
    return failure();
  auto real = llvm::cast<RankedTensorType>(types.front());
  if (!llvm::isa<mlir::FloatType>(real.getElementType()))
    return infer.fail("expects parts of floats");
  infer.addResult(*guard::getDims(real),
                  mlir::ComplexType::get(real.getElementType()));
  return success();
}

LogicalResult rules::realParts(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (StringRef(infer.info.name).ends_with("imag") &&
      !llvm::isa<mlir::ComplexType>(infer.getElementType("self")))
    return infer.fail("expects a tensor of complex numbers");
  return infer.addPromoted(*dims);
}

LogicalResult rules::viewAsComplex(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Type type = infer.getElementType("self");
  if (!llvm::isa<mlir::FloatType>(type) || type.isBF16())
    return infer.fail("expects a tensor of f16, f32 or f64");
  if (dims->empty() || infer.differ(dims->back(), infer.constant(2)))
    return infer.fail("expects a last dimension of size 2");
  dims->pop_back();
  infer.addResult(*dims, mlir::ComplexType::get(type));
  return success();
}

LogicalResult rules::viewAsReal(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  auto complex =
      llvm::dyn_cast<mlir::ComplexType>(infer.getElementType("self"));
  if (!complex)
    return infer.fail("expects a tensor of complex numbers");
  dims->push_back(infer.constant(2));
  infer.addResult(*dims, complex.getElementType());
  return success();
}

static int64_t getBytes(Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type))
    return 2 * getBytes(complex.getElementType());
  return std::max(8u, type.getIntOrFloatBitWidth()) / 8;
}

LogicalResult rules::viewDtype(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Type to = infer.getDType();
  int64_t before = getBytes(infer.getElementType("self"));
  int64_t after = getBytes(to);
  if (before != after && dims->empty())
    return infer.fail("expects element types of one size for a tensor without "
                      "dimensions");
  if (after < before) {
    dims->back() = dims->back() * (before / after);
  } else if (after > before) {
    ExprAttr last = dims->back();
    if (!infer.divides(after / before, last))
      return infer.fail("expects a last size in multiples of " +
                        Twine(after / before) + ", but found " + last.str());
    dims->back() = guard::floorDiv(last, after / before);
  }
  infer.addResult(*dims, to);
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult rules::sizesOfOther(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self"), other = infer.getDims("other");
  if (failed(self) || failed(other))
    return failure();
  if (StringRef(infer.info.name).ends_with("expand_as")) {
    FailureOr<Dims> joined = broadcastDims(infer, *other, *self);
    if (failed(joined))
      return failure();
    for (auto [a, b] : llvm::zip(*joined, *other))
      if (joined->size() != other->size() || infer.differ(a, b))
        return infer.fail("expects 'self' to expand to the shape of 'other'");
  } else if (infer.differ(guard::getNumElements(infer.context, *self),
                          guard::getNumElements(infer.context, *other))) {
    return infer.fail("expects as many elements in 'self' as in 'other'");
  }
  return infer.addPromoted(*other);
}

/// Two dimensions that must not be one.
static FailureOr<std::pair<int64_t, int64_t>> getDimPair(Inference &infer,
                                                         int64_t rank) {
  FailureOr<int64_t> a = infer.getDim("dim1", rank);
  FailureOr<int64_t> b = infer.getDim("dim2", rank);
  if (failed(a) || failed(b))
    return failure();
  if (*a == *b || rank < 2)
    return infer.fail("expects two different dimensions");
  return std::make_pair(*a, *b);
}

/// The sizes of the diagonals of a tensor.
static FailureOr<Dims> getDiagonalDims(Inference &infer,
                                       FailureOr<Dims> dims) {
  if (failed(dims))
    return failure();
  auto pair = getDimPair(infer, dims->size());
  if (failed(pair))
    return failure();
  int64_t offset = *infer.getInt("offset");
  if (offset < -INT32_MAX || offset > INT32_MAX)
    return infer.fail("expects an offset below 2^31, but found " +
                      Twine(offset));
  ExprAttr rows = (*dims)[pair->first], columns = (*dims)[pair->second];
  ExprAttr length = offset >= 0 ? guard::min(rows, columns + -offset)
                                : guard::min(rows + offset, columns);
  guard::Assumptions sizes;
  if (!guard::isKnownNonNegative(length, sizes))
    length = guard::max(length, infer.constant(0));
  auto [low, high] = std::minmax(pair->first, pair->second);
  dims->erase(dims->begin() + high);
  dims->erase(dims->begin() + low);
  dims->push_back(length);
  return dims;
}

LogicalResult rules::diagonal(Inference &infer) {
  FailureOr<Dims> dims = getDiagonalDims(infer, infer.getDims("self"));
  return failed(dims) ? failure() : infer.addPromoted(*dims);
}

LogicalResult rules::diagonalBackward(Inference &infer) {
  FailureOr<Dims> dims =
      getDiagonalDims(infer, *infer.getExprs("input_sizes"));
  if (failed(dims) || failed(checkSizes(infer, "grad_output", *dims)))
    return failure();
  return inputSizes(infer);
}

LogicalResult rules::diagonalScatter(Inference &infer) {
  FailureOr<Dims> dims = getDiagonalDims(infer, infer.getDims("self"));
  if (failed(dims) || failed(checkSizes(infer, "src", *dims)))
    return failure();
  return sameAsFirst(infer);
}

LogicalResult rules::stridedScatter(Inference &infer) {
  if (failed(checkSizes(infer, "src", *infer.getExprs("size"))))
    return failure();
  return sameAsFirst(infer);
}

LogicalResult rules::diagEmbed(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  auto pair = getDimPair(infer, dims->size() + 1);
  if (failed(pair))
    return failure();
  int64_t offset = *infer.getInt("offset");
  if (offset < -INT32_MAX || offset > INT32_MAX)
    return infer.fail("expects an offset below 2^31, but found " +
                      Twine(offset));
  ExprAttr size = dims->pop_back_val() + std::abs(offset);
  auto [low, high] = std::minmax(pair->first, pair->second);
  dims->insert(dims->begin() + low, size);
  dims->insert(dims->begin() + high, size);
  return infer.addPromoted(*dims);
}

LogicalResult rules::movedim(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> from = infer.getDim("source", dims->size());
  FailureOr<int64_t> to = infer.getDim("destination", dims->size());
  if (failed(from) || failed(to))
    return failure();
  if (!dims->empty()) {
    ExprAttr dim = (*dims)[*from];
    dims->erase(dims->begin() + *from);
    dims->insert(dims->begin() + *to, dim);
  }
  return infer.addPromoted(*dims);
}

LogicalResult rules::narrow(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, dim);
  if (failed(dims))
    return failure();
  ExprAttr length = infer.getExpr("length"), size = (*dims)[dim];
  std::optional<int64_t> start = infer.getInt("start");
  if (!infer.isAtLeast(length, 0))
    return infer.fail("expects a length that is not negative, but found " +
                      length.str());
  if (start) {
    ExprAttr first = *start < 0 ? size + *start : infer.constant(*start);
    if (!infer.isAtLeast(first, 0) ||
        !infer.holds(guard::le(first + length, size)))
      return infer.fail("expects a range within " + Twine(size.str()) +
                        " elements, but found " + length.str() + " from " +
                        Twine(*start));
  }
  (*dims)[dim] = length;
  return infer.addPromoted(*dims);
}

LogicalResult rules::unflatten(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, dim);
  if (failed(dims))
    return failure();
  Dims parts = *infer.getExprs("sizes");
  ExprAttr known = infer.constant(1), size = (*dims)[dim];
  ExprAttr *open = nullptr;
  for (ExprAttr &part : parts) {
    if (!part.isConstant(-1)) {
      known = guard::mul(known, part);
      continue;
    }
    if (open)
      return infer.fail("expects one size to be -1 at most");
    open = &part;
  }
  if (parts.empty())
    return infer.fail("expects at least one size");
  if (!open && infer.differ(known, size))
    return infer.fail("expects sizes whose product is " + Twine(size.str()) +
                      ", but found " + known.str());
  if (open && (known.isConstant(0) ||
               infer.differ(guard::mod(size, known), infer.constant(0))))
    return infer.fail("expects sizes that divide " + Twine(size.str()) +
                      ", but found " + known.str());
  if (open)
    *open = guard::floorDiv(size, known);
  dims->erase(dims->begin() + dim);
  dims->insert(dims->begin() + dim, parts.begin(), parts.end());
  return infer.addPromoted(*dims);
}

LogicalResult rules::tensorSplit(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, dim);
  if (failed(dims))
    return failure();
  ExprAttr size = (*dims)[dim];
  if (infer.has("sections")) {
    std::optional<int64_t> sections = infer.getInt("sections");
    if (!sections || *sections < 1 || *sections > INT16_MAX)
      return infer.fail("expects a number of sections from 1 to " +
                        Twine(INT16_MAX));
    // The first parts take what does not divide.
    for (int64_t i = 0; i < *sections; ++i) {
      (*dims)[dim] = guard::floorDiv(size + (*sections - 1 - i), *sections);
      if (failed(infer.addPromoted(*dims)))
        return failure();
    }
    return success();
  }
  ExprAttr zero = infer.constant(0), begin = zero;
  Dims ends = *infer.getExprs("indices");
  ends.push_back(size);
  for (auto [i, end] : llvm::enumerate(ends)) {
    if (end.isConstant() && end.getPayload() < 0)
      end = guard::max(size + end.getPayload(), zero);
    ExprAttr bounded = guard::min(end, size);
    (*dims)[dim] = guard::max(bounded + begin * -1, zero);
    begin = bounded;
    if (failed(infer.addPromoted(*dims)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

LogicalResult rules::tile(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  Dims counts = *infer.getExprs("dims");
  while (counts.size() < dims->size())
    counts.insert(counts.begin(), infer.constant(1));
  while (dims->size() < counts.size())
    dims->insert(dims->begin(), infer.constant(1));
  for (auto [dim, count] : llvm::zip(*dims, counts)) {
    if (!infer.isAtLeast(count, 0))
      return infer.fail("expects counts that are not negative, but found " +
                        count.str());
    dim = guard::mul(dim, count);
  }
  return infer.addPromoted(*dims);
}

LogicalResult rules::repeatInterleave(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  ExprAttr count = infer.getExpr("repeats");
  if (!infer.isAtLeast(count, 0))
    return infer.fail("expects a count that is not negative, but found " +
                      count.str());
  if (!infer.has("dim") || dims->empty())
    return infer.addPromoted(
        {guard::mul(guard::getNumElements(infer.context, *dims), count)});
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
  if (failed(dim))
    return failure();
  (*dims)[*dim] = guard::mul((*dims)[*dim], count);
  return infer.addPromoted(*dims);
}

LogicalResult rules::rot90(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  auto plane = infer.getInts("dims");
  if (!plane || plane->size() != 2 || dims->size() < 2)
    return infer.fail("expects two dimensions of a tensor that has them");
  FailureOr<int64_t> a = infer.wrapDim((*plane)[0], dims->size());
  FailureOr<int64_t> b = infer.wrapDim((*plane)[1], dims->size());
  if (failed(a) || failed(b))
    return failure();
  if (*a == *b)
    return infer.fail("expects two different dimensions");
  if (*infer.getInt("k") % 2 != 0)
    std::swap((*dims)[*a], (*dims)[*b]);
  return infer.addPromoted(*dims);
}

LogicalResult rules::diff(Inference &infer) {
  int64_t dim;
  FailureOr<Dims> dims = getDimsAndDim(infer, dim);
  if (failed(dims))
    return failure();
  int64_t order = *infer.getInt("n");
  if (order < 0)
    return infer.fail("expects an order that is not negative, but found " +
                      Twine(order));
  ExprAttr &size = (*dims)[dim];
  for (StringRef name : {"prepend", "append"}) {
    if (order == 0 || !infer.has(name))
      continue;
    FailureOr<Dims> more = infer.getDimsOfRank(name, dims->size());
    if (failed(more))
      return failure();
    size = size + (*more)[dim];
  }
  size = guard::max(size + -order, infer.constant(0));
  return infer.addPromoted(*dims);
}

//===----------------------------------------------------------------------===//
// Lists of tensors
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Dims>> getListDims(Inference &infer) {
  ArrayRef<Value> tensors = infer.get("tensors").getValues();
  if (tensors.empty())
    return infer.fail("expects at least one tensor");
  SmallVector<Dims> all;
  for (Value tensor : tensors) {
    FailureOr<Dims> dims = infer.getDims(tensor, "tensors");
    if (failed(dims))
      return failure();
    all.push_back(*dims);
  }
  return all;
}

static Type getListType(Inference &infer, size_t i) {
  Value tensor = infer.get("tensors").getValues()[i];
  return llvm::cast<RankedTensorType>(tensor.getType()).getElementType();
}

LogicalResult rules::broadcastTensors(Inference &infer) {
  FailureOr<SmallVector<Dims>> all = getListDims(infer);
  if (failed(all))
    return failure();
  Dims joined;
  for (const Dims &dims : *all) {
    FailureOr<Dims> next = broadcastDims(infer, joined, dims);
    if (failed(next))
      return failure();
    joined = *next;
  }
  for (size_t i = 0; i < all->size(); ++i)
    infer.addResult(joined, getListType(infer, i));
  return success();
}

LogicalResult rules::meshgrid(Inference &infer) {
  FailureOr<SmallVector<Dims>> all = getListDims(infer);
  if (failed(all))
    return failure();
  Dims grid;
  for (auto [i, dims] : llvm::enumerate(*all)) {
    if (dims.size() > 1 || getListType(infer, i) != getListType(infer, 0))
      return infer.fail("expects vectors of one element type");
    grid.push_back(dims.empty() ? infer.constant(1) : dims.front());
  }
  for (size_t i = 0; i < all->size(); ++i)
    infer.addResult(grid, getListType(infer, i));
  return success();
}

LogicalResult rules::cartesianProd(Inference &infer) {
  FailureOr<SmallVector<Dims>> all = getListDims(infer);
  if (failed(all))
    return failure();
  ExprAttr count = infer.constant(1);
  for (const Dims &dims : *all) {
    if (dims.size() != 1)
      return infer.fail("expects vectors, but found rank " +
                        Twine(dims.size()));
    count = guard::mul(count, dims.front());
  }
  if (all->size() == 1)
    return infer.addPromoted({count});
  return infer.addPromoted({count, infer.constant(all->size())});
}

/// Concatenates along `dim`; all other sizes must agree.
static LogicalResult concatenate(Inference &infer, ArrayRef<Dims> all,
                                 size_t dim) {
  Dims result = all.front();
  for (const Dims &dims : all.drop_front()) {
    if (dims.size() != result.size())
      return infer.fail("expects tensors of one rank");
    for (auto [i, size] : llvm::enumerate(dims)) {
      if (i == dim)
        result[i] = result[i] + size;
      else if (infer.differ(result[i], size))
        return infer.fail("expects sizes that agree but along dimension " +
                          Twine(dim) + ", but found " + result[i].str() +
                          " and " + size.str());
    }
  }
  return infer.addPromoted(result);
}

LogicalResult rules::hstack(Inference &infer) {
  FailureOr<SmallVector<Dims>> all = getListDims(infer);
  if (failed(all))
    return failure();
  for (Dims &dims : *all)
    if (dims.empty())
      dims.push_back(infer.constant(1));
  return concatenate(infer, *all, all->front().size() == 1 ? 0 : 1);
}

LogicalResult rules::vstack(Inference &infer) {
  FailureOr<SmallVector<Dims>> all = getListDims(infer);
  if (failed(all))
    return failure();
  for (Dims &dims : *all)
    while (dims.size() < 2)
      dims.insert(dims.begin(), infer.constant(1));
  return concatenate(infer, *all, 0);
}
