//===- GridAcrossEmitter.cpp - A thread for each point --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

LogicalResult GridAcrossEmitter::emitThread() {
  sharedExtents = analysis::collapseShared(kernel, layout);
  sumBlock = schedule.getSumBlock();
  if (schedule.getLanes() == 1)
    return emitForItem(guard::product(context, sharedExtents), [&] {
      Position position;
      position.dims = delinearize(item, sharedExtents);
      position.extents = sharedExtents;
      return emitNests(position);
    });
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents).drop_back();
  ExprAttr chunks = guard::ceilDiv(sharedExtents.back(), schedule.getLanes());
  return emitForItem(guard::product(context, llvm::to_vector(outer)) * chunks,
                     [&] { return emitVectors(outer, chunks); });
}

/// The vector of a thread, or what there is of it at the end of the dimension.
LogicalResult GridAcrossEmitter::emitVectors(ArrayRef<ExprAttr> outer,
                                             ExprAttr chunks) {
  int64_t lanes = schedule.getLanes();
  bool hasOuter = llvm::any_of(
      outer, [](ExprAttr extent) { return !extent.isConstant(1); });
  Value chunk = item, rest = constantIndex(0);
  if (hasOuter) {
    Value count = getArgument(chunks);
    chunk = arith::RemUIOp::create(b, item, count);
    rest = arith::DivUIOp::create(b, item, count);
  }
  Position position;
  position.dims = delinearize(rest, outer);
  position.dims.push_back(mul(chunk, lanes));
  position.extents = sharedExtents;
  Position vector = position;
  vector.vectorDim = position.dims.size() - 1;
  vector.lanes = vector.multiple = lanes;
  auto extent = sharedExtents.back().getConstant();
  if (extent && *extent % lanes == 0)
    return emitNests(vector);

  Value low = position.dims.back(), end = getArgument(sharedExtents.back());
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                        add(low, constantIndex(lanes)), end);
  auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(emitNests(vector)))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  auto loop = scf::ForOp::create(b, low, end, constantIndex(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  position.dims.back() = loop.getInductionVar();
  return emitNests(position);
}
