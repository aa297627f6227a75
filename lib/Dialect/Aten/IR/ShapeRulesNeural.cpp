//===- ShapeRulesNeural.cpp - Gradients, norms, products -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kiln;
using namespace kiln::aten;

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

LogicalResult rules::likeSelf(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::likeSelfTwice(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self");
  FailureOr<Dims> weight = infer.getDims("weight");
  if (failed(self) || failed(weight))
    return failure();
  FailureOr<Dims> joined = broadcastDims(infer, *self, *weight);
  if (failed(joined))
    return failure();
  infer.addResult(*joined, infer.getElementType("self"));
  infer.addResult(*joined, infer.getElementType("weight"));
  return success();
}

LogicalResult rules::withBuffer(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims) || failed(infer.addPromoted(*dims)))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::glu(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->empty())
    return infer.fail("expects a tensor with dimensions");
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
  if (failed(dim))
    return failure();
  ExprAttr &size = (*dims)[*dim];
  if (!infer.divides(2, size))
    return infer.fail("expects a dimension of even size, but found " +
                      Twine(size.str()));
  size = guard::floorDiv(size, 2);
  return infer.addPromoted(*dims);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// The type of statistics: that of the weights, or of what else has one value
/// for each channel, or of the input.
static Type getStatisticsType(Inference &infer) {
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"})
    if (infer.has(name))
      return infer.getElementType(name);
  return infer.getElementType("input");
}

/// What has a number for each channel has as many.
static LogicalResult checkChannels(Inference &infer, ArrayRef<ExprAttr> dims) {
  if (dims.size() < 2)
    return infer.fail("expects an input of rank 2 or more, but found rank " +
                      Twine(dims.size()));
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"})
    if (infer.has(name) && failed(checkSizes(infer, name, {dims[1]})))
      return failure();
  return success();
}

LogicalResult rules::channelNorm(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims) || failed(checkChannels(infer, *dims)))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::batchNormStats(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims) || failed(checkChannels(infer, *dims)) ||
      failed(infer.addPromoted(*dims)))
    return failure();
  // By running statistics there is nothing to save.
  ExprAttr count = infer.getBool("training") ? (*dims)[1] : infer.constant(0);
  Type type = getStatisticsType(infer);
  infer.addResult({count}, type);
  infer.addResult({count}, type);
  if (infer.info.results.size() < 5)
    return success();
  for (StringRef name : {"running_mean", "running_var"}) {
    FailureOr<Dims> running = infer.getDims(name);
    if (failed(running))
      return failure();
    infer.addResult(*running, infer.getElementType(name));
  }
  return success();
}

/// Channels come in as many groups, and have a factor each.
static LogicalResult checkGroups(Inference &infer, ArrayRef<ExprAttr> dims,
                                 StringRef argument) {
  int64_t groups = *infer.getInt(argument);
  if (dims.size() < 2 || groups < 1 || !infer.divides(groups, dims[1]))
    return infer.fail("expects channels in " + Twine(groups) + " groups");
  for (StringRef name : {"weight", "bias"})
    if (infer.has(name) && failed(checkSizes(infer, name, {dims[1]})))
      return failure();
  return success();
}

/// What says the sizes of the input once more agrees with it.
static LogicalResult checkNormSizes(Inference &infer,
                                    ArrayRef<ExprAttr> dims) {
  ExprAttr rest = guard::product(infer.context, dims.drop_front(2));
  if (infer.differ(dims[0], infer.getExpr("N")) ||
      infer.differ(dims[1], infer.getExpr("C")) ||
      infer.differ(rest, infer.getExpr("HxW")))
    return infer.fail("expects 'N', 'C' and 'HxW' of the input");
  return success();
}

