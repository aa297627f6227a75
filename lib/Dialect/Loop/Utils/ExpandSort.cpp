//===- ExpandSort.cpp - Sorts as counts and a scatter ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Utils/ExpandSort.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// The keys of the element at `indices`.
static SmallVector<Value> cloneKeys(OpBuilder &b, SortOp op,
                                    ArrayRef<Value> indices) {
  IRMapping mapping;
  Block &block = op.getBody().front();
  mapping.map(block.getArguments(), indices);
  for (Operation &inner : block.without_terminator())
    b.clone(inner, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value key) { return mapping.lookupOrDefault(key); });
}

void loop::expandSort(SortOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type i64 = b.getI64Type();
  Domain domain = op.getDomain();
  SmallVector<ExprAttr> points = domain.all();
  unsigned row = domain.parallel.size();

  // The place of an element: how many come before it.
  auto rank = ReduceOp::create(
      b, TypeRange{guard::makeTensorType(i64, points)}, points,
      domain.reduction, ArrayRef<ReductionKind>{ReductionKind::Sum},
      op.getOriginsAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block &body = rank.getBody().front();
    b.setInsertionPointToStart(&body);
    SmallVector<Value> indices(body.getArguments());
    Value other = indices.pop_back_val();
    SmallVector<Value> mine = cloneKeys(b, op, indices);
    Value own = indices[row];
    indices[row] = other;
    SmallVector<Value> theirs = cloneKeys(b, op, indices);
    Value before =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, other, own);
    for (auto [x, y] : llvm::reverse(llvm::zip_equal(theirs, mine))) {
      Value less = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
      Value same = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
      before = arith::OrIOp::create(b, less,
                                    arith::AndIOp::create(b, same, before));
    }
    YieldOp::create(b, Value(arith::ExtUIOp::create(b, i64, before)));
  }

  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto zeros = PointwiseOp::create(b, type, op.getResultExtents(),
                                   op.getOriginsAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&zeros.getBody().front());
    YieldOp::create(b, Value(arith::ConstantIntOp::create(b, 0, 64)));
  }
  auto scatter = ScatterOp::create(b, zeros.getResult(), points,
                                   ScatterKind::Set, op.getOriginsAttr());
  Block &body = scatter.getBody().front();
  b.setInsertionPointToStart(&body);
  SmallVector<Value> position(body.getArguments());
  Value own = position.pop_back_val();
  Value place = LoadOp::create(b, rank.getResult(0), body.getArguments());
  position.insert(position.begin() + op.getDimension(),
                  arith::IndexCastOp::create(b, b.getIndexType(), place));
  Value isKept;
  if (!op.keepsAll()) {
    Value kept =
        IndexOp::create(b, b.getIndexType(), ValueRange(), op.getKeptExtent());
    isKept = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place,
                                   arith::IndexCastOp::create(b, i64, kept));
  }
  YieldAtOp::create(b, Value(arith::IndexCastOp::create(b, i64, own)), position,
                    isKept);
  op.getResult().replaceAllUsesWith(scatter.getResult());
  op.erase();
}
