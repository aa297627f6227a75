//===- ShapeRulesBackward.cpp - Gradients beside what they belong to ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward operator takes the arguments of its forward operator by the same
// names, so the forward rule says what sizes the incoming gradient must have.
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;

LogicalResult aten::checkSizes(Inference &infer, StringRef name,
                               ArrayRef<ExprAttr> expected) {
  FailureOr<Dims> dims = infer.getDims(name);
  if (failed(dims))
    return failure();
  bool isSame = dims->size() == expected.size();
  for (auto [a, b] : llvm::zip(*dims, expected))
    isSame &= !infer.differ(a, b);
  if (isSame)
    return success();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(expected, os, [&](ExprAttr dim) { os << dim.str(); });
  return infer.fail("expects '" + name + "' of sizes [" + text + "]");
}

/// Checks the incoming gradient against a forward rule, result like `self`.
static LogicalResult
likeForward(Inference &infer,
            llvm::function_ref<LogicalResult(Inference &)> forward) {
  SmallVector<Type> types;
  Inference ofForward = infer.withResults(types);
  if (failed(forward(ofForward)))
    return failure();
  Dims expected =
      *guard::getDims(llvm::cast<RankedTensorType>(types.front()));
  if (failed(checkSizes(infer, "grad_output", expected)))
    return failure();
  return rules::likeSelf(infer);
}

LogicalResult rules::reflectionPadBackward(Inference &infer, size_t spatial) {
  return likeForward(infer, [&](Inference &forward) {
    return reflectionPad(forward, spatial);
  });
}

LogicalResult rules::replicationPadBackward(Inference &infer, size_t spatial) {
  return likeForward(infer, [&](Inference &forward) {
    return replicationPad(forward, spatial);
  });
}

LogicalResult rules::poolBackward(Inference &infer) {
  // Of each gradient there is the place of a maximum.
  if (infer.has("indices")) {
    FailureOr<Dims> dims = infer.getDims("grad_output");
    if (failed(dims) || failed(checkSizes(infer, "indices", *dims)))
      return failure();
  }
  return likeForward(infer, pool);
}

LogicalResult rules::gluBackward(Inference &infer) {
  return likeForward(infer, glu);
}

/// The places that an adaptive pooling gives are those of the gradient.
LogicalResult rules::adaptivePoolBackward(Inference &infer, size_t spatial) {
  FailureOr<Dims> dims = infer.getDims("self"),
                  grad = infer.getDims("grad_output");
  if (failed(dims) || failed(grad))
    return failure();
  if (dims->size() < spatial + 1)
    return infer.fail("expects an input of rank " + Twine(spatial + 1) +
                      " or more, but found rank " + Twine(dims->size()));
  Dims expected(dims->begin(), dims->end() - spatial);
  if (grad->size() == dims->size())
    expected.append(grad->end() - spatial, grad->end());
  if (failed(checkSizes(infer, "grad_output", expected)))
    return failure();
  if (infer.has("indices") && failed(checkSizes(infer, "indices", expected)))
    return failure();
  return likeSelf(infer);
}

LogicalResult rules::upsampleBackward(Inference &infer) {
  Dims input = *infer.getExprs("input_size"),
       output = *infer.getExprs("output_size");
  if (input.size() != output.size() + 2)
    return infer.fail("expects two more sizes of the input than of the "
                      "resized image");
  Dims expected{input[0], input[1]};
  llvm::append_range(expected, output);
  if (failed(checkSizes(infer, "grad_output", expected)))
    return failure();
  return inputSizes(infer);
}

/// Distances of pairs of rows: n * (n - 1) / 2 of them.
LogicalResult rules::pdistBackward(Inference &infer) {
  FailureOr<Dims> dims = infer.getDimsOfRank("self", 2);
  if (failed(dims))
    return failure();
  ExprAttr rows = dims->front();
  ExprAttr pairs = guard::floorDiv(rows * (rows + -1), 2);
  if (failed(checkSizes(infer, "grad_output", {pairs})) ||
      failed(checkSizes(infer, "pdist", {pairs})))
    return failure();
  return likeSelf(infer);
}
