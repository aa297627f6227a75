//===- PieceRuns.cpp - Pieces of a row that are read alike ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// A loop over fewer pieces is no less code than the pieces.
static constexpr size_t kMinPieces = 3;

//===----------------------------------------------------------------------===//
// A piece
//===----------------------------------------------------------------------===//

namespace {
/// What the values of bodies are at the indices of one piece.
class Piece {
public:
  Piece(ArrayRef<Comparison> comparisons, int64_t first) {
    for (const Comparison &comparison : comparisons)
      known[comparison.op] = comparison.isTrueFrom(first);
  }

  /// What a condition is, if that is known.
  std::optional<bool> getFlag(Value condition) const;
  /// The value that is chosen where the condition of a choice is known.
  Value resolve(Value value) const;
  /// Whether a load is one without a mask here.
  bool readsAlways(LoadOp load) const {
    return !load.getMask() || getFlag(load.getMask()) == true;
  }

private:
  /// Conditions that were asked for; the same one may be part of many.
  mutable llvm::SmallDenseMap<Operation *, std::optional<bool>> known;
};
} // namespace

std::optional<bool> Piece::getFlag(Value condition) const {
  if (!condition.getType().isInteger(1))
    return std::nullopt;
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return !constant.isZero();
  Operation *op = condition.getDefiningOp();
  if (auto it = known.find(op); it != known.end())
    return it->second;
  auto both = dyn_cast_or_null<arith::AndIOp>(op);
  if (!both)
    return std::nullopt;
  auto flag = getFlag(both.getLhs());
  if (flag != false) {
    auto right = getFlag(both.getRhs());
    if (right == false || !right)
      flag = right;
  }
  return known[op] = flag;
}

Value Piece::resolve(Value value) const {
  for (;;) {
    Operation *op = value.getDefiningOp();
    if (auto choice = dyn_cast_or_null<arith::SelectOp>(op)) {
      auto flag = getFlag(choice.getCondition());
      if (!flag)
        return value;
      value = *flag ? choice.getTrueValue() : choice.getFalseValue();
    } else if (auto load = dyn_cast_or_null<LoadOp>(op)) {
      if (!load.getMask() || getFlag(load.getMask()) != false)
        return value;
      value = load.getOther();
    } else if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
      if (getFlag(both.getLhs()) == true)
        value = both.getRhs();
      else if (getFlag(both.getRhs()) == true)
        value = both.getLhs();
      else
        return value;
    } else {
      return value;
    }
  }
}

//===----------------------------------------------------------------------===//
// Two neighbours
//===----------------------------------------------------------------------===//

namespace {
/// Compares what bodies compute in a piece with what they compute in the next.
class Neighbours {
public:
  Neighbours(KernelOp kernel, unsigned dim, int64_t width, const Piece &here,
             const Piece &next, const llvm::DenseMap<Value, Buffer> &buffers)
      : kernel(kernel), dim(dim), width(width), here(here), next(next),
        buffers(buffers) {}

  bool areAlike();

  struct Successor {
    Value tensor;   ///< of the next piece
    int64_t stride; ///< elements from one index of the row to the next
  };
  /// Tensors that this piece reads and the next does not.
  llvm::SmallMapVector<Value, Successor, 2> successors;

private:
  bool areAlike(Value x, Value y);
  bool compare(Value x, Value y);
  bool compare(LoadOp x, LoadOp y);
  bool follow(LoadOp x, LoadOp y);
  bool isInput(Value tensor) {
    auto argument = dyn_cast<BlockArgument>(tensor);
    return argument && argument.getOwner() == &kernel.getBody().front();
  }

  KernelOp kernel;
  unsigned dim;
  int64_t width;
  const Piece &here, &next;
  const llvm::DenseMap<Value, Buffer> &buffers;
  llvm::SmallPtrSet<Value, 8> shared; ///< tensors that both read alike
  llvm::DenseMap<std::pair<Value, Value>, bool> compared;
};
} // namespace

bool Neighbours::areAlike() {
  for (NestOpInterface nest : kernel.getNests()) {
    for (const OperandRead &read : nest.getOperandReads())
      shared.insert(read.tensor);
    if (Value tensor = nest.getInitialTensor())
      shared.insert(tensor);
    for (Region &region : nest->getRegions())
      for (Block &block : region)
        for (Value value : block.getTerminator()->getOperands())
          if (!areAlike(value, value))
            return false;
  }
  llvm::SmallPtrSet<Value, 2> seen;
  return llvm::all_of(successors, [&](const auto &entry) {
    const auto &[tensor, successor] = entry;
    return !shared.contains(tensor) && !shared.contains(successor.tensor) &&
           seen.insert(successor.tensor).second;
  });
}

bool Neighbours::areAlike(Value x, Value y) {
  std::optional<bool> flag = here.getFlag(x), other = next.getFlag(y);
  if (flag || other)
    return flag == other;
  x = here.resolve(x);
  y = next.resolve(y);
  auto [it, isNew] = compared.try_emplace({x, y}, true);
  if (!isNew)
    return it->second;
  bool result = compare(x, y);
  compared[{x, y}] = result;
  return result;
}