LogicalResult rules::groupNorm(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims) || failed(checkGroups(infer, *dims, "num_groups")))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::cross(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("self"), b = infer.getDims("other");
  if (failed(a) || failed(b))
    return failure();
  if (a->size() != b->size())
    return infer.fail("expects operands of one rank, but found ranks " +
                      Twine(a->size()) + " and " + Twine(b->size()));
  FailureOr<Dims> dims = broadcastDims(infer, *a, *b);
  if (failed(dims))
    return failure();
  int64_t dim = 0, rank = dims->size();
  if (infer.has("dim")) {
    FailureOr<int64_t> given = infer.getDim("dim", rank);
    if (failed(given))
      return failure();
    dim = *given;
  } else {
    // The first of 'self' of size 3 is taken.
    while (dim < rank && !infer.is((*a)[dim], 3))
      ++dim;
  }
  // This dimension does not broadcast.
  for (const Dims &operand : {*a, *b})
    if (dim >= rank || infer.differ(operand[dim], infer.constant(3)))
      return infer.fail("expects a dimension of size 3" +
                        (dim < rank ? ", but found " + operand[dim].str()
                                    : std::string()));
  return infer.addPromoted(*dims);
}

LogicalResult rules::groupNormStats(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims) || failed(checkGroups(infer, *dims, "group")) ||
      failed(checkNormSizes(infer, *dims)) ||
      failed(infer.addPromoted(*dims)))
    return failure();
  Dims groups{infer.getExpr("N"), infer.constant(*infer.getInt("group"))};
  Type type = getStatisticsType(infer);
  infer.addResult(groups, type);
  infer.addResult(groups, type);
  return success();
}

LogicalResult rules::normBackward(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims))
    return failure();
  ExprAttr channels = infer.getExpr("C");
  if (!channels && dims->size() < 2)
    return infer.fail("expects an input of rank 2 or more, but found rank " +
                      Twine(dims->size()));
  if (channels && (dims->size() < 2 || failed(checkNormSizes(infer, *dims)) ||
                   failed(checkGroups(infer, *dims, "group"))))
    return infer.fail("expects arguments that fit the input");
  if (!channels) {
    channels = (*dims)[1];
    if (failed(checkChannels(infer, *dims)))
      return failure();
  }
  if (failed(checkSizes(infer, "grad_out", *dims)))
    return failure();
  // Of a group norm there is a mean for each group.
  if (infer.has("group"))
    for (StringRef name : {"mean", "rstd"})
      if (failed(checkSizes(
              infer, name,
              {dims->front(), infer.constant(*infer.getInt("group"))})))
        return failure();
  Type type = infer.getElementType("input");
  Type weight = infer.has("weight") ? infer.getElementType("weight") : type;
  infer.addResult(*dims, type);
  infer.addResult({channels}, weight);
  infer.addResult({channels}, weight);
  return success();
}

