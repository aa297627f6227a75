//===- LoopNests.cpp - The nests of a lowering ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Lowering/LoopBuilder.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Interfaces/AttentionMark.h"
#include "kiln/Interfaces/SumMark.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

Value LoopBuilder::makePointwise(RankedTensorType type, Type in,
                                 BodyFn compute) {
  if (!reason.empty())
    return {};
  auto dims = guard::getDims(type);
  if (!dims) {
    (void)refuse("a size of the result is not known");
    return {};
  }
  auto nest = PointwiseOp::create(builder, getLoc(), type, *dims, origins);
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), in);
  scalars.shortSpecials = shortSpecials;
  Value value = compute(body, scalars);
  if (value && scalars.getReason().empty())
    value = scalars.convert(
        value, value.getType() == getBodyType(in) ? in : value.getType(),
        type.getElementType());
  if (succeeded(endBody(inner, value, scalars.getReason())))
    return nest.getResult();
  nest.erase();
  return {};
}

LogicalResult LoopBuilder::endBody(OpBuilder &inner, ValueRange values,
                                   StringRef why) {
  if (!why.empty())
    return refuse(why);
  if (values.empty() || llvm::is_contained(values, Value()))
    return refuse("a number is not known");
  YieldOp::create(inner, getLoc(), values);
  return success();
}

Value LoopBuilder::makeZeros(RankedTensorType type) {
  Type element = type.getElementType();
  return makePointwise(type, element, [&](BodyContext, ScalarBuilder &scalars) {
    return scalars.constant(element, int64_t(0));
  });
}

SmallVector<Value> LoopBuilder::makeReduce(TypeRange types,
                                           ArrayRef<ExprAttr> parallel,
                                           ArrayRef<ExprAttr> reduction,
                                           ArrayRef<ReductionKind> kinds,
                                           Type in, ReduceFn compute) {
  if (!reason.empty())
    return SmallVector<Value>(types.size());
  auto nest = ReduceOp::create(builder, getLoc(), types, parallel, reduction,
                               kinds, origins);
  copySumMark(op, nest);
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), in);
  scalars.shortSpecials = shortSpecials;
  SmallVector<Value> values = compute(body, scalars);
  if (succeeded(endBody(inner, values, scalars.getReason())))
    return llvm::to_vector_of<Value>(nest.getResults());
  nest.erase();
  return SmallVector<Value>(types.size());
}

/// Of a tensor with unknown sizes there is no index.
static bool hasKnownSizes(Value tensor) {
  return guard::getDims(cast<RankedTensorType>(tensor.getType())).has_value();
}

//===----------------------------------------------------------------------===//
// Over dimensions
//===----------------------------------------------------------------------===//

std::optional<ReducedDomain>
LoopBuilder::getReducedDomain(const View &self, ArrayRef<int64_t> dims,
                              ArrayRef<ExprAttr> result) {
  int64_t rank = self.dims.size();
  SmallVector<bool> reduced(rank, dims.empty());
  for (int64_t d : dims) {
    // A tensor without dimensions may be reduced along its only place.
    int64_t last = std::max<int64_t>(rank, 1) - 1;
    if (d < -last - 1 || d > last) {
      (void)refuse("a dimension to reduce is out of range");
      return std::nullopt;
    }
    if (rank > 0)
      reduced[d < 0 ? d + rank : d] = true;
  }
  size_t kept = llvm::count(reduced, false);
  if (result.size() != kept && result.size() != size_t(rank)) {
    (void)refuse("the result does not have the dimensions that are left");
    return std::nullopt;
  }
  ReducedDomain domain;
  domain.parallel = Exprs(result);
  bool keeps = result.size() == size_t(rank);
  unsigned parallel = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (reduced[i]) {
      domain.index.push_back(dim(result.size() + domain.reduction.size()));
      domain.reduction.push_back(self.dims[i]);
      parallel += keeps;
      continue;
    }
    domain.index.push_back(dim(parallel++));
  }
  if (domain.reduction.empty()) // a tensor without dimensions
    domain.reduction.push_back(expr(1));
  return domain;
}

