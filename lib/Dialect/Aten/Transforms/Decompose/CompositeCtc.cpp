//===- CompositeCtc.cpp - Connectionist temporal classification -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loss is minus the logarithm of the sum, over all ways to spread a target
// over time with blanks in between, of the product of probabilities. With the
// target b t1 b t2 ... b (b is the blank) a[s] is the logarithm of the sum of
// all ways that have come to place s; at each time it comes from s, from s - 1,
// and, past a blank between two different labels, from s - 2.
//
// Written out over a known number of times, for all rows and places at once.
// Instead of minus infinity stands a number so small that nothing sees it, so
// that differences have derivatives.
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include <limits>

namespace kiln::aten {

static constexpr double kImpossible = -1e30;

/// Lengths as a tensor of i64: of a tensor, or of a list in the program.
static Value getLengths(Composite &c, Value lengths) {
  lengths = c.cast(lengths, c.getBuilder().getI64Type());
  return Composite::rankOf(lengths) == 0 ? c.unsqueeze(lengths, 0) : lengths;
}
static Value getLengths(Composite &c, ArrayRef<int64_t> lengths) {
  Type i64 = c.getBuilder().getI64Type();
  SmallVector<Value> each;
  for (int64_t length : lengths)
    each.push_back(c.full({c.expr(1)}, length, i64));
  return each.empty() ? Value() : c.concat(each, 0);
}

namespace {

class Ctc {
public:
  template <typename OpT>
  Ctc(Composite &c, OpT op)
      : c(c), i64(c.getBuilder().getI64Type()), probabilities(op.getLogProbs()),
        givenTargets(op.getTargets()), blank(op.getBlank()),
        reduction(op.getReduction()), ignoresInfinity(op.getZeroInfinity()),
        inputLengths(getLengths(c, op.getInputLengths())),
        targetLengths(getLengths(c, op.getTargetLengths())) {
    if constexpr (std::is_same_v<OpT, CtcLossIntListOp>)
      knownLengths = op.getTargetLengths();
  }

  Value build();

private:
  Value counting(ExprAttr size) { return c.iota(size, i64); }
  Value impossible(ExprAttr width) {
    return c.full({rows, width}, kImpossible, type);
  }
  Value getTargets();
  Value getPlaces(Value targets);
  Value getSkips(Value places);
  /// log(sum of exp) of tensors of one size.
  Value join(ArrayRef<Value> terms);
  /// `x` shifted by `by` places, impossible in front.
  Value shift(Value x, int64_t by);

