//===- IndexingRules.cpp - Derivatives of gathers and scatters ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Helpers of dags
//===----------------------------------------------------------------------===//

Value VjpState::indexAddBack(Value grad, Value self, int64_t dim,
                             Value index) {
  int64_t rank = FormulaBuilder::rankOf(self);
  if (rank == 0)
    return like(grad, self);
  SmallVector<Value> indices(FormulaBuilder::wrapDim(dim, rank));
  indices.push_back(index);
  return builder.indexPut(builder.filled(self, 0), indices, grad,
                          /*accumulate=*/true);
}

Value VjpState::gatherBack(Value grad, Value self, int64_t dim, Value index) {
  Sizes sizes = builder.dimsOf(self), taken = builder.dimsOf(index);
  int64_t rank = sizes.size();
  bool isOneOfEach = rank > 0 && taken.size() == sizes.size() &&
                     !llvm::isa<mlir::ComplexType>(FormulaBuilder::elementTypeOf(grad));
  if (isOneOfEach) {
    dim = FormulaBuilder::wrapDim(dim, rank);
    Sizes one = sizes;
    one[dim] = builder.expr(1);
    isOneOfEach = taken == one;
  }
  if (!isOneOfEach)
    return builder.scatterAdd(builder.filled(self, 0), dim, index, grad);
  Sizes along(rank, builder.expr(1));
  along[dim] = sizes[dim];
  Value place = builder.view(
      builder.iota(sizes[dim], FormulaBuilder::elementTypeOf(index)), along);
  return builder.where(builder.eq(place, index), grad, 0.0);
}

Value VjpState::selectRows(Value grad, int64_t dim, Value index, Value source) {
  Value rows = builder.indexSelect(grad, dim, index);
  // Of a source without dimensions there is one row, whatever the index.
  return FormulaBuilder::rankOf(source) == FormulaBuilder::rankOf(grad)
             ? rows
             : like(rows, source);
}

Value VjpState::fillRows(Value grad, int64_t dim, Value index) {
  return builder.indexFillIntScalar(grad, dim, index, 0);
}

//===----------------------------------------------------------------------===//
// Lists of indices
//===----------------------------------------------------------------------===//

LogicalResult vjpIndexed(VjpState &state, Value self,
                         ArrayRef<Value> indices) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  state.setOperand(0, b.indexPut(b.filled(self, 0), indices, state.grad(0),
                                 /*accumulate=*/true));
  return success();
}

/// The only index if it is a mask; null otherwise.
static Value findMask(ArrayRef<Value> indices, int64_t &position) {
  Value mask;
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (!index)
      continue;
    if (mask || !FormulaBuilder::elementTypeOf(index).isInteger(1))
      return {};
    mask = index;
    position = i;
  }
  return mask;
}

/// The gradient of values that a mask puts. How many there are only the run
/// knows: their own type says it, or they are one for all, which gets the sum.
static Value maskedValues(VjpState &state, ArrayRef<Value> indices,
                          Value values) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  int64_t position = 0, rank = FormulaBuilder::rankOf(grad);
  Value mask = findMask(indices, position);
  if (!mask) {
    state.getOp()->emitOpError("puts values by a mask and other indices, "
                               "expected a single mask for its derivative");
    return {};
  }
  int64_t masked = FormulaBuilder::rankOf(mask),
          behind = rank - position - masked;
  Sizes own = b.dimsOf(values);
  bool isOneForAll = int64_t(own.size()) <= behind ||
                     own[own.size() - behind - 1].isConstant(1);
  if (isOneForAll) {
    Sizes aligned = b.dimsOf(mask);
    aligned.append(behind, b.expr(1));
    Value kept = state.keepWhere(grad, b.view(mask, aligned));
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < masked; ++i)
      dims.push_back(position + i);
    Value sum = b.sumOver(kept, dims, /*keepdim=*/true);
    Sizes sizes = b.dimsOf(sum);
    sizes.erase(sizes.begin() + position, sizes.begin() + position + masked);
    sizes.insert(sizes.begin() + position, b.expr(1));
    return b.view(sum, sizes);
  }
  Sizes sizes;
  Sizes full = b.dimsOf(grad);
  sizes.append(full.begin(), full.begin() + position);
  sizes.push_back(own[own.size() - behind - 1]);
  sizes.append(full.end() - behind, full.end());
  Type type = guard::makeTensorType(FormulaBuilder::elementTypeOf(grad), sizes);
  Operation *op =
      buildAtenOp(b.getBuilder(), b.getLoc(), IndexTensorOp::getInfo(),
                  {ArgValue(grad), ArgValue(indices)}, type);
  return op ? op->getResult(0) : Value();
}

