//===- ShapeRulesArrange.cpp - Bytes, repetitions, concatenations --------===//
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

//===----------------------------------------------------------------------===//
// Diagonals
//===----------------------------------------------------------------------===//

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
