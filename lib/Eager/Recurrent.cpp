//===- Recurrent.cpp - LSTM, GRU and plain recurrent layers ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three cells, one layer loop. A cell computes gates [batch, gates * hidden]
// from input and state, then the next state; intermediate results of 16-bit
// types are rounded as PyTorch's separate operators do.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "Operators.h"
#include "Positions.h"
#include "Views.h"

#include <cmath>

using namespace kiln;
using namespace kiln::eager;

namespace {
enum class Cell { Lstm, Gru, Tanh, Relu };
struct Weights {
  Tensor input, hidden, inputBias, hiddenBias;
};
struct State {
  Tensor hidden, cell;
};
} // namespace

static int64_t gatesOf(Cell cell) {
  return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1;
}

/// x W^T + b, rounded to the tensors' type.
static Tensor affine(const Tensor &x, const Tensor &weight,
                     const Tensor &bias) {
  require(x.rank() == 2 && weight.rank() == 2 && x.size(1) == weight.size(1),
          {"cannot multiply ", x, " and the transpose of ", weight});
  Tensor result = matmulOf(x, transposed(weight, 0, 1));
  if (!bias.defined())
    return result;
  requireSameDType(x, bias);
  return withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(result),
         b = readAll<T>(expandTo(bias, result.sizes()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += b[i];
    return makeTensor(x.dtype(), result.sizes(), values);
  });
}

static State step(Cell kind, const Tensor &x, const State &state,
                  const Weights &w) {
  Tensor fromInput = affine(x, w.input, w.inputBias);
  Tensor fromHidden = affine(state.hidden, w.hidden, w.hiddenBias);
  int64_t batch = x.size(0), n = state.hidden.size(1);
  require(
      fromInput.sizes() == fromHidden.sizes() &&
          fromInput.size(1) == gatesOf(kind) * n,
      {"weights ", w.input, " and ", w.hidden, " do not fit a state of ", n});
  require(kind != Cell::Lstm || state.cell.sizes() == state.hidden.sizes(),
          {"expected a cell state like ", state.hidden, ", found ",
           state.cell});
  return withNumber(x.dtype(), [&](auto zero) -> State {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, int64_t>) {
      refuse({"recurrent layers need floating point, found ", x});
    } else {
      auto sigmoid = [](T v) { return T(1) / (T(1) + std::exp(-v)); };
      auto gi = readAll<T>(fromInput), gh = readAll<T>(fromHidden),
           h = readAll<T>(state.hidden);
      auto c = kind == Cell::Lstm ? readAll<T>(state.cell) : std::vector<T>();
      for (int64_t i = 0; i < batch * n; ++i) {
        int64_t at = i / n * gatesOf(kind) * n + i % n;
        auto gate = [&](int64_t g) { return gi[at + g * n] + gh[at + g * n]; };
        if (kind == Cell::Lstm) {
          c[i] =
              sigmoid(gate(1)) * c[i] + sigmoid(gate(0)) * std::tanh(gate(2));
          h[i] = sigmoid(gate(3)) * std::tanh(c[i]);
        } else if (kind == Cell::Gru) {
          T reset = sigmoid(gate(0)), update = sigmoid(gate(1));
          T fresh = std::tanh(gi[at + 2 * n] + reset * gh[at + 2 * n]);
          h[i] = fresh + update * (h[i] - fresh);
        } else {
          h[i] = kind == Cell::Tanh           ? std::tanh(gate(0))
                 : std::real(gate(0)) > 0 ? gate(0)
                                              : T(0);
        }
      }
      const Ints &sizes = state.hidden.sizes();
      return {makeTensor(x.dtype(), sizes, h),
              kind == Cell::Lstm ? makeTensor(x.dtype(), sizes, c) : Tensor()};
    }
  });
}

/// One direction of one layer over [time, batch, width]; updates the state.
static Tensor runDirection(Cell kind, const Tensor &x, State &state,
                           const Weights &w, bool reverses) {
  std::vector<Tensor> outputs(size_t(x.size(0)));
  for (int64_t i = 0; i < x.size(0); ++i) {
    int64_t time = reverses ? x.size(0) - 1 - i : i;
    state = step(kind, selected(x, 0, time), state, w);
    outputs[time] = unsqueezed(state.hidden, 0);
  }
  require(!outputs.empty(), {"expected at least one time step, found ", x});
  return concatenated(outputs, 0);
}

