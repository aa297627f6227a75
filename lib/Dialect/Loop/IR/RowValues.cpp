//===- RowValues.cpp - Values of points and of their rows -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/RowValues.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

static bool areUnits(ArrayRef<ExprAttr> extents) {
  return llvm::all_of(extents,
                      [](ExprAttr extent) { return extent.isConstant(1); });
}

bool loop::isOnePerPoint(KernelOp kernel, NestOpInterface nest) {
  SmallVector<ExprAttr> parallel = nest.getDomain().parallel;
  size_t shared = kernel.getShared().size();
  return parallel.size() >= shared &&
         areUnits(ArrayRef(parallel).drop_front(shared));
}

bool loop::isOnePerPoint(KernelOp kernel, Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  size_t shared = kernel.getShared().size();
  return shape.size() >= shared &&
         llvm::all_of(shape.drop_front(shared),
                      [](int64_t size) { return size == 1; });
}

/// Those of a nest, whatever others of the kernel have.
static SmallVector<ExprAttr> getOwnRow(KernelOp kernel, NestOpInterface nest) {
  Domain domain = nest.getDomain();
  SmallVector<ExprAttr> row;
  for (ExprAttr extent :
       ArrayRef(domain.parallel).drop_front(kernel.getShared().size()))
    if (!extent.isConstant(1))
      row.push_back(extent);
  row.append(domain.reduction.begin(), domain.reduction.end());
  return row;
}

bool loop::isOfKept(KernelOp kernel, NestOpInterface nest) {
  if (!nest.isPointwise() && !nest.isReduction())
    return false;
  return llvm::any_of(kernel.getBody().getOps<SortOp>(), [&](SortOp sort) {
    return !sort.keepsAll() &&
           getOwnRow(kernel, nest) == ArrayRef(sort.getKeptExtent());
  });
}

bool loop::makesKept(KernelOp kernel, NestOpInterface nest) {
  auto sort = dyn_cast<SortOp>(nest.getOperation());
  return sort ? !sort.keepsAll() : isOfKept(kernel, nest);
}

std::optional<int64_t> loop::getSelected(SortOp op) {
  // Elements of a row, and how many times as many as are kept, at least.
  constexpr int64_t kLeastRow = 512, kLeastFactor = 4;
  auto kept = op.getKeptExtent().getConstant();
  auto size = op.getRowExtent().getConstant();
  ValueRange keys = op.getBody().front().getTerminator()->getOperands();
  if (op.keepsAll() || keys.size() != 1 || !kept || *kept < 1 ||
      (size && *size < std::max(kLeastRow, *kept * kLeastFactor)))
    return std::nullopt;
  return kept;
}

SmallVector<ExprAttr> loop::getRowExtents(KernelOp kernel,
                                          NestOpInterface nest) {
  if (isOfKept(kernel, nest))
    return {};
  return getOwnRow(kernel, nest);
}

ExprAttr loop::getLastExtent(ArrayRef<ExprAttr> row) {
  while (row.size() > 1 && row.back().isConstant(1))
    row = row.drop_back();
  return row.back();
}

std::optional<int64_t> loop::getPeelableSize(KernelOp kernel) {
  std::optional<int64_t> size;
  for (NestOpInterface nest : kernel.getNests()) {
    if (!nest.isPointwise() && !isa<ReduceOp>(nest.getOperation()))
      return std::nullopt;
    SmallVector<ExprAttr> row = getRowExtents(kernel, nest);
    if (row.empty())
      continue;
    auto count = getLastExtent(row).getConstant();
    if (!count || (size && size != count) ||
        llvm::count_if(row, [](ExprAttr e) { return !e.isConstant(1); }) != 1)
      return std::nullopt;
    size = count;
  }
  return size;
}

bool loop::isPeeled(KernelOp kernel, int64_t lanes) {
  return llvm::any_of(kernel.getNests(), [&](NestOpInterface nest) {
    if (isa<ContractOp>(nest.getOperation()))
      return false;
    SmallVector<ExprAttr> row = getRowExtents(kernel, nest);
    auto last = row.empty() ? std::optional<int64_t>(lanes)
                            : getLastExtent(row).getConstant();
    return lanes > 1 && (!last || *last % lanes != 0);
  });
}
