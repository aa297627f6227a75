//===- ExpandContraction.cpp - Contractions as plain reductions -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

static Value convert(OpBuilder &b, Location loc, Value value, Type elementType,
                     Type wanted) {
  Type type = value.getType();
  if (type == wanted)
    return value;
  if (isa<FloatType>(wanted)) {
    if (type.getIntOrFloatBitWidth() < wanted.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, wanted, value);
    return arith::TruncFOp::create(b, loc, wanted, value);
  }
  if (type.getIntOrFloatBitWidth() > wanted.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, loc, wanted, value);
  if (elementType.isUnsignedInteger() || elementType.isInteger(1))
    return arith::ExtUIOp::create(b, loc, wanted, value);
  return arith::ExtSIOp::create(b, loc, wanted, value);
}

/// Clones the operations of a one-block region and gives what it yields.
static Value inlineRegion(OpBuilder &b, Region &region,
                          ArrayRef<Value> arguments) {
  IRMapping mapping;
  Block &block = region.front();
  for (auto [from, to] : llvm::zip(block.getArguments(), arguments))
    mapping.map(from, to);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

static SmallVector<ExprAttr> dropUnitDims(ArrayAttr exprs,
                                          ArrayRef<ExprAttr> extents) {
  return llvm::map_to_vector(getExprs(exprs), [&](ExprAttr expr) {
    return guard::dropUnitDims(expr, extents);
  });
}

/// Whether a point of the domain is of a member and its own group.
static Value isInGroup(OpBuilder &b, Location loc, ContractOp op,
                       ValueRange dims) {
  Value group = dims[op.getGroupDim()], member = dims[op.getMemberDim()];
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, group,
                                        zero);
  Value isNext = arith::XOrIOp::create(
      b, loc, isFirst, arith::ConstantIntOp::create(b, loc, 1, 1));
  MLIRContext *context = op.getContext();
  guard::ExprAttr before =
      guard::getDim(context, 0) + guard::getConstant(context, -1);
  Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
  auto toIndex = [&](Value end) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), end);
  };
  Value begin = toIndex(LoadOp::create(b, loc, op.getEnds(), {group},
                                       ArrayRef(before), isNext, none));
  Value end = toIndex(LoadOp::create(b, loc, op.getEnds(), {group}));
  return arith::AndIOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, member, begin),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, member, end));
}

void loop::expandContraction(ContractOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  SmallVector<ExprAttr> parallel = getExprs(op.getParallelExtents());
  SmallVector<ExprAttr> reduction = getExprs(op.getReductionExtents());
  if (reduction.empty())
    reduction.push_back(guard::getConstant(context, 1));
  auto sumType = guard::makeTensorType(op.getAccType(), parallel);

  auto reduce =
      ReduceOp::create(b, loc, TypeRange{sumType}, parallel, reduction,
                       ArrayRef<ReductionKind>{ReductionKind::Sum},
                       op.getOriginsAttr());
  {
    Block &body = reduce.getBody().front();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body);
    SmallVector<ExprAttr> extents = parallel;
    llvm::append_range(extents, reduction);
    SmallVector<ExprAttr> masks = dropUnitDims(op.getMasks(), extents);
    auto read = [&](Value tensor, ArrayAttr map, unsigned k, Region &prologue) {
      Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
      Value mask, other;
      if (!masks.empty()) {
        Value flag = IndexOp::create(b, loc, b.getIndexType(),
                                     body.getArguments(), masks[k]);
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flag,
                                     zero);
        other = arith::ConstantOp::create(
            b, loc, cast<TypedAttr>(b.getZeroAttr(getBodyType(element))));
      }
      Value value = LoadOp::create(b, loc, tensor, body.getArguments(),
                                   dropUnitDims(map, extents), mask,
                                   other);
      if (!prologue.empty())
        value = inlineRegion(b, prologue, {value});
      return convert(b, loc, value, element, op.getAccType());
    };
    Value lhs = read(op.getLhs(), op.getLhsIndices(), 0, op.getLhsPrologue());
    Value rhs = read(op.getRhs(), op.getRhsIndices(), 1, op.getRhsPrologue());
    Value product =
        isa<FloatType>(op.getAccType())
            ? arith::MulFOp::create(b, loc, lhs, rhs,
                                    arith::FastMathFlags::contract)
                  .getResult()
            : arith::MulIOp::create(b, loc, lhs, rhs).getResult();
    if (op.isGrouped())
      product = arith::SelectOp::create(
          b, loc, isInGroup(b, loc, op, body.getArguments()), product,
          arith::ConstantOp::create(
              b, loc, cast<TypedAttr>(b.getZeroAttr(op.getAccType()))));
    YieldOp::create(b, loc, product);
  }
  expandEpilogue(op, reduce.getResult(0));
}

void loop::expandEpilogue(ContractOp op, Value sum) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  Type wanted = getBodyType(resultType.getElementType());
  Value result = sum;
  if (!op.getEpilogue().empty() || sum.getType() != resultType) {
    auto pointwise = PointwiseOp::create(
        b, loc, resultType, getExprs(op.getParallelExtents()),
        op.getOriginsAttr());
    Block &body = pointwise.getBody().front();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body);
    Value value = LoadOp::create(b, loc, sum, body.getArguments());
    if (!op.getEpilogue().empty()) {
      SmallVector<Value> arguments = {value};
      llvm::append_range(arguments, body.getArguments());
      value = inlineRegion(b, op.getEpilogue(), arguments);
    }
    YieldOp::create(b, loc,
                    convert(b, loc, value, op.getAccType(), wanted));
    result = pointwise.getResult();
  }
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}
