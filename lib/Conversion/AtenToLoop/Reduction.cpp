//===- Reduction.cpp - Sums, extrema, moments -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// Marks the dimensions in `dims`, all if it is empty.
static SmallVector<bool> getReduced(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<bool> reduced(rank, dims.empty());
  for (int64_t d : dims)
    if (rank > 0)
      reduced[d < 0 ? d + rank : d] = true;
  return reduced;
}

/// The domain of a reduction of `self` and the index at which it is read.
static void getReductionDomain(Converter &converter, const View &self,
                               ArrayRef<bool> reduced,
                               ArrayRef<guard::ExprAttr> result,
                               Exprs &reduction, Exprs &index) {
  unsigned rank = self.dims.size();
  bool keeps = result.size() == rank;
  unsigned parallel = 0;
  for (unsigned i = 0; i < rank; ++i) {
    if (reduced[i]) {
      index.push_back(converter.dim(result.size() + reduction.size()));
      reduction.push_back(self.dims[i]);
      parallel += keeps;
      continue;
    }
    index.push_back(converter.dim(parallel++));
  }
  if (reduction.empty()) // a tensor without dimensions
    reduction.push_back(converter.expr(1));
}

Value Converter::makeReduction(
    const View &self, ArrayRef<int64_t> dims, RankedTensorType type,
    ReductionKind kind, Type acc,
    std::function<Value(BodyContext, ScalarBuilder &, Value)> element) {
  auto result = guard::getDims(type);
  Exprs reduction, index;
  getReductionDomain(*this, self, getReduced(dims, self.dims.size()), *result,
                     reduction, index);
  auto nest = ReduceOp::create(builder, getLoc(), TypeRange(type), *result,
                               reduction, ArrayRef(kind), getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), acc);
  Value value = read(body, self, index);
  Type from = cast<RankedTensorType>(self.base.getType()).getElementType();
  value = element ? element(body, scalars, value)
                  : scalars.convert(value, from, acc);
  YieldOp::create(inner, getLoc(), value);
  return nest.getResult(0);
}

/// In what a sum of results of this type is accumulated.
static Type getAccumulator(Type type) {
  return Converter::getComputeType(type);
}

/// The product of the reduced sizes.
static guard::ExprAttr getCount(Converter &converter, const View &self,
                                ArrayRef<int64_t> dims) {
  SmallVector<bool> reduced = getReduced(dims, self.dims.size());
  guard::ExprAttr count = converter.expr(1);
  for (unsigned i = 0; i < reduced.size(); ++i)
    if (reduced[i])
      count = count * self.dims[i];
  return count;
}

/// `count` as a float of type `type`.
static Value buildCount(Converter &converter, BodyContext body,
                        ScalarBuilder &scalars, guard::ExprAttr count,
                        Type type) {
  if (auto constant = count.getConstant())
    return scalars.constant(type, double(*constant));
  Value at = converter.index(body, count);
  Type i64 = body.builder.getI64Type();
  Value integer = arith::IndexCastOp::create(body.builder, body.loc, i64, at);
  return scalars.convert(integer, i64, type);
}

LogicalResult Converter::lowerVariance(bool withMean, bool root) {
  View self = getView(getTensor("self"));
  SmallVector<int64_t> dims = getInts("dim");
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  Type from = cast<RankedTensorType>(self.base.getType()).getElementType();
  if (isa<ComplexType>(from))
    return refuse("the spread of complex numbers");
  double correction = 1;
  if (!getArg("unbiased").isNone())
    correction = getBool("unbiased");
  else if (!getArg("correction").isNone()) {
    auto constant = getConstant("correction");
    if (!constant)
      return refuse("the correction is not constant");
    correction = *constant;
  }
  // f32 accumulates in f64, as eager does.
  Type acc = stored.isF32() ? builder.getF64Type() : getAccumulator(stored);
  auto accType = cast<RankedTensorType>(type.clone(acc));
  guard::ExprAttr count = getCount(*this, self, dims);

  Value sum = makeReduction(self, dims, accType, ReductionKind::Sum, acc);
  View sums = getView(sum);
  auto result = guard::getDims(type);
  SmallVector<bool> reduced = getReduced(dims, self.dims.size());
  Value squares = makeReduction(
      self, dims, accType, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars, Value x) {
        Value total = read(body, sums,
                           getIdentityMap(getContext(), result->size()));
        Value mean = scalars.div(
            total, buildCount(*this, body, scalars, count, acc));
        Value distance = scalars.sub(scalars.convert(x, from, acc), mean);
        return scalars.mul(distance, distance);
      });
  View second = getView(squares);
  auto identity = getIdentityMap(getContext(), result->size());
  Value variance = makePointwise(
      type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
        Value number = buildCount(*this, body, scalars, count, acc);
        Value divisor = scalars.max(
            scalars.sub(number, scalars.constant(acc, correction)),
            scalars.constant(acc, 0.0));
        Value value = scalars.div(read(body, second, identity), divisor);
        return root ? scalars.sqrt(value) : value;
      });
  if (!variance)
    return failure();
  setResult(0, variance);
  if (!withMean)
    return success();
  Value mean = makePointwise(
      getResultType(1), acc, [&](BodyContext body, ScalarBuilder &scalars) {
        return scalars.div(read(body, sums, identity),
                           buildCount(*this, body, scalars, count, acc));
      });
  if (!mean)
    return failure();
  setResult(1, mean);
  return success();
}

