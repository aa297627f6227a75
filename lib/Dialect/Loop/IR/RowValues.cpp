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

SmallVector<ExprAttr> loop::getRowExtents(KernelOp kernel,
                                          NestOpInterface nest) {
  Domain domain = nest.getDomain();
  SmallVector<ExprAttr> row;
  for (ExprAttr extent :
       ArrayRef(domain.parallel).drop_front(kernel.getShared().size()))
    if (!extent.isConstant(1))
      row.push_back(extent);
  row.append(domain.reduction.begin(), domain.reduction.end());
  return row;
}