LogicalResult vjpIndexedPut(VjpState &state, ArrayRef<Value> indices,
                            unsigned valuesOperand, bool accumulates) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  if (state.isOperandWanted(0)) {
    Value zero = b.scalarTensor(0.0, FormulaBuilder::elementTypeOf(grad));
    state.setOperand(
        0, accumulates ? grad : b.indexPut(grad, indices, zero, false));
  }
  if (!state.isOperandWanted(valuesOperand))
    return success();
  Value values = state.getOp()->getOperand(valuesOperand);
  bool hasMask = llvm::any_of(indices, [](Value index) {
    return index && (FormulaBuilder::elementTypeOf(index).isInteger(1) ||
                     FormulaBuilder::elementTypeOf(index).isUnsignedInteger(8));
  });
  Value rows = hasMask ? maskedValues(state, indices, values)
                       : b.indexTensor(grad, indices);
  state.setOperand(valuesOperand, rows);
  return success();
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The elements of the source are taken in order: the number of the ones before
/// says which.
LogicalResult vjpMaskedScatter(MaskedScatterOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  Value mask = b.expand(op.getMask(), b.dimsOf(grad));
  if (state.isWanted(op, 0))
    state.set(op, 0, state.dropWhere(grad, mask));
  if (!state.isWanted(op, 2))
    return success();
  Value source = op.getSource();
  Value flatMask = b.view(mask, Sizes{b.numelOf(mask)});
  Value flatGrad = b.view(grad, Sizes{b.numelOf(grad)});
  Value order = b.sub(b.cumsum(flatMask, 0), 1);
  // What is not taken adds zero to the first element, if there is one.
  Value positions = b.where(flatMask, order, 0);
  Value zeros = b.full(Sizes{guard::max(b.numelOf(source), b.expr(1))}, 0.0,
                       FormulaBuilder::elementTypeOf(grad));
  Value sums = b.scatterAdd(zeros, 0, positions,
                            state.keepWhere(flatGrad, flatMask));
  sums = b.sliceTensor(sums, 0, b.expr(0), b.numelOf(source));
  state.set(op, 2, state.like(sums, source));
  return success();
}

LogicalResult vjpMaskedSelect(MaskedSelectOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf(), mask = op.getMask();
  // Both broadcast against each other.
  Value both = b.where(mask, self, b.filled(self, 0));
  if (!both)
    return failure();
  Sizes sizes = b.dimsOf(both);
  state.set(
      op, 0,
      b.maskedScatter(b.full(sizes, 0.0, FormulaBuilder::elementTypeOf(self)),
                      b.expand(mask, sizes), state.grad(0)));
  return success();
}

//===----------------------------------------------------------------------===//
// Flat positions and gathers
//===----------------------------------------------------------------------===//

LogicalResult vjpPut(PutOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0), source = op.getSource();
  if (state.isWanted(op, 0))
    state.set(op, 0,
              op.getAccumulate()
                  ? grad
                  : b.put(grad, op.getIndex(), b.filled(source, 0), false));
  if (state.isWanted(op, 2))
    state.set(op, 2, state.like(b.take(grad, op.getIndex()), source));
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters that reduce
//===----------------------------------------------------------------------===//