/// {output, hidden states[, cell states]}. `first` is the index of `params`.
static Values layers(Cell kind, const Args &args, const Tensor &hidden,
                     const Tensor &cell, size_t first) {
  std::vector<Tensor> params = args.tensors(first);
  bool biases = args.flag(first + 1), batchFirst = args.flag(first + 6);
  int64_t numLayers = args.integer(first + 2);
  int64_t directions = args.flag(first + 5) ? 2 : 1;
  require(args.number(first + 3) == 0 || !args.flag(first + 4),
          {"dropout between recurrent layers is not supported, expected 0"});
  size_t perCell = biases ? 4 : 2;
  require(numLayers > 0 &&
              params.size() == size_t(numLayers * directions) * perCell,
          {"expected ", numLayers * directions * int64_t(perCell),
           " weights without projections, found ", params.size()});
  Tensor x = args.tensor(0);
  bool batched = x.rank() == 3;
  require(batched || x.rank() == 2, {"expected rank 2 or 3, found ", x});
  require(hidden.rank() == x.rank() &&
              hidden.size(0) == numLayers * directions,
          {"expected a state per layer and direction, found ", hidden});
  if (batched && batchFirst)
    x = transposed(x, 0, 1);
  auto stateOf = [&](const Tensor &all, int64_t i) {
    if (!all.defined())
      return Tensor();
    Tensor one = selected(all, 0, i);
    return batched ? one : unsqueezed(one, 0);
  };
  if (!batched)
    x = unsqueezed(x, 1);
  std::vector<Tensor> lastHidden, lastCell;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    std::vector<Tensor> outputs;
    for (int64_t d = 0; d < directions; ++d) {
      int64_t i = layer * directions + d;
      const Tensor *w = params.data() + size_t(i) * perCell;
      Weights weights{w[0], w[1], biases ? w[2] : Tensor(),
                      biases ? w[3] : Tensor()};
      State state{stateOf(hidden, i), stateOf(cell, i)};
      require(state.hidden.size(0) == x.size(1),
              {"expected a state per batch element of ", x, ", found ",
               hidden});
      outputs.push_back(runDirection(kind, x, state, weights, d == 1));
      lastHidden.push_back(batched ? unsqueezed(state.hidden, 0)
                                   : state.hidden);
      if (kind == Cell::Lstm)
        lastCell.push_back(batched ? unsqueezed(state.cell, 0) : state.cell);
    }
    x = concatenated(outputs, 2);
  }
  if (!batched)
    x = selected(x, 1, 0);
  else if (batchFirst)
    x = transposed(x, 0, 1);
  Values results = {x, concatenated(lastHidden, 0)};
  if (kind == Cell::Lstm)
    results.push_back(concatenated(lastCell, 0));
  return results;
}

static std::vector<Tensor> twoStates(const Args &args) {
  std::vector<Tensor> states = args.tensors(1);
  require(states.size() == 2,
          {"expected hidden and cell state, found ", states.size()});
  return states;
}

static Values lstm(const Args &args) {
  auto states = twoStates(args);
  return layers(Cell::Lstm, args, states[0], states[1], 2);
}
template <Cell Kind> static Values recurrent(const Args &args) {
  return layers(Kind, args, args.tensor(1), Tensor(), 2);
}

/// Schema: input, hx, w_ih, w_hh, b_ih, b_hh.
static Weights cellWeights(const Args &args) {
  return {args.tensor(2), args.tensor(3), args.optTensor(4), args.optTensor(5)};
}
static Values oneStep(Cell kind, const Args &args, State state) {
  Tensor x = args.tensor(0);
  bool batched = x.rank() == 2;
  if (!batched) {
    require(x.rank() == 1 && state.hidden.rank() == 1,
            {"expected rank 1 or 2, found ", x, " and ", state.hidden});
    x = unsqueezed(x, 0);
    state.hidden = unsqueezed(state.hidden, 0);
    if (state.cell.defined())
      state.cell = unsqueezed(state.cell, 0);
  }
  require(state.hidden.rank() == 2 && state.hidden.size(0) == x.size(0),
          {"expected a state per row of ", x, ", found ", state.hidden});
  State next = step(kind, x, state, cellWeights(args));
  Values results = {batched ? next.hidden : selected(next.hidden, 0, 0)};
  if (kind == Cell::Lstm)
    results.push_back(batched ? next.cell : selected(next.cell, 0, 0));
  return results;
}
static Values lstmCell(const Args &args) {
  auto states = twoStates(args);
  return oneStep(Cell::Lstm, args, {states[0], states[1]});
}
template <Cell Kind> static Values recurrentCell(const Args &args) {
  return oneStep(Kind, args, {args.tensor(1), Tensor()});
}

void eager::addRecurrentOperators(Table &table) {
  table.op<lstm>("lstm.input");
  table.op<recurrent<Cell::Gru>>("gru.input");
  table.op<recurrent<Cell::Tanh>>("rnn_tanh.input");
  table.op<recurrent<Cell::Relu>>("rnn_relu.input");
  table.op<lstmCell>("lstm_cell.default");
  table.op<recurrentCell<Cell::Gru>>("gru_cell.default");
  table.op<recurrentCell<Cell::Tanh>>("rnn_tanh_cell.default");
  table.op<recurrentCell<Cell::Relu>>("rnn_relu_cell.default");
}
