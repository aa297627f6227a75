//===- ShapeRulesRecurrent.cpp - Sizes of attention and recurrence --------===//
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

/// The weights of all layers, in both directions: matrices for the input and
/// for the state, then biases. `dims` are those of the input. A matrix has a row for
/// each number of a state and gate.
static LogicalResult checkLayers(Inference &infer, ArrayRef<ExprAttr> dims,
                                 ArrayRef<ExprAttr> state, int64_t gates) {
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
  ExprAttr size = state.back(), rows = size * gates;
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

LogicalResult rules::recurrent(Inference &infer, int64_t gates) {
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
  if (failed(checkLayers(infer, *dims, *state, gates)))
    return failure();
  infer.getFixed((*dims)[time], "whose number of steps it is");
  // Both directions stand side by side.
  dims->back() = state->back() * (infer.getBool("bidirectional") ? 2 : 1);
  if (failed(infer.addPromoted(*dims)))
    return failure();
  return addStates(infer, states);
}

/// The weights of a cell are one matrix a gate, on top of each other.
static LogicalResult checkCell(Inference &infer, ArrayRef<Value> states,
                               int64_t gates) {
  FailureOr<Dims> input = infer.getDims("input"),
                  state = infer.getDims(states.front(), "hx");
  if (failed(input) || failed(state))
    return failure();
  if (input->empty() || state->empty())
    return infer.fail("expects an input and states with dimensions");
  ExprAttr size = state->back(), rows = size * gates;
  if (failed(checkSizes(infer, "w_ih", {rows, input->back()})) ||
      failed(checkSizes(infer, "w_hh", {rows, size})))
    return failure();
  for (StringRef bias : {"b_ih", "b_hh"})
    if (infer.has(bias) && failed(checkSizes(infer, bias, {rows})))
      return failure();
  return success();
}

LogicalResult rules::recurrentCell(Inference &infer, int64_t gates) {
  SmallVector<Value> states = getStates(infer);
  if (states.size() != infer.info.results.size())
    return infer.fail("expects " + Twine(infer.info.results.size()) +
                      " states, but found " + Twine(states.size()));
  if (failed(checkCell(infer, states, gates)))
    return failure();
  return addStates(infer, states);
}