namespace {

/// What scatter_reduce and index_reduce share: how a source meets a target.
struct Reducer {
  VjpState &state;
  bool isRows; ///< index_reduce
  int64_t dim;
  Value index;
  StringRef reduce;
  bool includeSelf;

  /// The elements of a target that a source element met.
  Value read(Value target) const {
    FormulaBuilder &b = state.builder;
    return isRows ? b.indexSelect(target, dim, index)
                  : b.gather(target, dim, index);
  }
  Value add(Value target, Value source) const {
    FormulaBuilder &b = state.builder;
    return isRows ? b.indexAdd(target, dim, index, source)
                  : b.scatterAdd(target, dim, index, source);
  }
  Value clear(Value target) const {
    return isRows ? state.fillRows(target, dim, index)
                  : state.builder.scatterValue(target, dim, index, 0);
  }
  Value again(Value target, Value source) const {
    FormulaBuilder &b = state.builder;
    return isRows
               ? b.indexReduce(target, dim, index, source, reduce, includeSelf)
               : b.scatterReduceTwo(target, dim, index, source, reduce,
                                    includeSelf);
  }
};

} // namespace

/// The gradients of the target and of the source, before what the target does
/// not take part in is cleared.
static std::pair<Value, Value> reduceGrads(const Reducer &r, StringRef reduce,
                                           bool includeSelf, Value self,
                                           Value source, Value result) {
  VjpState &state = r.state;
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  Type element = FormulaBuilder::elementTypeOf(self);
  if (reduce == "sum")
    return {grad, r.read(grad)};
  if (reduce == "mean") {
    Value count = includeSelf ? b.filled(grad, 1) : b.filled(grad, 0);
    count = r.add(count, b.filled(source, 1));
    count = b.where(b.eq(count, 0), 1.0, count);
    return {b.div(grad, count), b.div(r.read(grad), r.read(count))};
  }
  if (reduce == "prod") {
    // A zero gets the product of the others, if it is the only one.
    Value safeSelf = b.where(b.eq(self, 0), 1.0, self);
    Value selfGrad =
        b.div(b.mul(grad, r.again(safeSelf, source)), safeSelf);
    Value isZero = b.eq(source, 0);
    Value zeros = r.read(r.add(b.filled(self, 0), b.cast(isZero, element)));
    Value isOnly = b.logicalAnd(isZero, b.eq(zeros, 1));
    Value others = r.again(self, b.where(isOnly, 1.0, source));
    Value sourceGrad =
        b.where(isOnly, r.read(b.mul(grad, others)),
                b.div(r.read(b.mul(grad, result)),
                      b.where(isZero, 1.0, source)));
    return {selfGrad, sourceGrad};
  }
  // The least or greatest: shared by all that are it.
  Value isSelf = b.cast(b.eq(self, result), element);
  Value isSource = b.cast(b.eq(source, r.read(result)), element);
  Value shared = b.div(grad, r.add(isSelf, isSource));
  return {b.mul(isSelf, shared), b.mul(isSource, r.read(shared))};
}

LogicalResult vjpScatterReduce(ScatterReduceTwoOp op, VjpState &state) {
  Reducer reducer{state,         /*isRows=*/false, int64_t(op.getDim()),
                  op.getIndex(), op.getReduce(),   op.getIncludeSelf()};
  auto [self, source] =
      reduceGrads(reducer, op.getReduce(), op.getIncludeSelf(), op.getSelf(),
                  op.getSrc(), op.getResult());
  if (!op.getIncludeSelf())
    self = reducer.clear(self);
  if (state.isWanted(op, 0))
    state.set(op, 0, self);
  if (state.isWanted(op, 2))
    state.set(op, 2, source);
  return success();
}

