//===- ShapeRulesOther.cpp - Norms, losses, indexing, factories ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;

static Type getFirstType(Inference &infer) {
  return infer.getElementType(infer.getFirstTensor());
}

//===----------------------------------------------------------------------===//
// Softmax, normalization, dropout
//===----------------------------------------------------------------------===//

LogicalResult rules::softmax(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims) || failed(infer.getDim("dim", dims->size())))
    return failure();
  if (!infer.getBool("half_to_float"))
    return infer.addPromoted(*dims);
  if (!getFirstType(infer).isF16())
    return infer.fail("expects f16 to convert to f32, with 'half_to_float'");
  infer.addResult(*dims, mlir::Float32Type::get(infer.context));
  return success();
}

LogicalResult rules::softmaxBackward(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("grad_output");
  if (failed(dims) || failed(checkSizes(infer, "output", *dims)))
    return failure();
  infer.addResult(*dims, infer.getDType("input_dtype"));
  return success();
}

/// The sizes before the normalized ones, and those replaced by 1.
static FailureOr<Dims> getStatisticsDims(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims))
    return failure();
  Dims normalized = *infer.getExprs("normalized_shape");
  if (normalized.empty() || normalized.size() > dims->size())
    return infer.fail("expects 1 to " + Twine(dims->size()) +
                      " normalized sizes, but found " +
                      Twine(normalized.size()));
  size_t outer = dims->size() - normalized.size();
  for (auto [i, size] : llvm::enumerate(normalized)) {
    ExprAttr &dim = (*dims)[outer + i];
    if (infer.differ(dim, size))
      return infer.fail("expects the input's last sizes to be the normalized "
                        "ones, but found " + Twine(dim.str()) + " and " +
                        size.str());
    dim = infer.constant(1);
  }
  for (StringRef name : {"weight", "bias"}) {
    if (!infer.has(name))
      continue;
    FailureOr<Dims> scale = infer.getDimsOfRank(name, normalized.size());
    if (failed(scale))
      return failure();
    for (auto [a, b] : llvm::zip(*scale, normalized))
      if (infer.differ(a, b))
        return infer.fail("expects '" + name + "' of the normalized sizes, but "
                          "found " + a.str() + " against " + b.str());
  }
  return dims;
}

LogicalResult rules::layerNorm(Inference &infer) {
  if (failed(getStatisticsDims(infer)))
    return failure();
  return infer.addPromoted(*infer.getDims("input"));
}

LogicalResult rules::nativeLayerNorm(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  FailureOr<Dims> statistics = getStatisticsDims(infer);
  if (failed(dims) || failed(statistics))
    return failure();
  Type type = infer.getElementType("input");
  // bf16 and f16 with f32 weights keep their statistics in f32.
  Type weight = infer.has("weight") ? infer.getElementType("weight") : type;
  infer.addResult(*dims, type);
  infer.addResult(*statistics, weight);
  infer.addResult(*statistics, weight);
  return success();
}

LogicalResult rules::nativeLayerNormBackward(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  FailureOr<Dims> statistics = getStatisticsDims(infer);
  if (failed(dims) || failed(statistics) ||
      failed(checkSizes(infer, "grad_out", *dims)) ||
      failed(checkSizes(infer, "mean", *statistics)) ||
      failed(checkSizes(infer, "rstd", *statistics)))
    return failure();
  Dims normalized = *infer.getExprs("normalized_shape");
  Type type = infer.getElementType("input");
  Type weight = infer.has("weight") ? infer.getElementType("weight") : type;
  infer.addResult(*dims, type);
  infer.addResult(normalized, weight);
  infer.addResult(normalized, weight);
  return success();
}

LogicalResult rules::nativeDropout(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims) || failed(infer.addPromoted(*dims)))
    return failure();
  infer.addResult(*dims, mlir::IntegerType::get(infer.context, 1));
  return success();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// Checks `self` [N, C, ...] or [C] against `target` of class indices, and
