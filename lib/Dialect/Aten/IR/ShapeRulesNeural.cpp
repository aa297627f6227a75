//===- ShapeRulesNeural.cpp - Losses, norms, convolution, recurrence -----===//
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
// Losses
//===----------------------------------------------------------------------===//

static FailureOr<Dims> getLossDims(Inference &infer) {
  Dims dims;
  for (StringRef name : {"self", "target", "weight", "pos_weight"}) {
    if (!infer.has(name))
      continue;
    FailureOr<Dims> operand = infer.getDims(name);
    if (failed(operand))
      return failure();
    FailureOr<Dims> joined = broadcastDims(infer, dims, *operand);
    if (failed(joined))
      return failure();
    dims = std::move(*joined);
  }
  return dims;
}

static LogicalResult addLoss(Inference &infer, ArrayRef<ExprAttr> dims) {
  bool isReduced = *infer.getInt("reduction") != 0;
  return infer.addPromoted(isReduced ? ArrayRef<ExprAttr>() : dims);
}

LogicalResult rules::loss(Inference &infer) {
  FailureOr<Dims> dims = getLossDims(infer);
  return failed(dims) ? failure() : addLoss(infer, *dims);
}

LogicalResult rules::floatLoss(Inference &infer) {
  FailureOr<Dims> dims = getLossDims(infer);
  if (failed(dims))
    return failure();
  if (isIntegral(infer.getElementType("self")) ||
      isIntegral(infer.getElementType("target")))
    return infer.fail("expects floats");
  return addLoss(infer, *dims);
}

/// PyTorch computes some losses in the memory of a copy of one operand, which
/// decides about sizes and type.
static LogicalResult inferLossIn(Inference &infer, StringRef copied) {
  FailureOr<Dims> dims = getLossDims(infer), sizes = infer.getDims(copied);
  if (failed(dims) || failed(sizes))
    return failure();
  bool fits = sizes->size() == dims->size();
  for (auto [a, b] : llvm::zip(*sizes, *dims))
    fits &= !infer.differ(a, b);
  if (!fits)
    return infer.fail("expects operands that broadcast to '" + copied + "'");
  if (isIntegral(infer.getElementType(copied)))
    return infer.fail("expects '" + copied + "' to be of floats");
  return addLoss(infer, *dims);
}

LogicalResult rules::lossInSelf(Inference &infer) {
  return inferLossIn(infer, "self");
}

LogicalResult rules::lossInTarget(Inference &infer) {
  return inferLossIn(infer, "target");
}