LogicalResult vjpIndexReduce(IndexReduceOp op, VjpState &state) {
  Reducer reducer{state,         /*isRows=*/true, int64_t(op.getDim()),
                  op.getIndex(), op.getReduce(),  op.getIncludeSelf()};
  auto [self, source] =
      reduceGrads(reducer, op.getReduce(), op.getIncludeSelf(), op.getSelf(),
                  op.getSource(), op.getResult());
  if (!op.getIncludeSelf())
    self = reducer.clear(self);
  if (state.isWanted(op, 0))
    state.set(op, 0, self);
  if (state.isWanted(op, 2))
    state.set(op, 2, source);
  return success();
}

//===----------------------------------------------------------------------===//
// Bags of embeddings
//===----------------------------------------------------------------------===//

LogicalResult vjpBags(VjpState &state, const BagArguments &bag) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  if (!grad)
    return success();
  Type i64 = b.getBuilder().getI64Type();
  Type element = FormulaBuilder::elementTypeOf(bag.weight);
  ExprAttr count = b.dimOf(bag.indices, 0);
  Value offsets = b.cast(bag.offsets, i64), indices = b.cast(bag.indices, i64);
  if (bag.includesLast)
    offsets = b.sliceTensor(offsets, 0, b.expr(0),
                            guard::sub(b.dimOf(offsets, 0), b.expr(1)));
  // The bag of an index is the last one that starts at or before it.
  Value bags =
      b.sub(b.bucketizeTensor(b.iota(count, i64), offsets, false, true), 1);
  if (bag.perSampleWeights && state.isOperandWanted(bag.weightsOperand))
    state.setOperand(bag.weightsOperand, b.embeddingBagPerSampleWeightsBackward(
                                             grad, bag.weight, indices, offsets,
                                             bags, bag.mode, bag.padding));
  if (!state.isOperandWanted(0))
    return success();
  ExprAttr rows = b.dimOf(bag.weight, 0), numBags = b.dimOf(grad, 0);
  Value isTaken =
      bag.padding < 0 ? Value() : b.ne(indices, bag.padding);
  // 16-bit types cannot count.
  Type counter = FormulaBuilder::computeType(element);
  auto countTaken = [&] {
    Value ones = isTaken ? b.cast(isTaken, counter)
                         : b.full(Sizes{count}, 1.0, counter);
    return b.scatterAdd(b.full(Sizes{numBags}, 0.0, counter), 0, bags, ones);
  };
  if (bag.mode == 2) {
    // Each bag's gradient goes where its maxima were, if it has any.
    Value where = state.getOp()->getResult(3);
    Value isSome = b.unsqueeze(b.gt(countTaken(), 0), 1);
    state.setOperand(0, b.scatterAdd(b.filled(bag.weight, 0), 0,
                                     b.where(isSome, where, 0),
                                     state.keepWhere(grad, isSome)));
    return success();
  }
  Value share; // of each index in its bag's gradient
  if (bag.mode == 1)
    share = b.cast(b.reciprocal(b.indexTensor(countTaken(), {bags})), element);
  if (bag.perSampleWeights)
    share = share ? b.mul(share, bag.perSampleWeights) : bag.perSampleWeights;
  if (bag.scalesByFrequency) {
    Value frequency =
        b.scatterAdd(b.full(Sizes{rows}, 0.0, counter), 0, indices,
                     b.full(Sizes{count}, 1.0, counter));
    Value inverse =
        b.cast(b.reciprocal(b.indexTensor(frequency, {indices})), element);
    share = share ? b.mul(share, inverse) : inverse;
  }
  if (isTaken)
    share = share ? state.keepWhere(share, isTaken) : b.cast(isTaken, element);
  Value parts = b.indexSelect(grad, 0, bags);
  if (share)
    parts = b.mul(parts, b.unsqueeze(share, 1));
  state.setOperand(0, b.indexPut(b.filled(bag.weight, 0), {indices}, parts,
                                 /*accumulate=*/true));
  return success();
}

} // namespace kiln::aten