/// gives the target's sizes.
static FailureOr<Dims> getTargetDims(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self");
  FailureOr<Dims> target = infer.getDims("target");
  if (failed(self) || failed(target))
    return failure();
  if (self->empty() || target->size() + 1 != self->size())
    return infer.fail("expects 'target' of a rank one less than that of "
                      "'self', but found ranks " + Twine(target->size()) +
                      " and " + Twine(self->size()));
  // Dimension 1 holds the classes, or dimension 0 of a single sample.
  size_t classDim = self->size() > 1 ? 1 : 0;
  ExprAttr classes = (*self)[classDim];
  self->erase(self->begin() + classDim);
  for (auto [a, b] : llvm::zip(*self, *target))
    if (infer.differ(a, b))
      return infer.fail("expects the sizes of 'self' without its classes to be "
                        "those of 'target', but found " + Twine(a.str()) +
                        " and " + b.str());
  if (infer.has("weight") && failed(checkSizes(infer, "weight", {classes})))
    return failure();
  return target;
}

LogicalResult rules::crossEntropy(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self");
  FailureOr<Dims> target = infer.getDims("target");
  if (failed(self) || failed(target))
    return failure();
  if (llvm::isa<mlir::ComplexType>(infer.getElementType("self")) ||
      llvm::isa<mlir::ComplexType>(infer.getElementType("target")))
    return infer.fail("expects floats, but found complex numbers");
  Dims result = *target;
  bool hasProbabilities =
      target->size() == self->size() && !isIntegral(infer.getElementType("target"));
  if (hasProbabilities) {
    if (!result.empty())
      result.erase(result.begin() + (result.size() > 1 ? 1 : 0));
  } else if (failed(getTargetDims(infer))) {
    return failure();
  }
  return infer.addPromoted(*infer.getInt("reduction") == 0 ? result : Dims());
}

LogicalResult rules::nllLossForward(Inference &infer) {
  FailureOr<Dims> target = getTargetDims(infer);
  if (failed(target) ||
      failed(infer.addPromoted(*infer.getInt("reduction") == 0 ? *target
                                                               : Dims())))
    return failure();
  infer.addResult({}, getFirstType(infer));
  return success();
}