LogicalResult rules::fusedRmsNorm(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  if (failed(dims) || failed(infer.addPromoted(*dims)))
    return failure();
  Dims normalized;
  for (int64_t size :
       infer.getInts("normalized_shape").value_or(SmallVector<int64_t>()))
    normalized.push_back(infer.constant(size));
  size_t count = normalized.size();
  if (count == 0 || count > dims->size())
    return infer.fail("expects 1 to " + Twine(dims->size()) +
                      " normalized sizes, but found " + Twine(count));
  for (auto [a, b] : llvm::zip(ArrayRef(*dims).take_back(count), normalized))
    if (infer.differ(a, b))
      return infer.fail("expects the input's last sizes to be the normalized "
                        "ones");
  if (infer.has("weight") && failed(checkSizes(infer, "weight", normalized)))
    return failure();
  std::fill(dims->end() - count, dims->end(), infer.constant(1));
  // The inverse root is kept in f32 for 16-bit inputs.
  Type type = infer.getElementType("input");
  if (type.isF16() || type.isBF16())
    type = mlir::Float32Type::get(infer.context);
  infer.addResult(*dims, type);
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult rules::convolutionBackward(Inference &infer) {
  SmallVector<Type> types;
  Inference ofForward = infer.withResults(types);
  if (failed(convolution(ofForward)))
    return failure();
  Dims expected = *guard::getDims(llvm::cast<RankedTensorType>(types.front()));
  if (failed(checkSizes(infer, "grad_output", expected)))
    return failure();
  FailureOr<Dims> input = infer.getDims("input"),
                  weight = infer.getDims("weight");
  ExprAttr channels = expected[expected.size() == weight->size() ? 1 : 0];
  // Exporters write any sizes of a bias that there is not.
  auto mask = llvm::dyn_cast_if_present<mlir::DenseBoolArrayAttr>(
      infer.get("output_mask").getAttribute());
  Dims bias = infer.getExprs("bias_sizes").value_or(Dims());
  bool isAsked = mask && mask.size() == 3 && mask[2] && !bias.empty();
  if (isAsked && (bias.size() > 1 || infer.differ(bias[0], channels)))
    return infer.fail("expects a bias of size " + Twine(channels.str()));
  if (failed(infer.addPromoted(*input)) || failed(infer.addPromoted(*weight)))
    return failure();
  return infer.addPromoted({channels});
}

LogicalResult rules::addbmm(Inference &infer) {
  FailureOr<Dims> a = infer.getDimsOfRank("batch1", 3),
                  b = infer.getDimsOfRank("batch2", 3);
  if (failed(a) || failed(b))
    return failure();
  if (infer.differ((*a)[0], (*b)[0]) || infer.differ((*a)[2], (*b)[1]))
    return infer.fail("expects as many matrices of sizes that fit");
  return infer.addPromoted({(*a)[1], (*b)[2]});
}

LogicalResult rules::mv(Inference &infer) {
  StringRef name = infer.has("mat") ? "mat" : "self";
  FailureOr<Dims> matrix = infer.getDimsOfRank(name, 2);
  FailureOr<Dims> vector = infer.getDimsOfRank("vec", 1);
  if (failed(matrix) || failed(vector))
    return failure();
  if (infer.differ((*matrix)[1], (*vector)[0]))
    return infer.fail("expects a vector of size " +
                      Twine((*matrix)[1].str()) + ", but found " +
                      (*vector)[0].str());
  if (name == "mat") { // `addmv`
    FailureOr<Dims> added = infer.getDims("self");
    if (failed(added))
      return failure();
    if (added->size() > 1 ||
        (added->size() == 1 && !infer.is(added->front(), 1) &&
         infer.differ(added->front(), (*matrix)[0])))
      return infer.fail("expects 'self' to broadcast to a vector of size " +
                        (*matrix)[0].str());
  }
  return infer.addPromoted({(*matrix)[0]});
}

LogicalResult rules::dot(Inference &infer) {
  FailureOr<Dims> a = infer.getDimsOfRank("self", 1),
                  b = infer.getDimsOfRank("tensor", 1);
  if (failed(a) || failed(b))
    return failure();
  if (infer.differ((*a)[0], (*b)[0]))
    return infer.fail("expects vectors of one size, but found " +
                      Twine((*a)[0].str()) + " and " + (*b)[0].str());
  return infer.addPromoted({});
}

LogicalResult rules::outer(Inference &infer) {
  FailureOr<Dims> a = infer.getDimsOfRank("self", 1),
                  b = infer.getDimsOfRank("vec2", 1);
  if (failed(a) || failed(b))
    return failure();
  return infer.addPromoted({(*a)[0], (*b)[0]});
}

LogicalResult rules::bilinear(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("input1"), b = infer.getDims("input2"),
                  weight = infer.getDimsOfRank("weight", 3);
  if (failed(a) || failed(b) || failed(weight))
    return failure();
  if (a->empty() || b->size() != a->size() ||
      infer.differ(a->back(), (*weight)[1]) ||
      infer.differ(b->back(), (*weight)[2]))
    return infer.fail("expects inputs of one rank, whose last sizes are those "
                      "of 'weight'");
  a->back() = weight->front();
  return infer.addPromoted(*a);
}