Value LoopBuilder::reduceDims(const View &self, ArrayRef<int64_t> dims,
                              RankedTensorType type, ReductionKind kind,
                              Type acc, ElementFn element) {
  if (!reason.empty())
    return {};
  auto sizes = guard::getDims(type);
  if (!sizes || !hasKnownSizes(self.base)) {
    (void)refuse("a size is not known");
    return {};
  }
  auto domain = getReducedDomain(self, dims, *sizes);
  if (!domain)
    return {};
  return makeReduce(
      TypeRange(type), domain->parallel, domain->reduction, ArrayRef(kind), acc,
      [&](BodyContext body, ScalarBuilder &scalars) -> SmallVector<Value> {
        Value value = read(body, self, domain->index);
        return {element ? element(body, scalars, value)
                        : scalars.convert(value, getElement(self.base), acc)};
      })[0];
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

ContractOp LoopBuilder::makeContract(RankedTensorType type, const Factor &lhs,
                                     const Factor &rhs,
                                     ArrayRef<ExprAttr> reduction, Type acc) {
  if (!reason.empty())
    return {};
  auto sizes = guard::getDims(type);
  if (!sizes || !hasKnownSizes(lhs.tensor) || !hasKnownSizes(rhs.tensor)) {
    (void)refuse("a size is not known");
    return {};
  }
  Exprs parallel(*sizes), extents(parallel);
  extents.append(reduction.begin(), reduction.end());
  View left = getStraight(lhs.tensor, extents, lhs.index);
  View right = getStraight(rhs.tensor, extents, rhs.index);
  auto nest = ContractOp::create(builder, getLoc(), type, left.base, right.base,
                                 parallel, reduction, left.map, right.map,
                                 getBodyType(acc), origins);
  if (Attribute attention = op->getDiscardableAttr(kAttentionAttrName))
    nest->setDiscardableAttr(kAttentionAttrName, attention);
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), extents);
  auto simplify = [&](ExprAttr mask) {
    return mask ? guard::simplify(mask, assumptions) : expr(1);
  };
  ExprAttr masks[] = {simplify(lhs.mask), simplify(rhs.mask)};
  if (!masks[0].isConstant(1) || !masks[1].isConstant(1))
    nest.setMasksAttr(getExprArray(getContext(), masks));
  return nest;
}

LogicalResult LoopBuilder::addEpilogue(
    ContractOp nest,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)> compute) {
  Block *block = nest.addEpilogue(builder);
  OpBuilder inner = OpBuilder::atBlockEnd(block);
  BodyContext body{inner, getLoc(), block->getArguments().drop_front()};
  Type acc = nest.getAccType();
  ScalarBuilder scalars(inner, getLoc(), acc);
  scalars.shortSpecials = shortSpecials;
  Value value = compute(body, scalars, block->getArgument(0));
  if (value && scalars.getReason().empty())
    value = scalars.convert(value, acc, getElement(nest.getResult()));
  if (succeeded(endBody(inner, value, scalars.getReason())))
    return success();
  nest.erase();
  return failure();
}

//===----------------------------------------------------------------------===//
// Writing at computed positions
//===----------------------------------------------------------------------===//

/// The body of `nest`, of which the first `count` arguments are indices.
static void fillScatter(ScatterOp nest, unsigned count,
                        llvm::function_ref<Written(BodyContext)> point) {
  Block &block = nest.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Written made =
      point({inner, nest.getLoc(), block.getArguments().take_front(count)});
  YieldAtOp::create(inner, nest.getLoc(), made.value, made.position,
                    made.condition);
}

Value LoopBuilder::makeScatter(Value init, ArrayRef<ExprAttr> extents,
                               ScatterKind kind,
                               llvm::function_ref<Written(BodyContext)> point) {
  if (!reason.empty())
    return {};
  auto nest =
      ScatterOp::create(builder, getLoc(), init, extents, kind, origins);
  fillScatter(nest, nest.getBody().getNumArguments(), point);
  return nest.getResult();
}

Value LoopBuilder::makeSweep(
    Value init, ArrayRef<ExprAttr> extents, int64_t independent,
    llvm::function_ref<Written(BodyContext, const View &)> point) {
  if (!reason.empty())
    return {};
  auto nest = ScatterOp::create(builder, getLoc(), init, extents,
                                ScatterKind::Set, origins, independent);
  View state = getView(nest.addWritten());
  fillScatter(nest, extents.size(),
              [&](BodyContext body) { return point(body, state); });
  return nest.getResult();
}

//===----------------------------------------------------------------------===//
// Along a row
//===----------------------------------------------------------------------===//

ScanOp LoopBuilder::makeScan(
    TypeRange types, ValueRange inits, ArrayRef<ExprAttr> parallel,
    ExprAttr extent, int64_t dimension, ArrayRef<ReductionKind> kinds,
    llvm::function_ref<SmallVector<Value>(BodyContext)> compute) {
  if (!reason.empty())
    return {};
  auto scan = ScanOp::create(builder, getLoc(), types, inits, parallel, extent,
                             dimension, kinds, origins);
  OpBuilder inner = OpBuilder::atBlockEnd(&scan.getBody().front());
  BodyContext body{inner, getLoc(), scan.getBody().getArguments()};
  if (succeeded(endBody(inner, compute(body))))
    return scan;
  scan.erase();
  return {};
}

LogicalResult LoopBuilder::addCombiner(ScanOp scan, CombineFn combine) {
  SmallVector<Type> types = scan.getAccumulatorTypes();
  size_t count = types.size();
  types.append(types.begin(), types.begin() + count);
  OpBuilder inner(getContext());
  Block *block =
      inner.createBlock(&scan.getCombiner(), {}, types,
                        SmallVector<Location>(types.size(), scan.getLoc()));
  ValueRange values = block->getArguments();
  if (succeeded(endBody(inner, combine(inner, values.take_front(count),
                                       values.drop_front(count)))))
    return success();
  scan.erase();
  return failure();
}