LogicalResult rules::nllLossBackward(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self"), target = getTargetDims(infer),
                  grad = infer.getDims("grad_output");
  if (failed(dims) || failed(target) || failed(grad))
    return failure();
  bool isReduced = *infer.getInt("reduction") != 0;
  if (isReduced) // one number, as a vector too
    target->assign(grad->size() == 1, infer.constant(1));
  if (failed(checkSizes(infer, "grad_output", *target)))
    return failure();
  infer.addResult(*dims, infer.getElementType("self"));
  return success();
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

LogicalResult rules::embedding(Inference &infer) {
  FailureOr<Dims> weight = infer.getDimsOfRank("weight", 2);
  FailureOr<Dims> indices = infer.getDims("indices");
  if (failed(weight) || failed(indices))
    return failure();
  Type type = infer.getElementType("indices");
  if (!type.isInteger(64) && !type.isInteger(32))
    return infer.fail("expects 'indices' to be of i64 or i32");
  indices->push_back(weight->back());
  infer.addResult(*indices, infer.getElementType("weight"));
  return success();
}

LogicalResult rules::embeddingBackward(Inference &infer) {
  FailureOr<Dims> grad = infer.getDims("grad_output"),
                  indices = infer.getDims("indices");
  if (failed(grad) || failed(indices))
    return failure();
  if (grad->empty())
    return infer.fail("expects 'grad_output' to have dimensions");
  ExprAttr rows =
      guard::product(infer.context, ArrayRef<ExprAttr>(*grad).drop_back());
  ExprAttr count = guard::getNumElements(infer.context, *indices);
  if (infer.differ(rows, count))
    return infer.fail("expects a gradient for each of " + Twine(count.str()) +
                      " indices, but found " + rows.str());
  infer.addResult({infer.getExpr("num_weights"), grad->back()},
                  infer.getElementType("grad_output"));
  return success();
}

/// Checks 'index' of i64 or i32 against 'self', and 'src' if there is one: an
/// index tensor has the rank of 'self'. Gives the sizes of 'self'.
static FailureOr<Dims> checkIndex(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self"), index = infer.getDims("index");
  if (failed(self) || failed(index) ||
      failed(infer.getDim("dim", self->size())))
    return failure();
  // An empty index names nothing, whatever it is.
  if (infer.is(guard::getNumElements(infer.context, *index), 0))
    return self;
  Type type = infer.getElementType("index");
  if (!type.isInteger(64) && !type.isInteger(32))
    return infer.fail("expects 'index' to be of i64 or i32");
  if (std::max<size_t>(self->size(), 1) != std::max<size_t>(index->size(), 1))
    return infer.fail("expects 'index' of the rank of 'self', but found ranks " +
                      Twine(index->size()) + " and " + Twine(self->size()));
  int64_t dim = *infer.getDim("dim", self->size());
  for (auto [i, sizes] : llvm::enumerate(llvm::zip(*self, *index))) {
    auto [size, count] = sizes;
    if (int64_t(i) != dim && !infer.holds(guard::le(count, size)))
      return infer.fail("expects 'index' to be no larger than 'self' but along "
                        "dimension " + Twine(dim) + "; found " + count.str() +
                        " against " + size.str() + " at dimension " + Twine(i));
  }
  return self;
}

LogicalResult rules::gather(Inference &infer) {
  if (failed(checkIndex(infer)))
    return failure();
  infer.addResult(*infer.getDims("index"), infer.getElementType("self"));
  return success();
}

LogicalResult rules::indexWrite(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self"), index = infer.getDims("index"),
                  source = infer.getDims("source");
  if (failed(dims) || failed(index) || failed(source))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
  if (failed(dim))
    return failure();
  Type type = infer.getElementType("index");
  if (!type.isInteger(64) && !type.isInteger(32))
    return infer.fail("expects 'index' to be of i64 or i32");
  if (infer.getElementType("source") != infer.getElementType("self"))
    return infer.fail("expects 'source' of the element type of 'self'");
  if (std::max<size_t>(source->size(), 1) != std::max<size_t>(dims->size(), 1))
    return infer.fail("expects 'source' of the rank of 'self', but found "
                      "ranks " + Twine(source->size()) + " and " +
                      Twine(dims->size()));
  for (auto [k, sizes] : llvm::enumerate(llvm::zip(*source, *dims)))
    if (k != size_t(*dim) &&
        infer.differ(std::get<0>(sizes), std::get<1>(sizes)))
      return infer.fail("expects 'source' of the sizes of 'self' but in the "
                        "dimension of the index");
  // An index for each slice of the source; a scalar is one slice.
  ExprAttr count = guard::getNumElements(infer.context, *index);
  ExprAttr slices = size_t(*dim) < source->size() ? (*source)[*dim]
                                                  : infer.constant(1);
  if (infer.differ(count, slices))
    return infer.fail("expects an index for each slice of 'source', but found " +
                      Twine(count.str()) + " for " + slices.str());
  return infer.addPromoted(*dims);
}

LogicalResult rules::scatter(Inference &infer) {
  FailureOr<Dims> self = checkIndex(infer);
  if (failed(self))
    return failure();
  Type type = infer.getElementType("self");
  if (infer.getTensorType("src")) {
    if (infer.getElementType("src") != type)
      return infer.fail("expects 'src' of the element type of 'self'");
    FailureOr<Dims> index = infer.getDims("index"), src = infer.getDims("src");
    if (failed(src))
      return failure();
    ExprAttr count = guard::getNumElements(infer.context, *index);
    bool isEmpty = infer.is(count, 0);
    if (!isEmpty &&
        std::max<size_t>(src->size(), 1) != std::max<size_t>(self->size(), 1))
      return infer.fail("expects 'src' of the rank of 'self', but found ranks " +
                        Twine(src->size()) + " and " + Twine(self->size()));
    for (auto [wanted, size] : llvm::zip(*index, *src))
      if (!isEmpty && !infer.holds(guard::le(wanted, size)))
        return infer.fail("expects 'src' to be no smaller than 'index', but "
                          "found size " + Twine(size.str()) + " against " +
                          wanted.str());
  }
  infer.addResult(*self, type);
  return success();
}

LogicalResult rules::indexSelect(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self"), index = infer.getDims("index");
  if (failed(self) || failed(index))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dim", self->size());
  if (failed(dim))
    return failure();
  Type type = infer.getElementType("index");
  if (!type.isInteger(64) && !type.isInteger(32))
    return infer.fail("expects 'index' to be of i64 or i32");
  if (index->size() > 1)
    return infer.fail("expects 'index' of rank 0 or 1, but found rank " +
                      Twine(index->size()));
  if (!self->empty())
    (*self)[*dim] = index->empty() ? infer.constant(1) : index->front();
  infer.addResult(*self, infer.getElementType("self"));
  return success();
}

static bool isMask(Value index) {
  Type type = llvm::cast<RankedTensorType>(index.getType()).getElementType();
  return type.isInteger(1) || type.isUnsignedInteger(8);
}

/// The sizes of an index that stands at dimension `at` of `self`. A mask stands
/// for the places where it is set: `count` of them.
static FailureOr<Dims> getIndexDims(Inference &infer, Value index,
                                    ArrayRef<ExprAttr> self, size_t at,
                                    ExprAttr count) {
  FailureOr<Dims> dims = infer.getDims(index, "indices");
  if (failed(dims))
    return failure();
  if (isMask(index)) {
    if (at + dims->size() > self.size())
      return infer.fail("has masks of more dimensions than 'self'");
    for (auto [a, b] : llvm::zip(*dims, self.drop_front(at)))
      if (infer.differ(a, b))
        return infer.fail("expects a mask of the sizes that it masks, but "
                          "found " + Twine(a.str()) + " against " + b.str());
    return Dims{count};
  }
  Type type = llvm::cast<RankedTensorType>(index.getType()).getElementType();
  if (!type.isInteger(64) && !type.isInteger(32))
    return infer.fail("expects indices of i64 or i32, or masks of bool");
  return dims;
}

/// What is left of the sizes of `self` between what indices name.
struct IndexedDims {
  Dims named; ///< of what the indices name together
  Dims kept;
  size_t first = 0;      ///< where `named` stands among `kept`
  bool isCounted = true; ///< false for masks, if nothing stands for the count
};

/// The sizes of self[indices]. `nameCount` gives a size for how many elements
/// of a mask are set, or null.
static FailureOr<IndexedDims>
getIndexedDims(Inference &infer, function_ref<ExprAttr()> nameCount) {
  FailureOr<Dims> self = infer.getDims("self");
  if (failed(self))
    return failure();
  IndexedDims result;
  size_t blocks = 0, dim = 0;
  bool wasIndexed = false;
  for (Value index : infer.get("indices").getValues()) {
    if (dim >= self->size() && !(index && isMask(index)))
      return infer.fail("has more indices than a tensor of rank " +
                        Twine(self->size()) + " has dimensions");
    if (!index) {
      result.kept.push_back((*self)[dim++]);
      wasIndexed = false;
      continue;
    }
    ExprAttr count = isMask(index) ? nameCount() : ExprAttr();
    FailureOr<Dims> dims = getIndexDims(infer, index, *self, dim, count);
    if (failed(dims))
      return failure();
    if (llvm::is_contained(*dims, ExprAttr())) {
      result.isCounted = false;
    } else if (result.isCounted) {
      FailureOr<Dims> both = broadcastDims(infer, result.named, *dims);
      if (failed(both))
        return failure();
      result.named = *both;
    }
    dim += isMask(index)
               ? llvm::cast<RankedTensorType>(index.getType()).getRank()
               : 1;
    if (!wasIndexed && blocks++ == 0)
      result.first = result.kept.size();
    wasIndexed = true;
  }
  result.kept.append(self->begin() + dim, self->end());
  // Indices that are not neighbours put their dimensions in front.
  if (blocks > 1)
    result.first = 0;
  return result;
}

LogicalResult rules::index(Inference &infer) {
  FailureOr<IndexedDims> indexed = getIndexedDims(infer, [&] {
    return infer.getDataSize({0, guard::Interval::kMax});
  });
  if (failed(indexed))
    return failure();
  Dims dims = indexed->kept;
  if (indexed->isCounted)
    dims.insert(dims.begin() + indexed->first, indexed->named.begin(),
                indexed->named.end());
  else
    dims.push_back(ExprAttr());
  infer.addDataDependent(dims, infer.getElementType("self"));
  return success();
}

LogicalResult rules::indexPut(Inference &infer) {
  // No result has the size of what masks select, so none gets a name; the
  // operator sees whether there are as many values.
  FailureOr<IndexedDims> indexed =
      getIndexedDims(infer, [] { return ExprAttr(); });
  FailureOr<Dims> values = infer.getDims("values");
  if (failed(indexed) || failed(values))
    return failure();
  if (infer.getElementType("values") != infer.getElementType("self"))
    return infer.fail("expects 'values' of the element type of 'self'");
  Dims dims = indexed->kept;
  if (indexed->isCounted)
    dims.insert(dims.begin() + indexed->first, indexed->named.begin(),
                indexed->named.end());
  else // what follows the masked dimensions
    dims.erase(dims.begin(), dims.begin() + indexed->first);
  // Leading sizes of 1 may go.
  while (indexed->isCounted && values->size() > dims.size() &&
         infer.is(values->front(), 1))
    values->erase(values->begin());
  bool fits = !indexed->isCounted || values->size() <= dims.size();
  for (auto [a, b] : llvm::zip(llvm::reverse(dims), llvm::reverse(*values)))
    fits &= infer.is(b, 1) || !infer.differ(a, b);
  if (!fits)
    return infer.fail("expects 'values' that broadcast to what the indices "
                      "name");
  infer.addResult(*infer.getDims("self"), infer.getElementType("self"));
  return success();
}

//===----------------------------------------------------------------------===//
// Factories
//===----------------------------------------------------------------------===//

LogicalResult rules::fromSize(Inference &infer) {
  Dims dims = *infer.getExprs("size");
  for (ExprAttr dim : dims)
    if (!infer.isAtLeast(dim, 0))
      return infer.fail("expects sizes that are not negative, but found " +
                        dim.str());
  return infer.addPromoted(dims);
}

LogicalResult rules::emptyPermuted(Inference &infer) {
  size_t rank = infer.getExprs("size")->size();
  SmallVector<int64_t> order = *infer.getInts("physical_layout");
  SmallVector<bool> seen(rank, false);
  bool isPermutation = order.size() == rank;
  for (int64_t dim : order) {
    isPermutation &= dim >= 0 && dim < int64_t(rank) && !seen[dim];
    if (isPermutation)
      seen[dim] = true;
  }
  if (!isPermutation)
    return infer.fail("expects each of " + Twine(rank) +
                      " dimensions once in 'physical_layout'");
  return fromSize(infer);
}

LogicalResult rules::scalarTensor(Inference &infer) {
  return infer.addPromoted({});
}

LogicalResult rules::arange(Inference &infer) {
  auto getNumber = [&](StringRef name, int64_t byDefault) {
    return infer.has(name) ? infer.getNumber(name) : infer.constant(byDefault);
  };
  ExprAttr start = getNumber("start", 0), end = getNumber("end", 0),
           step = getNumber("step", 1);
  if (!start || !end || !step)
    return infer.fail("expects numbers that are constants or expressions over "
                      "symbols; the size is not known else");
  if (step.isConstant(0))
    return infer.fail("expects a step that is not 0");
  ExprAttr size;
  if (start.isFloatTyped() || end.isFloatTyped() || step.isFloatTyped()) {
    // ceil((end - start) / step) in f64.
    ExprAttr extent = guard::add(guard::toFloat(end),
                                 guard::mul(guard::toFloat(start),
                                            guard::getFloat(infer.context, -1)));
    ExprAttr quotient = guard::build(guard::ExprKind::TrueDiv, {extent, step});
    size = guard::build(guard::ExprKind::Ceil, {quotient});
  } else {
    size = guard::ceilDiv(guard::sub(end, start), step);
  }
  guard::Assumptions sizes;
  ExprAttr zero = infer.constant(0);
  bool isDown = guard::lt(step, zero).isConstant(1);
  if ((isDown ? guard::lt(start, end) : guard::lt(end, start)).isConstant(1))
    return infer.fail("expects bounds in the direction of the step");
  if (!guard::isKnownNonNegative(size, sizes))
    size = guard::max(size, infer.constant(0));
  return infer.addPromoted({size});
}

LogicalResult rules::linspace(Inference &infer) {
  int64_t steps = *infer.getInt("steps");
  if (steps < 0)
    return infer.fail("expects steps that are not negative, but found " +
                      Twine(steps));
  return infer.addPromoted({infer.constant(steps)});
}

LogicalResult rules::eye(Inference &infer) {
  ExprAttr n = infer.getExpr("n");
  if (!infer.isAtLeast(n, 0))
    return infer.fail("expects a size that is not negative, but found " +
                      n.str());
  return infer.addPromoted({n, n});
}
