//===- FusionColumns.cpp - Which nests may share columns ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over plain data what `getKernelColumns` asks of a kernel, and whether
// registers hold it.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/KernelColumns.h"
#include "kiln/Dialect/Loop/Transforms/Fusion.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;
using Kind = FusionNode::Kind;

namespace {
/// The columns of nodes.
class Columns {
public:
  Columns(const FusionProblem &problem, ArrayRef<unsigned> nodes,
          ArrayRef<unsigned> writerOf)
      : problem(problem), nodes(nodes), writerOf(writerOf) {}

  bool find();
  bool areHeld(const FusionOptions &options) const;

private:
  /// What a dimension of a node is: one of the columns', one of the elements'
  /// behind them all, or -1 where it has one element.
  using Roles = SmallVector<int>;
  std::optional<Roles> getRoles(const FusionNode &node) const;
  bool fit() const;
  const FusionNode *first = nullptr;
  KernelColumns shape;

  const FusionProblem &problem;
  ArrayRef<unsigned> nodes, writerOf;
};
} // namespace

std::optional<Columns::Roles> Columns::getRoles(const FusionNode &node) const {
  auto dims = shape.getDims(node.parallel, node.reduction,
                            node.kind == Kind::Reduction);
  if (!dims)
    return std::nullopt;
  Roles roles(node.parallel.size() + node.reduction.size(), -1);
  for (auto [k, dim] : llvm::enumerate(dims->columns))
    roles[dim] = k;
  for (auto [k, dim] : llvm::enumerate(dims->elements))
    roles[dim] = shape.columns.size() + k;
  return roles;
}

bool Columns::fit() const {
  llvm::SmallDenseMap<unsigned, Roles> rolesOf;
  for (unsigned i : nodes) {
    auto roles = getRoles(problem.nodes[i]);
    if (!roles)
      return false;
    rolesOf[i] = std::move(*roles);
  }
  return llvm::all_of(nodes, [&](unsigned i) {
    const Roles &own = rolesOf[i];
    return llvm::all_of(problem.nodes[i].reads, [&](const FusionRead &read) {
      unsigned writer = writerOf[read.tensor];
      auto made = writer == ~0u ? rolesOf.end() : rolesOf.find(writer);
      if (made == rolesOf.end())
        return true;
      if (read.isComputed)
        return false;
      // A result has the parallel dimensions of who makes it.
      for (auto [k, dim] : llvm::enumerate(read.dims)) {
        int wanted = made->second[k];
        if (wanted >= 0 && (dim < 0 || own[dim] != wanted))
          return false;
      }
      return !read.dims.empty();
    });
  });
}

/// Of reductions whose columns threads may share, and of what is element by
/// element.
bool Columns::find() {
  for (unsigned i : nodes) {
    const FusionNode &node = problem.nodes[i];
    bool isReduction = node.kind == Kind::Reduction && node.hasColumns;
    if (!isReduction && node.kind != Kind::Pointwise)
      return false;
    if (isReduction && !first)
      first = &node;
  }
  if (!first)
    return false;
  shape = KernelColumns(first->parallel, first->reduction);
  auto isKnown = [](ExprAttr extent) {
    return extent.getConstant().value_or(0) > 0;
  };
  if (shape.columns.empty() || shape.elements.empty() ||
      !llvm::all_of(shape.elements, isKnown))
    return false;
  for (; shape.before <= shape.columns.size(); ++shape.before)
    if (fit())
      return true;
  return false;
}

/// True if a block has room for all that several nodes read, or make and read,
/// of the elements of its columns, as far as it is wanted at one time.
bool Columns::areHeld(const FusionOptions &options) const {
  llvm::MapVector<unsigned, KeptElement> kept;
  int64_t narrow = sizeof(double);
  for (auto [number, i] : llvm::enumerate(nodes)) {
    auto use = [&, number = number](unsigned tensor) {
      const FusionTensor &each = problem.tensors[tensor];
      if (each.elements < first->points)
        return;
      int64_t own = each.bytes / std::max<int64_t>(each.elements, 1);
      narrow = std::min(narrow, own);
      kept.try_emplace(tensor, KeptElement{own, number, number})
          .first->second.last = number;
    };
    for (const FusionRead &read : problem.nodes[i].reads)
      use(read.tensor);
    llvm::for_each(problem.nodes[i].writes, use);
  }
  int64_t most = countKeptBytes(llvm::to_vector(llvm::make_second_range(kept)));
  int64_t beside = options.columnBytes / std::clamp<int64_t>(narrow, 2, 8);
  int64_t columns = 1;
  for (int64_t extent : first->parallelHints)
    columns *= std::max<int64_t>(extent, 1);
  int64_t words = std::max<int64_t>(first->points / columns, 1) * beside *
                  std::max<int64_t>(llvm::divideCeil(most, sizeof(float)), 1);
  int64_t tiles =
      std::min<int64_t>(llvm::divideCeil(columns, beside), options.columnTiles);
  return words * options.columnTiles <= options.columnWords * tiles;
}

int64_t loop::countKeptBytes(ArrayRef<KeptElement> elements) {
  int64_t most = 0;
  for (const KeptElement &from : elements) {
    int64_t bytes = 0;
    for (const KeptElement &each : elements)
      if (each.first <= from.first && from.first < each.last)
        bytes += each.bytes;
    most = std::max(most, bytes);
  }
  return most;
}

bool loop::shareColumns(const FusionProblem &problem, ArrayRef<unsigned> nodes,
                        ArrayRef<unsigned> writerOf,
                        const FusionOptions &options) {
  if (options.columnWords == 0)
    return false;
  Columns columns(problem, nodes, writerOf);
  return columns.find() && columns.areHeld(options);
}
