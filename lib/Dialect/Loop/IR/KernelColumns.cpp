//===- KernelColumns.cpp - Rows that lie across memory --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/KernelColumns.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Those of more than one element.
static SmallVector<ExprAttr> dropUnits(ArrayRef<ExprAttr> extents) {
  SmallVector<ExprAttr> kept(extents);
  llvm::erase_if(kept, [](ExprAttr extent) { return extent.isConstant(1); });
  return kept;
}

KernelColumns::KernelColumns(ArrayRef<ExprAttr> parallel,
                             ArrayRef<ExprAttr> reduction)
    : columns(dropUnits(parallel)), elements(dropUnits(reduction)) {}

std::optional<ColumnDims> KernelColumns::getDims(NestOpInterface nest) const {
  Domain domain = nest.getDomain();
  return getDims(domain.parallel, domain.reduction, nest.isReduction());
}

std::optional<ColumnDims> KernelColumns::getDims(ArrayRef<ExprAttr> parallel,
                                                 ArrayRef<ExprAttr> reduction,
                                                 bool isReduction) const {
  SmallVector<ExprAttr> all(parallel), wanted = columns;
  llvm::append_range(all, reduction);
  bool walks = !reduction.empty();
  // What reduces a dimension of 1 has a value for each element.
  if (walks && dropUnits(parallel) != columns)
    return std::nullopt;
  if (walks)
    llvm::append_range(wanted, elements);
  else if (dropUnits(all).size() > columns.size()) {
    walks = true;
    wanted.insert(wanted.begin() + before, elements.begin(), elements.end());
  }
  if (dropUnits(all) != wanted)
    return std::nullopt;
  unsigned first = isReduction ? columns.size() : before;
  ColumnDims dims;
  for (unsigned k = 0, number = 0; k < all.size(); ++k) {
    if (all[k].isConstant(1))
      continue;
    bool isElement =
        walks && number >= first && number < first + elements.size();
    (isElement ? dims.elements : dims.columns).push_back(k);
    ++number;
  }
  return dims;
}

/// The index expressions of a load over the dimensions of `nest`; empty where
/// one is computed.
static SmallVector<ExprAttr> getOwnMap(NestOpInterface nest, LoadOp load) {
  SmallVector<ExprAttr> dims, map;
  for (Value index : load.getIndices()) {
    ExprAttr expr = getIndexExpr(nest, index);
    if (!expr)
      return {};
    dims.push_back(expr);
  }
  for (ExprAttr expr : getExprs(load.getMap()))
    map.push_back(guard::substituteDims(expr, dims));
  return map;
}

/// True if `load`, in `nest`, reads what another nest of the kernel makes at
/// its own place.
static bool readsOwnColumn(const KernelColumns &columns, NestOpInterface nest,
                           LoadOp load) {
  auto made = load.getTensor().getDefiningOp<NestOpInterface>();
  auto from = columns.getDims(made), to = columns.getDims(nest);
  SmallVector<ExprAttr> map = getOwnMap(nest, load);
  if (!from || !to || map.empty())
    return false;
  bool isValue = made.isReduction() || from->elements.empty();
  if (!isValue && to->elements.empty())
    return false;
  auto agree = [&](ArrayRef<unsigned> places, ArrayRef<unsigned> dims) {
    return llvm::all_of(llvm::zip_equal(places, dims), [&](auto pair) {
      auto [place, dim] = pair;
      return map[place] == guard::getDim(nest->getContext(), dim);
    });
  };
  return agree(from->columns, to->columns) &&
         (isValue || agree(from->elements, to->elements));
}

static bool fit(const KernelColumns &columns, ArrayRef<NestOpInterface> nests) {
  return llvm::all_of(nests, [&](NestOpInterface nest) {
    if (!columns.getDims(nest))
      return false;
    return !nest->walk([&](LoadOp load) {
                  bool isOwn =
                      !load.getTensor().getDefiningOp<NestOpInterface>() ||
                      readsOwnColumn(columns, nest, load);
                  return isOwn ? WalkResult::advance()
                               : WalkResult::interrupt();
                })
                .wasInterrupted();
  });
}

std::optional<KernelColumns> loop::getKernelColumns(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  ReduceOp first;
  for (NestOpInterface nest : nests) {
    auto reduce = dyn_cast<ReduceOp>(nest.getOperation());
    if ((!reduce && !isa<PointwiseOp>(nest.getOperation())) ||
        getRowParts(kernel, nest))
      return std::nullopt;
    if (!first)
      first = reduce;
  }
  if (!first)
    return std::nullopt;
  Domain domain = first.getDomain();
  KernelColumns columns(domain.parallel, domain.reduction);
  if (columns.columns.empty() || columns.elements.empty())
    return std::nullopt;
  // Extents alone may leave several places: reads decide.
  for (; columns.before <= columns.columns.size(); ++columns.before)
    if (fit(columns, nests))
      return columns;
  return std::nullopt;
}
