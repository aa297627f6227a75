//===- ShapeRulesLinalg.cpp - Distances, factors, transforms --------------===//
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

//===----------------------------------------------------------------------===//
// Distances, factors, transforms
//===----------------------------------------------------------------------===//

LogicalResult rules::cdist(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("x1"), b = infer.getDims("x2");
  if (failed(a) || failed(b))
    return failure();
  if (a->size() < 2 || b->size() < 2 || infer.differ(a->back(), b->back()))
    return infer.fail("expects rows of one size in matrices or batches of "
                      "them");
  ArrayRef<ExprAttr> x(*a), y(*b);
  FailureOr<Dims> dims = broadcastDims(infer, x.drop_back(2), y.drop_back(2));
  if (failed(dims))
    return failure();
  dims->push_back(x[x.size() - 2]);
  dims->push_back(y[y.size() - 2]);
  return infer.addPromoted(*dims);
}

LogicalResult rules::cdistBackward(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("x1"), b = infer.getDims("x2");
  if (failed(a) || failed(b))
    return failure();
  if (a->size() < 2 || b->size() < 2)
    return infer.fail("expects matrices or batches of them");
  ArrayRef<ExprAttr> x(*a), y(*b);
  FailureOr<Dims> dims = broadcastDims(infer, x.drop_back(2), y.drop_back(2));
  if (failed(dims))
    return failure();
  llvm::append_range(*dims, x.take_back(2));
  // Without pairs PyTorch leaves the batches of `x2` out.
  ExprAttr pairs = guard::mul(guard::getNumElements(infer.context, *dims),
                              y[y.size() - 2]);
  return infer.addPromoted(infer.is(pairs, 0) ? *a : *dims);
}

LogicalResult rules::pdist(Inference &infer) {
  FailureOr<Dims> dims = infer.getDimsOfRank("self", 2);
  if (failed(dims))
    return failure();
  ExprAttr rows = dims->front();
  return infer.addPromoted(
      {guard::floorDiv(guard::mul(rows, rows + -1), 2)});
}

LogicalResult rules::pairwise(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("x1"), b = infer.getDims("x2");
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Dims> dims = broadcastDims(infer, *a, *b);
  if (failed(dims))
    return failure();
  bool hasDim = infer.has("dim");
  FailureOr<int64_t> dim = hasDim ? infer.getDim("dim", dims->size())
                                  : infer.wrapDim(-1, dims->size());
  if (failed(dim))
    return failure();
  if (!dims->empty()) {
    if (infer.getBool("keepdim"))
      (*dims)[*dim] = infer.constant(1);
    else
      dims->erase(dims->begin() + *dim);
  }
  return infer.addPromoted(*dims);
}

/// Sizes of square matrices and what stands before them.
static FailureOr<Dims> getSquareDims(Inference &infer, StringRef name) {
  FailureOr<Dims> dims = infer.getDims(name);
  if (failed(dims))
    return failure();
  if (dims->size() < 2 ||
      infer.differ((*dims)[dims->size() - 1], (*dims)[dims->size() - 2]))
    return infer.fail("expects '" + Twine(name) + "' to be square matrices");
  return dims;
}

LogicalResult rules::cholesky(Inference &infer) {
  FailureOr<Dims> dims = getSquareDims(infer, "self");
  if (failed(dims) || failed(infer.addPromoted(*dims)))
    return failure();
  infer.addResult(ArrayRef<ExprAttr>(*dims).drop_back(2),
                  mlir::IntegerType::get(infer.context, 32));
  return success();
}

LogicalResult rules::qr(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("A");
  if (failed(dims))
    return failure();
  if (dims->size() < 2)
    return infer.fail("expects matrices");
  StringRef mode = infer.getString("mode");
  Type type = infer.getElementType("A");
  size_t row = dims->size() - 2;
  ExprAttr rows = (*dims)[row], columns = dims->back();
  ExprAttr inner = mode == "complete" ? rows : guard::min(rows, columns);
  if (mode == "r") {
    infer.addResult(infer.constant(0), type);
  } else {
    dims->back() = inner;
    infer.addResult(*dims, type);
  }
  (*dims)[row] = inner;
  dims->back() = columns;
  infer.addResult(*dims, type);
  return success();
}

/// The sizes of the solutions X of A X = B, or of X A = B.
static FailureOr<Dims> getSolutions(Inference &infer, StringRef a, StringRef b,
                                    bool isLeft, Dims &coefficients) {
  FailureOr<Dims> matrices = getSquareDims(infer, a), right = infer.getDims(b);
  if (failed(matrices) || failed(right))
    return failure();
  if (right->size() < 2)
    return infer.fail("expects matrices");
  ExprAttr size = matrices->back();
  Dims own(ArrayRef<ExprAttr>(*right).take_back(2));
  ExprAttr common = isLeft ? own[0] : own[1];
  if (infer.differ(common, size))
    return infer.fail("expects right-hand sides of size " + Twine(size.str()) +
                      ", but found " + common.str());
  FailureOr<Dims> batch =
      broadcastDims(infer, ArrayRef<ExprAttr>(*matrices).drop_back(2),
                    ArrayRef<ExprAttr>(*right).drop_back(2));
  if (failed(batch))
    return failure();
  coefficients = *batch;
  coefficients.append({size, size});
  llvm::append_range(*batch, own);
  return batch;
}

LogicalResult rules::solveTriangular(Inference &infer) {
  Dims coefficients;
  FailureOr<Dims> dims = getSolutions(infer, "self", "B", infer.getBool("left"),
                                      coefficients);
  return succeeded(dims) ? infer.addPromoted(*dims) : failure();
}

LogicalResult rules::triangularSolve(Inference &infer) {
  Dims coefficients;
  FailureOr<Dims> dims =
      getSolutions(infer, "A", "self", /*isLeft=*/true, coefficients);
  if (failed(dims) || failed(infer.addPromoted(*dims)))
    return failure();
  return infer.addPromoted(coefficients);
}

LogicalResult rules::fft(Inference &infer, Spectrum kind) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  SmallVector<int64_t> axes;
  if (auto integers = infer.getInts("dim"))
    axes = *integers;
  else if (auto exprs = infer.getExprs("dim"))
    for (ExprAttr expr : *exprs)
      axes.push_back(expr.getConstant().value_or(0));
  for (int64_t &axis : axes) {
    FailureOr<int64_t> wrapped = infer.wrapDim(axis, dims->size());
    if (failed(wrapped))
      return failure();
    axis = *wrapped;
  }
  Type type = infer.getElementType("self");
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  bool wantsComplex = kind != Spectrum::OfReals;
  if (wantsComplex != !!complex)
    return infer.fail(Twine("expects a tensor of ") +
                      (wantsComplex ? "complex numbers" : "floats"));
  if (kind == Spectrum::OfReals) {
    if (!llvm::isa<mlir::FloatType>(type))
      return infer.fail("expects a tensor of floats");
    type = mlir::ComplexType::get(type);
    if (infer.getBool("onesided") && !axes.empty() && !dims->empty())
      (*dims)[axes.back()] = guard::floorDiv((*dims)[axes.back()], 2) + 1;
  } else if (kind == Spectrum::ToReals) {
    type = complex.getElementType();
    if (!axes.empty() && !dims->empty())
      (*dims)[axes.back()] = infer.getExpr("last_dim_size");
  }
  infer.addResult(*dims, type);
  return success();
}