bool Neighbours::compare(Value x, Value y) {
  Operation *one = x.getDefiningOp(), *other = y.getDefiningOp();
  auto isOfBody = [](Operation *op) {
    return op && isa<NestOpInterface>(op->getParentOp());
  };
  if (!isOfBody(one) || !isOfBody(other))
    return x == y;
  if (auto load = dyn_cast<LoadOp>(one))
    return isa<LoadOp>(other) && compare(load, cast<LoadOp>(other));
  return one->getName() == other->getName() && one->getNumRegions() == 0 &&
         one->getAttrDictionary() == other->getAttrDictionary() &&
         one->getResultTypes() == other->getResultTypes() &&
         cast<OpResult>(x).getResultNumber() ==
             cast<OpResult>(y).getResultNumber() &&
         one->getNumOperands() == other->getNumOperands() &&
         llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()),
                      [&](auto pair) {
                        auto [left, right] = pair;
                        return areAlike(left, right);
                      });
}

bool Neighbours::compare(LoadOp x, LoadOp y) {
  bool always = here.readsAlways(x);
  if (always != next.readsAlways(y) || x.getType() != y.getType() ||
      x.getIndices().size() != y.getIndices().size())
    return false;
  if (!always && (!areAlike(x.getMask(), y.getMask()) ||
                  !areAlike(x.getOther(), y.getOther())))
    return false;
  for (auto [left, right] : llvm::zip(x.getIndices(), y.getIndices()))
    if (!areAlike(left, right))
      return false;
  if (x.getTensor() != y.getTensor())
    return follow(x, y);
  shared.insert(x.getTensor());
  return x.getMap() == y.getMap();
}

/// Whether the next piece reads at index `i + width` of a row of its tensor
/// what this one reads at index `i` of a row of its own.
bool Neighbours::follow(LoadOp x, LoadOp y) {
  Value from = x.getTensor(), to = y.getTensor();
  auto one = buffers.find(from), other = buffers.find(to);
  if (!isInput(from) || !isInput(to) || one == buffers.end() ||
      other == buffers.end() || one->second.strides != other->second.strides ||
      one->second.elementType != other->second.elementType)
    return false;
  auto nest = cast<NestOpInterface>(x->getParentOp());
  auto moveRow = [&](ExprAttr expr, int64_t distance) {
    SmallVector<ExprAttr> dims;
    for (auto [k, index] : llvm::enumerate(x.getIndices())) {
      auto argument = dyn_cast<BlockArgument>(index);
      bool isRow = argument && nest.getDimensionOf(argument) == dim;
      ExprAttr place = guard::getDim(expr.getContext(), k);
      dims.push_back(isRow ? place + distance : place);
    }
    return guard::substituteDims(expr, dims);
  };
  ExprAttr stride = guard::getConstant(kernel.getContext(), 0);
  for (auto [mine, its, step] : llvm::zip(
           getExprs(x.getMap()), getExprs(y.getMap()), one->second.strides)) {
    if (moveRow(its, width) != mine)
      return false;
    stride = stride + (moveRow(mine, 1) - mine) * step;
  }
  auto constant = stride.getConstant();
  if (!constant)
    return false;
  auto [it, isNew] = successors.insert({from, {to, *constant}});
  return isNew || (it->second.tensor == to && it->second.stride == *constant);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static int64_t numberOf(Value tensor) {
  return cast<BlockArgument>(tensor).getArgNumber();
}

/// Whether a run goes on with a neighbour of its last piece, which reads
/// `current`; makes these the tensors of the piece behind.
static bool extend(PieceRun &run, const Neighbours &pair,
                   SmallVectorImpl<Value> &current) {
  bool isFirst = run.count == 1;
  if (!isFirst && pair.successors.size() != current.size())
    return false;
  SmallVector<PieceRun::Input> inputs;
  SmallVector<Value> behind;
  for (auto [k, entry] : llvm::enumerate(pair.successors)) {
    const auto &[tensor, successor] = entry;
    int64_t step = numberOf(successor.tensor) - numberOf(tensor);
    if (!isFirst && (tensor != current[k] || step != run.inputs[k].step ||
                     successor.stride != run.inputs[k].stride))
      return false;
    inputs.push_back({tensor, step, successor.stride});
    behind.push_back(successor.tensor);
  }
  if (isFirst)
    run.inputs = std::move(inputs);
  current = std::move(behind);
  return true;
}

SmallVector<PieceRun>
loop::findPieceRuns(KernelOp kernel, unsigned dim, ArrayRef<int64_t> bounds,
                    ArrayRef<Comparison> comparisons,
                    const llvm::DenseMap<Value, Buffer> &buffers) {
  SmallVector<PieceRun> runs;
  auto widthOf = [&](size_t k) { return bounds[k + 1] - bounds[k]; };
  size_t pieces = bounds.size() - 1;
  for (size_t k = 0; k < pieces;) {
    PieceRun run;
    run.first = k;
    run.width = widthOf(k);
    SmallVector<Value> current;
    Piece here(comparisons, bounds[k]);
    for (size_t i = k + 1; i < pieces && widthOf(i) == run.width; ++i) {
      Piece next(comparisons, bounds[i]);
      Neighbours pair(kernel, dim, run.width, here, next, buffers);
      if (!pair.areAlike() || !extend(run, pair, current))
        break;
      ++run.count;
      here = std::move(next);
    }
    k += run.count;
    if (run.count >= kMinPieces) {
      runs.push_back(std::move(run));
      continue;
    }
    for (size_t i = run.first; i < k; ++i)
      runs.push_back({i, 1, 0, {}});
  }
  return runs;
}