LogicalResult rules::lossBackward(Inference &infer) {
  FailureOr<Dims> dims = getLossDims(infer);
  if (failed(dims))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::lossBackwardLikeSelf(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  for (StringRef name : {"grad_output", "target", "weight"}) {
    if (!infer.has(name))
      continue;
    FailureOr<Dims> operand = infer.getDims(name);
    if (failed(operand))
      return failure();
    FailureOr<Dims> joined = broadcastDims(infer, *dims, *operand);
    if (failed(joined))
      return failure();
    bool fits = joined->size() == dims->size();
    for (auto [a, b] : llvm::zip(*joined, *dims))
      fits &= !infer.differ(a, b);
    if (!fits)
      return infer.fail("expects '" + name + "' to broadcast to 'self'");
  }
  return infer.addPromoted(*dims);
}

LogicalResult rules::multiMarginLoss(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self");
  FailureOr<Dims> target = infer.getDims("target");
  if (failed(self) || failed(target))
    return failure();
  if (self->size() > 2 || target->size() > 1)
    return infer.fail("expects 'self' of rank 2 at most and 'target' of rank 1 "
                      "at most, but found ranks " + Twine(self->size()) +
                      " and " + Twine(target->size()));
  if (self->size() == 2 && target->size() == 1 &&
      infer.differ(self->front(), target->front()))
    return infer.fail("expects a target for each of " +
                      Twine(self->front().str()) + " samples, but found " +
                      target->front().str());
  bool isBatched = self->size() == 2 && *infer.getInt("reduction") == 0;
  return infer.addPromoted(isBatched ? *target : Dims());
}

LogicalResult rules::nllLoss(Inference &infer) {
  SmallVector<Type> types;
  Inference both = infer.withResults(types);
  if (failed(nllLossForward(both)))
    return failure();
  return infer.addPromoted(
      *guard::getDims(llvm::cast<RankedTensorType>(types.front())));
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

//===----------------------------------------------------------------------===//
// Attention and recurrence
//===----------------------------------------------------------------------===//

LogicalResult rules::flashAttention(Inference &infer) {
  FailureOr<Dims> query = infer.getDimsOfRank("query", 4);
  FailureOr<Dims> key = infer.getDimsOfRank("key", 4);
  FailureOr<Dims> value = infer.getDimsOfRank("value", 4);
  if (failed(query) || failed(key) || failed(value))
    return failure();
  if (infer.differ(query->back(), key->back()) ||
      infer.differ((*key)[2], (*value)[2]))
    return infer.fail("expects keys of the size of queries, and as many values "
                      "as keys");
  query->back() = value->back();
  if (failed(infer.addPromoted(*query)))
    return failure();
  query->pop_back();
  Type type = infer.getElementType("query");
  infer.addResult(*query, type.isF64()
                              ? type
                              : mlir::Float32Type::get(infer.context));
  return success();
}

LogicalResult rules::flashAttentionBackward(Inference &infer) {
  SmallVector<Type> types;
  Inference ofForward = infer.withResults(types);
  if (failed(flashAttention(ofForward)))
    return failure();
  auto dimsOf = [&](size_t i) {
    return *guard::getDims(llvm::cast<RankedTensorType>(types[i]));
  };
  if (failed(checkSizes(infer, "grad_out", dimsOf(0))) ||
      failed(checkSizes(infer, "out", dimsOf(0))) ||
      failed(checkSizes(infer, "logsumexp", dimsOf(1))))
    return failure();
  if (infer.getElementType("logsumexp") !=
      mlir::getElementTypeOrSelf(types[1]))
    return infer.fail("expects 'logsumexp' to be what the forward operator "
                      "gives");
  for (StringRef name : {"query", "key", "value"}) {
    FailureOr<Dims> dims = infer.getDims(name);
    if (failed(dims))
      return failure();
    infer.addResult(*dims, infer.getElementType(name));
  }
  return success();
}

/// The states that a layer begins with: one tensor or a list.
static SmallVector<Value> getStates(Inference &infer) {
  ArrayRef<Value> values = infer.get("hx").getValues();
  return SmallVector<Value>(values.begin(), values.end());
}

/// How many rows a matrix of weights has for each number of a state: a gate
/// each.
static int64_t getNumGates(Inference &infer) {
  StringRef name = infer.info.getOverload();
  return name.starts_with("lstm") ? 4 : name.starts_with("gru") ? 3 : 1;
}

/// The weights of all layers, in both directions: matrices for the input and
/// for the state, then biases. `dims` are those of the input.
static LogicalResult checkLayers(Inference &infer, ArrayRef<ExprAttr> dims,
                                 ArrayRef<ExprAttr> state) {
  ArrayRef<Value> params = infer.get("params").getValues();
  int64_t directions = infer.getBool("bidirectional") ? 2 : 1,
          layers = *infer.getInt("num_layers");
  size_t perCell = infer.getBool("has_biases") ? 4 : 2;
  // A projection of the states has one more; nothing is said of its sizes.
  if (params.size() == size_t(layers * directions) * (perCell + 1)) {
    infer.fixSizes();
    return success();
  }
  if (layers < 1 || params.size() != size_t(layers * directions) * perCell)
    return infer.fail("expects " + Twine(perCell) + " tensors in 'params' for "
                      "each layer and direction, but found " +
                      Twine(params.size()));
  ExprAttr size = state.back(), rows = size * getNumGates(infer);
  for (size_t i = 0; i < params.size(); ++i) {
    size_t kind = i % perCell;
    bool isFirst = i / perCell < size_t(directions);
    Dims expected{rows};
    if (kind == 0)
      expected.push_back(isFirst ? dims.back() : size * directions);
    else if (kind == 1)
      expected.push_back(size);
    FailureOr<Dims> found = infer.getDims(params[i], "params");
    if (failed(found))
      return failure();
    bool fits = found->size() == expected.size();
    for (auto [a, b] : llvm::zip(*found, expected))
      fits &= !infer.differ(a, b);
    if (!fits)
      return infer.fail("expects 'params' that fit the input and the states, "
                        "but found another size in tensor " + Twine(i));
  }
  if (infer.differ(state.front(), infer.constant(layers * directions)))
    return infer.fail("expects " + Twine(layers * directions) +
                      " states, but found " + state.front().str());
  return success();
}

static LogicalResult addStates(Inference &infer, ArrayRef<Value> states) {
  for (Value state : states) {
    FailureOr<Dims> dims = infer.getDims(state, "hx");
    if (failed(dims))
      return failure();
    infer.addResult(*dims, infer.getElementType("input"));
  }
  return success();
}

LogicalResult rules::recurrent(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("input");
  SmallVector<Value> states = getStates(infer);
  if (failed(dims))
    return failure();
  if (states.size() + 1 != infer.info.results.size())
    return infer.fail("expects " + Twine(infer.info.results.size() - 1) +
                      " states, but found " + Twine(states.size()));
  FailureOr<Dims> state = infer.getDims(states.front(), "hx");
  if (failed(state))
    return failure();
  bool isBatched = dims->size() == 3;
  if (state->size() != dims->size() || (!isBatched && dims->size() != 2))
    return infer.fail("expects an input of rank 2 or 3 and states of that "
                      "rank, but found ranks " + Twine(dims->size()) + " and " +
                      Twine(state->size()));
  for (Value other : ArrayRef<Value>(states).drop_front()) {
    FailureOr<Dims> same = infer.getDims(other, "hx");
    if (failed(same))
      return failure();
    bool fits = same->size() == state->size();
    for (auto [a, b] : llvm::zip(*same, *state))
      fits &= !infer.differ(a, b);
    if (!fits)
      return infer.fail("expects states of one shape");
  }
  size_t time = isBatched && infer.getBool("batch_first") ? 1 : 0;
  if (isBatched && infer.differ((*dims)[1 - time], (*state)[1]))
    return infer.fail("expects a state for each of " +
                      Twine((*dims)[1 - time].str()) +
                      " sequences, but found " + (*state)[1].str());
  if (failed(checkLayers(infer, *dims, *state)))
    return failure();
  infer.getFixed((*dims)[time], "whose number of steps it is");
  // Both directions stand side by side.
  dims->back() = state->back() * (infer.getBool("bidirectional") ? 2 : 1);
  if (failed(infer.addPromoted(*dims)))
    return failure();
  return addStates(infer, states);
}

/// The weights of a cell are one matrix a gate, on top of each other.
static LogicalResult checkCell(Inference &infer, ArrayRef<Value> states) {
  FailureOr<Dims> input = infer.getDims("input"),
                  state = infer.getDims(states.front(), "hx");
  if (failed(input) || failed(state))
    return failure();
  if (input->empty() || state->empty())
    return infer.fail("expects an input and states with dimensions");
  ExprAttr size = state->back(), rows = size * getNumGates(infer);
  if (failed(checkSizes(infer, "w_ih", {rows, input->back()})) ||
      failed(checkSizes(infer, "w_hh", {rows, size})))
    return failure();
  for (StringRef bias : {"b_ih", "b_hh"})
    if (infer.has(bias) && failed(checkSizes(infer, bias, {rows})))
      return failure();
  return success();
}

LogicalResult rules::recurrentCell(Inference &infer) {
  SmallVector<Value> states = getStates(infer);
  if (states.size() != infer.info.results.size())
    return infer.fail("expects " + Twine(infer.info.results.size()) +
                      " states, but found " + Twine(states.size()));
  if (failed(checkCell(infer, states)))
    return failure();
  return addStates(infer, states);
}