Value LoopBuilder::makeSort(ArrayRef<ExprAttr> dims,
                            ArrayRef<ExprAttr> parallel, ExprAttr extent,
                            int64_t dimension, KeysFn keys) {
  if (!reason.empty())
    return {};
  auto type = guard::makeTensorType(builder.getI64Type(), dims);
  auto sort = SortOp::create(builder, getLoc(), type, parallel, extent,
                             dims[dimension], dimension, origins);
  OpBuilder inner = OpBuilder::atBlockEnd(&sort.getBody().front());
  BodyContext body{inner, getLoc(), sort.getBody().getArguments()};
  if (succeeded(endBody(inner, keys(body))))
    return sort.getResult();
  sort.erase();
  return {};
}

Value loop::makeSortKey(BodyContext body, Value value, Type element,
                        bool descending) {
  OpBuilder &b = body.builder;
  Type type = value.getType();
  auto number = [&](APInt bits) -> Value {
    return arith::ConstantOp::create(
        b, body.loc,
        b.getIntegerAttr(b.getIntegerType(bits.getBitWidth()), bits));
  };
  Value key = value;
  if (isa<FloatType>(type)) {
    ScalarBuilder scalars(b, body.loc, LoopBuilder::getComputeType(type));
    value = scalars.convert(value, type, scalars.getType());
    unsigned width = value.getType().getIntOrFloatBitWidth();
    Value bits =
        arith::BitcastOp::create(b, body.loc, b.getIntegerType(width), value);
    // Below zero the larger magnitude is the lesser number.
    Value sign = arith::ShRSIOp::create(b, body.loc, bits,
                                        number(APInt(width, width - 1)));
    Value flips = arith::AndIOp::create(
        b, body.loc, sign, number(APInt::getSignedMaxValue(width)));
    key = arith::XOrIOp::create(b, body.loc, bits, flips);
    Value zero = scalars.constant(scalars.getType(), 0.0);
    key = arith::SelectOp::create(b, body.loc, scalars.eq(value, zero),
                                  number(APInt(width, 0)), key);
    key = arith::SelectOp::create(b, body.loc, scalars.isNan(value),
                                  number(APInt::getSignedMaxValue(width)), key);
    if (type.isBF16()) // the upper half of the f32 that it is computed as
      key = arith::TruncIOp::create(
          b, body.loc, b.getI16Type(),
          arith::ShRUIOp::create(b, body.loc, key, number(APInt(width, 16))));
  } else if (type.isInteger(1) || element.isUnsignedInteger()) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 64)
      key = arith::XOrIOp::create(b, body.loc, value,
                                  number(APInt::getSignedMinValue(64)));
    else
      key = arith::ExtUIOp::create(
          b, body.loc, b.getIntegerType(std::max(16u, 2 * width)), value);
  }
  if (!descending)
    return key;
  return arith::XOrIOp::create(
      b, body.loc, key,
      number(APInt::getAllOnes(key.getType().getIntOrFloatBitWidth())));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void LoopBuilder::check(ArrayRef<ExprAttr> extents, StringRef message,
                        llvm::function_ref<Value(BodyContext)> compute) {
  if (!reason.empty())
    return;
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  Exprs domain(extents);
  if (domain.empty())
    domain.push_back(expr(1));
  auto nest = ReduceOp::create(builder, getLoc(), TypeRange(scalar), Exprs(),
                               domain, ArrayRef(ReductionKind::All), origins);
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  if (failed(endBody(inner, compute(body))))
    return nest.erase();
  ExternOp::create(builder, getLoc(), TypeRange(), "aten._assert_async.msg",
                   nest.getResult(0),
                   builder.getArrayAttr({OperandAttr::get(getContext(), 0),
                                         builder.getStringAttr(message)}),
                   StringAttr());
}

void LoopBuilder::checkIndex(Value indices, ExprAttr size, bool negative) {
  if (!checkIndices)
    return;
  View view = getView(indices);
  Type type = getElement(indices);
  check(view.dims, "index out of range in self", [&](BodyContext body) {
    OpBuilder &inner = body.builder;
    Type i64 = inner.getI64Type();
    ScalarBuilder scalars(inner, getLoc(), i64);
    Value value = scalars.convert(
        read(body, view, getIdentityMap(getContext(), view.dims.size())), type,
        i64);
    Value extent =
        arith::IndexCastOp::create(inner, getLoc(), i64, index(body, size));
    Value low =
        negative ? scalars.neg(extent) : scalars.constant(i64, int64_t(0));
    return scalars.logicalAnd(scalars.le(low, value),
                              scalars.lt(value, extent));
  });
}
