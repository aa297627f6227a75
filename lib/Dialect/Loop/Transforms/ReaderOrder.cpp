//===- ReaderOrder.cpp - The order in which a result is read
//--------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReaderOrder.h"
#include "Bodies.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;
using guard::ExprKind;

namespace {
/// Where an index divides dimensions: element `c` of entry k stands for d<k>
/// floordiv c and d<k> mod c.
class Cuts {
public:
  explicit Cuts(size_t rank) : cuts(rank) {}

  /// Notes the cuts of `expr`. Gives the dimension that it is a part of, and by
  /// how much that was divided, if it is one.
  std::optional<std::pair<unsigned, int64_t>> note(ExprAttr expr);
  /// What dimension `k` of `extent` comes apart to, the outermost first; empty
  /// if it does not.
  SmallVector<ExprAttr> split(unsigned k, ExprAttr extent) const;

private:
  SmallVector<std::set<int64_t>> cuts;
};
} // namespace

std::optional<std::pair<unsigned, int64_t>> Cuts::note(ExprAttr expr) {
  if (expr.isDim())
    return std::pair(expr.getPosition(), int64_t(1));
  ExprKind kind = expr.getKind();
  bool divides = kind == ExprKind::FloorDiv || kind == ExprKind::Mod;
  if (divides)
    if (auto divisor = expr.getOperand(1).getConstant();
        divisor && *divisor > 0)
      if (auto part = note(expr.getOperand(0))) {
        int64_t cut;
        if (llvm::MulOverflow(part->second, *divisor, cut))
          return std::nullopt;
        cuts[part->first].insert(cut);
        if (kind == ExprKind::FloorDiv)
          part->second = cut;
        return part;
      }
  for (ExprAttr operand : expr.getOperands())
    (void)note(operand);
  return std::nullopt;
}

SmallVector<ExprAttr> Cuts::split(unsigned k, ExprAttr extent) const {
  MLIRContext *context = extent.getContext();
  SmallVector<ExprAttr> parts;
  int64_t below = 1;
  for (int64_t cut : cuts[k]) {
    if (cut % below != 0)
      return {};
    if (cut != below)
      parts.push_back(guard::getConstant(context, cut / below));
    below = cut;
  }
  auto rest = guard::exactDivide(extent, guard::getConstant(context, below));
  if (!rest)
    return {};
  if (!rest->isConstant(1) || parts.empty())
    parts.push_back(*rest);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// True if `address` counts each of the points of `extents` once, from 0 on
/// without a gap, and neighbours in the last dimension are neighbours.
static bool isPermuted(ExprAttr address, ArrayRef<ExprAttr> extents) {
  MLIRContext *context = address.getContext();
  SmallVector<std::pair<int64_t, ExprAttr>> steps;
  ExprAttr rest = address;
  for (auto [k, extent] : llvm::enumerate(extents)) {
    ExprAttr dim = guard::getDim(context, k);
    auto step = guard::getCoefficient(address, dim);
    auto known = step ? step->getConstant() : std::nullopt;
    if (!known)
      return false;
    rest = rest - dim * *known;
    if (!extent.isConstant(1))
      steps.push_back({*known, extent});
  }
  if (!rest.isConstant(0) || steps.empty() || steps.back().first != 1)
    return false;
  llvm::sort(steps,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  int64_t expected = 1;
  for (auto [k, step] : llvm::enumerate(steps)) {
    if (step.first != expected)
      return false;
    auto extent = step.second.getConstant();
    if (k + 1 < steps.size() &&
        (!extent || llvm::MulOverflow(expected, *extent, expected)))
      return false;
  }
  return true;
}

std::optional<ReaderOrder>
loop::getReaderOrder(ArrayRef<ExprAttr> domain, ArrayRef<ExprAttr> sizes,
                     ArrayRef<ExprAttr> map, const analysis::SizeHints &hints) {
  if (domain.empty() ||
      guard::getNumElements(domain[0].getContext(), domain) !=
          guard::getNumElements(domain[0].getContext(), sizes))
    return std::nullopt;
  MLIRContext *context = domain[0].getContext();
  Cuts cuts(domain.size());
  for (ExprAttr index : map)
    (void)cuts.note(index);
  ReaderOrder order;
  for (auto [k, extent] : llvm::enumerate(domain)) {
    SmallVector<ExprAttr> parts = cuts.split(k, extent);
    if (parts.empty())
      return std::nullopt;
    ExprAttr own = guard::getConstant(context, 0);
    for (ExprAttr part : parts) {
      own = own * part + guard::getDim(context, order.extents.size());
      order.extents.push_back(part);
    }
    order.reader.push_back(own);
  }
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, order.extents);
  for (ExprAttr index : map)
    order.written.push_back(guard::simplify(
        guard::substituteDims(index, order.reader), assumptions));
  ExprAttr address = analysis::linearize(
      context, order.written, guard::getContiguousStrides(context, sizes),
      assumptions);
  if (!isPermuted(address, order.extents))
    return std::nullopt;
  return order;
}

/// True if all that use `tensor` say where they read it, contractions where `canChange`.
static bool readersCanChange(Value tensor,
                             llvm::function_ref<bool(ContractOp)> canChange) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    if (auto contract = dyn_cast<ContractOp>(user))
      return contract.getEnds() != tensor && canChange(contract);
    auto load = dyn_cast<LoadOp>(user);
    return load && getNest(load) && load.getTensor() == tensor;
  });
}

