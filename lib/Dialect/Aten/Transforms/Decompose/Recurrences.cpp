//===- Recurrences.cpp - LSTM, GRU and plain recurrent layers -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer of known length is written out step by step. What the input gives to
// the gates is one product for all steps; a step then multiplies its state only.
// The products round to the tensors' type, as PyTorch's do; the gates compute in
// f32 for 16 bits.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

namespace {

struct Weights {
  Value input, hidden, inputBias, hiddenBias;
};

struct State {
  Value hidden, cell; ///< [batch, hidden]; the cell only of an LSTM
};

} // namespace

/// Part `i` of the gates, which stand side by side in the last dimension.
static Value gate(FormulaBuilder &c, Value gates, int64_t i, ExprAttr width) {
  ExprAttr start = guard::mul(width, i);
  return c.sliceTensor(gates, -1, start, guard::add(start, width));
}

/// The state after one step, of what input and state give to the gates.
static State step(FormulaBuilder &c, Cell kind, Value fromInput,
                  Value fromHidden, const State &state) {
  Type element = FormulaBuilder::elementTypeOf(state.hidden);
  ExprAttr width = c.dimOf(state.hidden, -1);
  Value x = c.widen(fromInput), h = c.widen(fromHidden);
  if (!x || !h)
    return {};
  if (kind == Cell::Tanh)
    return {c.cast(c.tanh(c.add(x, h)), element), Value()};
  if (kind == Cell::Relu)
    return {c.cast(c.relu(c.add(x, h)), element), Value()};
  if (kind == Cell::Lstm) {
    Value gates = c.add(x, h);
    Value kept = c.mul(c.sigmoid(gate(c, gates, 1, width)),
                       c.widen(state.cell));
    Value added = c.mul(c.sigmoid(gate(c, gates, 0, width)),
                        c.tanh(gate(c, gates, 2, width)));
    Value cell = c.add(kept, added);
    Value hidden = c.mul(c.sigmoid(gate(c, gates, 3, width)), c.tanh(cell));
    return {c.cast(hidden, element), c.cast(cell, element)};
  }
  auto both = [&](int64_t i) {
    return c.sigmoid(
        c.add(gate(c, x, i, width), gate(c, h, i, width)));
  };
  Value fresh = c.tanh(c.add(gate(c, x, 2, width),
                             c.mul(both(0), gate(c, h, 2, width))));
  Value mixed =
      c.add(fresh, c.mul(both(1), c.sub(c.widen(state.hidden), fresh)));
  return {c.cast(mixed, element), Value()};
}

static Value affine(FormulaBuilder &c, Value x, Value weight, Value bias) {
  return c.linear(x, weight, bias);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// One direction of one layer over [time, batch, width]; updates the state.
static Value runDirection(FormulaBuilder &c, Cell kind, Value x, State &state,
                          const Weights &w, int64_t length, bool reverses) {
  Value gates = affine(c, x, w.input, w.inputBias);
  SmallVector<Value> outputs(length);
  for (int64_t i = 0; i < length; ++i) {
    int64_t time = reverses ? length - 1 - i : i;
    state = step(c, kind, c.selectInt(gates, 0, c.expr(time)),
                 affine(c, state.hidden, w.hidden, w.hiddenBias), state);
    if (!state.hidden)
      return {};
    outputs[time] = c.unsqueeze(state.hidden, 0);
  }
  return c.concat(outputs, 0);
}

SmallVector<Value> decomposeRecurrence(const RecurrenceArgs &args,
                                       FormulaBuilder &c, Cell kind) {
  bool isLstm = kind == Cell::Lstm;
  if (args.hx.size() != (isLstm ? 2 : 1))
    return {};
  Value x = args.input, hidden = args.hx[0];
  Value cell = isLstm ? args.hx[1] : Value();
  int64_t rank = FormulaBuilder::rankOf(x);
  int64_t layers = *args.numLayers, directions = *args.bidirectional ? 2 : 1;
  size_t perCell = *args.hasBiases ? 4 : 2;
  ArrayRef<Value> params = args.params;
  // Between layers, a dropout in training draws numbers.
  if (*args.train && *args.dropout != 0 && layers > 1)
    return {};
  if ((rank != 2 && rank != 3) || FormulaBuilder::rankOf(hidden) != rank ||
      params.size() != size_t(layers * directions) * perCell)
    return {};
  bool isBatched = rank == 3;
  if (!isBatched)
    x = c.unsqueeze(x, 1);
  else if (args.batchFirst.value_or(false))
    x = c.transpose(x, 0, 1);
  auto length = c.dimOf(x, 0).getConstant();
  if (!length || *length == 0)
    return {};
  auto stateOf = [&](Value all, int64_t i) {
    Value one = all ? c.selectInt(all, 0, c.expr(i)) : Value();
    return one && !isBatched ? c.unsqueeze(one, 0) : one;
  };
  SmallVector<Value> lastHidden, lastCell;
  for (int64_t layer = 0; layer < layers; ++layer) {
    SmallVector<Value> outputs;
    for (int64_t d = 0; d < directions; ++d) {
      int64_t i = layer * directions + d;
      auto w = params.slice(i * perCell, perCell);
      Weights weights = {w[0], w[1], perCell == 4 ? w[2] : Value(),
                         perCell == 4 ? w[3] : Value()};
      State state = {stateOf(hidden, i), stateOf(cell, i)};
      outputs.push_back(runDirection(c, kind, x, state, weights, *length,
                                     d == 1));
      if (!outputs.back())
        return {};
      lastHidden.push_back(state.hidden);
      lastCell.push_back(state.cell);
    }
    x = c.concat(outputs, 2);
  }
  if (!isBatched)
    x = c.squeezeDim(x, 1);
  else if (args.batchFirst.value_or(false))
    x = c.transpose(x, 0, 1);
  auto join = [&](ArrayRef<Value> states, unsigned result) {
    return c.view(c.concat(states, 0), c.dimsOf(args.op->getResult(result)));
  };
  SmallVector<Value> results = {x, join(lastHidden, 1)};
  if (isLstm)
    results.push_back(join(lastCell, 2));
  return llvm::is_contained(results, Value()) ? SmallVector<Value>() : results;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

template <typename OpT>
static State runCell(OpT op, FormulaBuilder &c, Cell kind, const State &state) {
  return step(c, kind,
              affine(c, op.getInput(), op.getWIh(), op.getBIh()),
              affine(c, state.hidden, op.getWHh(), op.getBHh()), state);
}

Value decomposeGruCell(GruCellOp op, FormulaBuilder &c) {
  return runCell(op, c, Cell::Gru, {op.getHx(), Value()}).hidden;
}

SmallVector<Value> decomposeLstmCell(LstmCellOp op, FormulaBuilder &c) {
  if (op.getHx().size() != 2)
    return {};
  State next = runCell(op, c, Cell::Lstm, {op.getHx()[0], op.getHx()[1]});
  if (!next.hidden || !next.cell)
    return {};
  return {next.hidden, next.cell};
}

} // namespace kiln::aten