LogicalResult Converter::lowerArg(bool isMax, bool withValues) {
  View self = getView(getTensor("self"));
  Type from = cast<RankedTensorType>(self.base.getType()).getElementType();
  bool all = getArg("dim").isNone();
  SmallVector<int64_t> dims;
  if (!all)
    dims.push_back(getInt("dim"));
  RankedTensorType indices = getResultType(withValues ? 1 : 0);
  auto result = guard::getDims(indices);
  Exprs reduction, index;
  getReductionDomain(*this, self, getReduced(dims, self.dims.size()), *result,
                     reduction, index);
  // Unsigned bytes and bool compare as wider integers.
  Type acc = getComputeType(from);
  if (from.isUnsignedInteger() || from.isInteger(1))
    acc = builder.getIntegerType(from.getIntOrFloatBitWidth() < 32 ? 32 : 64);
  Type valueType = withValues ? getResultType(0).getElementType() : acc;
  bool isBool = getBodyType(valueType).isInteger(1);
  if (isBool)
    valueType = acc;
  auto values = cast<RankedTensorType>(indices.clone(valueType));
  auto kind = isMax ? ReductionKind::ArgMax : ReductionKind::ArgMin;
  auto nest = ReduceOp::create(builder, getLoc(),
                               TypeRange({values, indices}), *result,
                               reduction, ArrayRef(kind), getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), acc);
  Value value = scalars.convert(read(body, self, index), from, acc);
  // The position among the reduced elements, row by row.
  guard::ExprAttr position = expr(0);
  for (unsigned i = 0; i < reduction.size(); ++i)
    position = position * reduction[i] + dim(result->size() + i);
  Value at = arith::IndexCastOp::create(inner, getLoc(), inner.getI64Type(),
                                        this->index(body, position));
  YieldOp::create(inner, getLoc(), ValueRange{value, at});
  setResult(withValues ? 1 : 0, nest.getResult(1));
  if (!withValues)
    return success();
  Value extremum = nest.getResult(0);
  if (isBool) {
    View found = getView(extremum);
    extremum = makePointwise(
        getResultType(0), acc, [&](BodyContext body, ScalarBuilder &) {
          return read(body, found,
                      getIdentityMap(getContext(), found.dims.size()));
        });
    if (!extremum)
      return failure();
  }
  setResult(0, extremum);
  return success();
}

LogicalResult Converter::lowerReduction(Reduced kind) {
  switch (kind) {
  case Reduced::Var:
    return lowerVariance(/*withMean=*/false, /*root=*/false);
  case Reduced::Std:
    return lowerVariance(/*withMean=*/false, /*root=*/true);
  case Reduced::VarMean:
    return lowerVariance(/*withMean=*/true, /*root=*/false);
  case Reduced::ArgMax:
  case Reduced::ArgMin:
    return lowerArg(kind == Reduced::ArgMax, /*withValues=*/false);
  case Reduced::MaxDim:
  case Reduced::MinDim:
    return lowerArg(kind == Reduced::MaxDim, /*withValues=*/true);
  default:
    break;
  }

  Value operand = getTensor("self");
  View self = getView(operand);
  Type from = cast<RankedTensorType>(operand.getType()).getElementType();
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  // `dim` of `any.dim` and `prod.dim_int` is a single number.
  SmallVector<int64_t> dims = getInts("dim");
  if (kind == Reduced::Any || kind == Reduced::All) {
    // A byte holds 0 or 1 and takes the larger; bool combines bits.
    bool byte = !stored.isInteger(1);
    ReductionKind how =
        byte ? (kind == Reduced::Any ? ReductionKind::Max : ReductionKind::Min)
             : (kind == Reduced::Any ? ReductionKind::Any : ReductionKind::All);
    Value result = makeReduction(
        self, dims, type, how, getBodyType(stored),
        [&](BodyContext, ScalarBuilder &scalars, Value x) {
          Value truth = scalars.toBool(x);
          return scalars.convert(truth, truth.getType(), stored);
        });
    setResult(0, result);
    return success();
  }
  if (kind == Reduced::Max || kind == Reduced::Min) {
    // No elements have no extremum, which the operator itself reports.
    bool isEmpty = llvm::any_of(*guard::getDims(type), [](guard::ExprAttr d) {
      return d.isConstant(0);
    });
    if (!isEmpty && getCount(*this, self, dims).isConstant(0))
      return refuse("an extremum of no elements has no kernel");
    Type acc = getComputeType(stored);
    if (stored.isUnsignedInteger())
      acc = builder.getIntegerType(
          stored.getIntOrFloatBitWidth() < 32 ? 32 : 64);
    ReductionKind how =
        kind == Reduced::Max ? ReductionKind::Max : ReductionKind::Min;
    if (stored.isInteger(1))
      how = kind == Reduced::Max ? ReductionKind::Any : ReductionKind::All;
    setResult(0, makeReduction(self, dims, type, how, acc));
    return success();
  }
  // Sums and products convert to the result's type first.
  Type acc = getBodyType(getAccumulator(stored));
  auto element = [&](BodyContext, ScalarBuilder &scalars, Value x) {
    Value converted = scalars.convert(x, from, stored);
    return scalars.convert(converted, stored, acc);
  };
  if (kind != Reduced::Mean) {
    setResult(0, makeReduction(self, dims, type,
                               kind == Reduced::Sum ? ReductionKind::Sum
                                                    : ReductionKind::Prod,
                               acc, element));
    return success();
  }
  auto accType = cast<RankedTensorType>(type.clone(acc));
  View sums = getView(
      makeReduction(self, dims, accType, ReductionKind::Sum, acc, element));
  guard::ExprAttr count = getCount(*this, self, dims);
  Value mean = makePointwise(
      type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
        return scalars.div(
            read(body, sums, getIdentityMap(getContext(), sums.dims.size())),
            buildCount(*this, body, scalars, count, acc));
      });
  if (!mean)
    return failure();
  setResult(0, mean);
  return success();
}