/// True if `op` reads zeros instead of elements of `tensor`: its indices may
/// leave the tensor there, and are none that come apart.
static bool isMasked(ContractOp op, Value tensor) {
  SmallVector<ExprAttr> masks = getExprs(op.getMasks());
  return llvm::any_of(llvm::enumerate(masks), [&](auto mask) {
    return op->getOperand(mask.index()) == tensor &&
           !mask.value().isConstant(1);
  });
}

bool loop::readsCanReshape(Value tensor) {
  return readersCanChange(
      tensor, [&](ContractOp op) { return !isMasked(op, tensor); });
}

/// True if `op` may leave `tensor`, where it reads zeros, along one of dimensions
/// [first, last).
static bool mayLeave(ContractOp op, Value tensor, unsigned first, unsigned last,
                     const analysis::SizeHints &hints) {
  auto sizes = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, op.getContext(), op.getDomain().all());
  for (auto [k, mask] : llvm::enumerate(getExprs(op.getMasks()))) {
    if (op->getOperand(k) != tensor || mask.isConstant(1))
      continue;
    SmallVector<ExprAttr> indices =
        getExprs(k == 0 ? op.getLhsIndices() : op.getRhsIndices());
    for (unsigned dim = first; dim < last; ++dim)
      if (!sizes || !guard::isKnownNonNegative(indices[dim], assumptions) ||
          !guard::isKnownLess(indices[dim], (*sizes)[dim], assumptions))
        return true;
  }
  return false;
}

bool loop::readsCanReshape(Value tensor, ArrayRef<ExprAttr> from,
                           ArrayRef<ExprAttr> to,
                           const analysis::SizeHints &hints) {
  unsigned first = 0, last = from.size(), lastTo = to.size();
  auto isSame = [](ExprAttr x, ExprAttr y) { return x == y && !x.isConstant(0); };
  while (first < std::min(last, lastTo) && isSame(from[first], to[first]))
    ++first;
  while (last > first && lastTo > first && isSame(from[last - 1], to[lastTo - 1]))
    --last, --lastTo;
  return readersCanChange(tensor, [&](ContractOp op) {
    return !mayLeave(op, tensor, first, last, hints);
  });
}

void loop::reshapeReads(Value tensor, ArrayRef<ExprAttr> from,
                        ArrayRef<ExprAttr> to,
                        const analysis::SizeHints &hints) {
  MLIRContext *context = tensor.getContext();
  auto reshape = [&](ArrayAttr map, const guard::Assumptions &assumptions) {
    SmallVector<ExprAttr> indices;
    for (ExprAttr index : analysis::reshapeIndices(context, getExprs(map), from,
                                                   to, assumptions))
      indices.push_back(guard::simplify(index, assumptions));
    return getExprArray(context, indices);
  };
  // One that reads it as both operands is one user.
  llvm::SmallSetVector<Operation *, 4> users(tensor.user_begin(),
                                             tensor.user_end());
  for (Operation *user : users) {
    NestOpInterface nest = getNest(user);
    guard::Assumptions assumptions = hints.getAssumptions();
    if (auto contract = dyn_cast<ContractOp>(user)) {
      analysis::addExtents(assumptions, context, nest.getDomain().all());
      if (contract.getLhs() == tensor)
        contract.setLhsIndicesAttr(
            reshape(contract.getLhsIndices(), assumptions));
      if (contract.getRhs() == tensor)
        contract.setRhsIndicesAttr(
            reshape(contract.getRhsIndices(), assumptions));
      continue;
    }
    auto load = cast<LoadOp>(user);
    SmallVector<ExprAttr> extents = nest.getBodyExtents();
    for (auto [k, index] : llvm::enumerate(load.getIndices()))
      if (auto dim = dyn_cast<BlockArgument>(index))
        if (auto number = nest.getDimensionOf(dim))
          assumptions.setExtent(guard::getDim(context, k), extents[*number]);
    load.setMapAttr(reshape(load.getMap(), assumptions));
  }
}