  Composite &c;
  Type i64, type;
  ExprAttr rows, width; ///< of the batch; places of a target
  Value probabilities, givenTargets;
  int64_t blank, reduction;
  bool ignoresInfinity;
  Value inputLengths, targetLengths;
  ArrayRef<int64_t> knownLengths; ///< of targets; none if only the run knows
};

} // namespace

/// [rows, length]: targets may stand one behind the other.
Value Ctc::getTargets() {
  Value targets = c.cast(givenTargets, i64);
  if (Composite::rankOf(targets) == 2)
    return targets;
  if (Composite::rankOf(targets) != 1)
    return {};
  ExprAttr all = c.sizeOf(targets, 0), longest = all;
  if (!knownLengths.empty())
    longest = c.expr(*llvm::max_element(knownLengths));
  if (longest.isConstant(0))
    return c.full({rows, longest}, 0.0, i64);
  Value begin = c.sub(c.cumsum(targetLengths, 0), targetLengths);
  Value at = c.add(c.unsqueeze(begin, 1), counting(longest));
  Value last = c.full(Sizes(), c.number(all - c.expr(1)), i64);
  return c.indexTensor(targets, {c.minimum(at, last)});
}

/// [rows, 2 * length + 1]: blanks before, between and behind.
Value Ctc::getPlaces(Value targets) {
  ExprAttr length = c.sizeOf(targets, 1);
  width = length * 2 + c.expr(1);
  auto blanks = [&](ExprAttr count) {
    return c.full({rows, count}, c.number(blank), i64);
  };
  if (length.isConstant(0))
    return blanks(width);
  Value pairs =
      c.concat({c.unsqueeze(blanks(length), 2), c.unsqueeze(targets, 2)}, 2);
  return c.concat({c.view(pairs, {rows, length * 2}), blanks(c.expr(1))}, 1);
}

/// Where a place may be reached past the one before.
Value Ctc::getSkips(Value places) {
  Value later = c.sliceTensor(places, 1, c.expr(2), width);
  Value earlier = c.sliceTensor(places, 1, c.expr(0), width - c.expr(2));
  Value differ = c.logicalAnd(c.ne(later, earlier), c.ne(later, blank));
  return c.concat(
      {c.full({rows, c.expr(2)}, 0.0, c.getBuilder().getI1Type()), differ}, 1);
}

Value Ctc::join(ArrayRef<Value> terms) {
  Value most = terms[0];
  for (Value term : terms.drop_front())
    most = c.maximum(most, term);
  most = c.detach(most);
  Value sum;
  for (Value term : terms) {
    Value share = c.exp(c.sub(term, most));
    sum = sum ? c.add(sum, share) : share;
  }
  return c.add(most, c.log(sum));
}

Value Ctc::shift(Value x, int64_t by) {
  return c.concat({impossible(c.expr(by)),
                   c.sliceTensor(x, 1, c.expr(0), width - c.expr(by))},
                  1);
}

Value Ctc::build() {
  Value x = probabilities;
  bool isSingle = Composite::rankOf(x) == 2;
  if (isSingle)
    x = c.unsqueeze(x, 1);
  if (!x || Composite::rankOf(x) != 3)
    return {};
  auto times = c.fixed(x, 0);
  if (!times || *times == 0)
    return c.refuse("a CTC loss over a time that is not known");
  type = Composite::elementTypeOf(x);
  rows = c.sizeOf(x, 1);
  if (!inputLengths || !targetLengths)
    return {};
  Value targets = getTargets();
  if (!targets)
    return {};
  Value places = getPlaces(targets);
  bool skips = !c.sizeOf(targets, 1).isConstant(0);
  Value maySkip = skips ? getSkips(places) : Value();

  // At the first time it is at the first blank or the first label.
  auto emitted = [&](int64_t time) {
    return c.gather(c.selectInt(x, 0, c.expr(time)), 1, places);
  };
  Value state =
      c.where(c.lt(counting(width), 2), emitted(0), impossible(width));
  for (int64_t time = 1; time < *times; ++time) {
    SmallVector<Value> ways = {state};
    if (skips) {
      ways.push_back(shift(state, 1));
      ways.push_back(c.where(maySkip, shift(state, 2), impossible(width)));
    }
    Value next = c.clamp(c.add(join(ways), emitted(time)), kImpossible);
    Value goesOn = c.unsqueeze(c.gt(inputLengths, time), 1);
    state = c.where(goesOn, next, state);
  }

  // It ends at the last blank or the last label.
  Value last = c.unsqueeze(c.mul(targetLengths, 2), 1);
  Value label = c.gather(state, 1, c.clamp(c.sub(last, 1), 0));
  Value ends = join({c.gather(state, 1, last),
                     c.where(c.gt(last, 0), label, impossible(c.expr(1)))});
  Value loss = c.neg(c.squeezeDim(ends, 1));
  // PyTorch's derivative takes for granted that probabilities sum to one, and
  // has them besides; log_softmax takes them out again.
  Value counted = c.gt(c.unsqueeze(inputLengths, 0),
                       c.unsqueeze(counting(c.expr(*times)), 1));
  Value all =
      c.sumOver(c.mul(c.sumOver(c.exp(x), {2}), c.cast(counted, type)), {0});
  loss = c.add(loss, c.sub(all, c.detach(all)));
  double infinity =
      ignoresInfinity ? 0 : std::numeric_limits<double>::infinity();
  loss = c.where(c.gt(loss, -kImpossible / 10), c.full({rows}, infinity, type),
                 loss);
  if (!loss)
    return {};
  if (reduction == 1)
    loss = c.div(loss, c.cast(c.clamp(targetLengths, 1), type));
  if (reduction == 0 && isSingle)
    return c.squeezeDim(loss, 0);
  return c.reduce(loss, reduction);
}

Value decomposeCtcLossIntList(CtcLossIntListOp op, Composite &c) {
  return Ctc(c, op).build();
}

Value decomposeCtcLossTensor(CtcLossTensorOp op, Composite &c) {
  return Ctc(c, op).build();
}

} // namespace kiln::aten
