//===- Factory.cpp - Tensors from nothing, joined and padded tensors ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// True where `low <= value < high`; bounds that hold anyway are left out.
static Value inRange(Converter &converter, BodyContext body,
                     guard::ExprAttr value, guard::ExprAttr low,
                     guard::ExprAttr high, Value condition,
                     const guard::Assumptions &assumptions) {
  OpBuilder &b = body.builder;
  auto both = [&](Value next) {
    condition = condition ? Value(arith::AndIOp::create(b, body.loc,
                                                        condition, next))
                          : next;
  };
  if (!guard::isKnownNonNegative(value - low, assumptions))
    both(arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::sge,
                               converter.index(body, value),
                               converter.index(body, low)));
  if (!guard::isKnownLess(value, high, assumptions))
    both(arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::slt,
                               converter.index(body, value),
                               converter.index(body, high)));
  return condition;
}

LogicalResult Converter::lowerCat() {
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  auto dims = *guard::getDims(type);
  int64_t rank = type.getRank();
  int64_t at = getInt("dim");
  at = at < 0 ? at + rank : at;
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), dims);
  Value result = makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Value value = scalars.constant(stored, int64_t(0));
        guard::ExprAttr offset = expr(0);
        for (Value tensor : getArg("tensors").getValues()) {
          View view = getView(tensor);
          // Nothing of one dimension joins anything.
          if (int64_t(view.dims.size()) != rank)
            continue;
          Exprs index = getIdentityMap(getContext(), rank);
          index[at] = index[at] - offset;
          guard::ExprAttr end = offset + view.dims[at];
          Value inside = inRange(*this, body, dim(at), offset, end, {},
                                 assumptions);
          Type own = cast<RankedTensorType>(tensor.getType()).getElementType();
          Value zero = scalars.constant(own, int64_t(0));
          Value element = inside ? read(body, view, index, inside, zero)
                                 : read(body, view, index);
          element = scalars.convert(element, own, stored);
          value = inside ? scalars.where(inside, element, value) : element;
          offset = end;
        }
        return value;
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerPad() {
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  View self = getView(getTensor("self"));
  Exprs pad = getShape("pad");
  auto dims = *guard::getDims(type);
  unsigned rank = dims.size();
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), dims);
  Value result = makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Value fill = scalars.constant(stored, int64_t(0));
        aten::ArgValue number = getArg("value");
        if (number.isValue()) {
          fill = readNumber(body, number.getValue());
          if (!fill)
            return {};
          fill = scalars.convert(fill, number.getValue().getType(), stored);
        }
        Value inside;
        Exprs index;
        for (unsigned i = 0; i < rank; ++i) {
          // Pairs of widths, the last dimension first.
          unsigned pair = 2 * (rank - 1 - i);
          guard::ExprAttr low = pair < pad.size() ? pad[pair] : expr(0);
          index.push_back(dim(i) - low);
          inside = inRange(*this, body, index[i], expr(0), self.dims[i],
                           inside, assumptions);
        }
        return inside ? read(body, self, index, inside, fill)
                      : read(body, self, index);
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerWindowScatter(bool isSlice) {
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  View self = getView(getTensor("self")), source = getView(getTensor("src"));
  Type own =
      cast<RankedTensorType>(getTensor("src").getType()).getElementType();
  auto dims = *guard::getDims(type);
  int64_t rank = type.getRank();
  int64_t at = getInt("dim");
  at = at < 0 ? at + rank : at;
  guard::ExprAttr size = dims[at];
  guard::ExprAttr start = getExpr(isSlice ? "start" : "index");
  guard::ExprAttr step = isSlice ? getExpr("step") : expr(1);
  if (!start)
    start = expr(0);
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), dims);
  if (!guard::isKnownNonNegative(start, assumptions))
    start = guard::select(guard::lt(start, expr(0)),
                          guard::max(start + size, expr(0)), start);
  start = guard::simplify(guard::min(start, size), assumptions);
  guard::ExprAttr count = isSlice ? source.dims[at] : expr(1);
  Value result = makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Value inside = inRange(*this, body, dim(at), start,
                               start + count * step, {}, assumptions);
        if (!step.isConstant(1)) {
          Value rest = this->index(body, guard::mod(dim(at) - start, step));
          Value zero = scalars.constant(rest.getType(), int64_t(0));
          Value aligned = arith::CmpIOp::create(
              body.builder, body.loc, arith::CmpIPredicate::eq, rest, zero);
          inside = inside ? scalars.logicalAnd(inside, aligned) : aligned;
        }
        Exprs identity = getIdentityMap(getContext(), rank);
        Exprs index;
        for (int64_t i = 0; i < rank; ++i) {
          if (i != at)
            index.push_back(dim(i));
          else if (isSlice)
            index.push_back(guard::floorDiv(dim(i) - start, step));
        }
        if (!inside)
          return scalars.convert(read(body, source, index), own, stored);
        Value zero = scalars.constant(own, int64_t(0));
        Value replaced = scalars.convert(
            read(body, source, index, inside, zero), own, stored);
        return scalars.where(inside, replaced, read(body, self, identity));
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

/// The bytes of an element as an integer, and back; bool is a byte 0 or 1.
static Value toBits(ScalarBuilder &b, Value value) {
  Type type = value.getType();
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b.getBuilder(), b.getLoc(),
                                  b.getBuilder().getI8Type(), value);
  if (!isa<FloatType>(type))
    return value;
  Type bits = b.getBuilder().getIntegerType(type.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b.getBuilder(), b.getLoc(), bits, value);
}

static Value fromBits(ScalarBuilder &b, Value bits, Type type) {
  type = getBodyType(type);
  if (type.isInteger(1))
    return b.toBool(bits);
  if (!isa<FloatType>(type))
    return bits;
  return arith::BitcastOp::create(b.getBuilder(), b.getLoc(), type, bits);
}

/// `view.dtype`: elements are cut into smaller ones, the low bytes first, or
/// put together to larger ones.
LogicalResult Converter::lowerReinterpret() {
  RankedTensorType type = getResultType();
  Type to = type.getElementType();
  View self = getView(getTensor("self"));
  Type from =
      cast<RankedTensorType>(getTensor("self").getType()).getElementType();
  auto width = [](Type t) { return std::max(t.getIntOrFloatBitWidth(), 8u); };
  unsigned wide = width(from), narrow = width(to);
  unsigned rank = self.dims.size();
  if (wide != narrow && rank == 0)
    return refuse("a tensor without dimensions cannot change its size");
  Value result = makePointwise(
      type, to, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        OpBuilder &b = body.builder;
        Exprs index = getIdentityMap(getContext(), rank);
        Type bits = b.getIntegerType(narrow);
        if (wide == narrow)
          return fromBits(scalars, toBits(scalars, read(body, self, index)),
                          to);
        if (wide > narrow) {
          unsigned parts = wide / narrow;
          guard::ExprAttr last = index.back();
          index.back() = guard::floorDiv(last, parts);
          Value whole = toBits(scalars, read(body, self, index));
          Value part = arith::IndexCastOp::create(
              b, body.loc, whole.getType(),
              this->index(body, guard::mod(last, parts)));
          Value shift = scalars.mul(
              part, scalars.constant(whole.getType(), int64_t(narrow)));
          whole = arith::ShRUIOp::create(b, body.loc, whole, shift);
          return fromBits(scalars,
                          arith::TruncIOp::create(b, body.loc, bits, whole),
                          to);
        }
        unsigned parts = narrow / wide;
        guard::ExprAttr last = index.back();
        Value whole;
        for (unsigned i = 0; i < parts; ++i) {
          index.back() = last * int64_t(parts) + expr(i);
          Value part = arith::ExtUIOp::create(
              b, body.loc, bits, toBits(scalars, read(body, self, index)));
          part = arith::ShLIOp::create(
              b, body.loc, part, scalars.constant(bits, int64_t(i * wide)));
          whole = whole ? Value(arith::OrIOp::create(b, body.loc, whole, part))
                        : part;
        }
        return fromBits(scalars, whole, to);
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerSliceScatter() {
  return lowerWindowScatter(/*isSlice=*/true);
}

LogicalResult Converter::lowerSelectScatter() {
  return lowerWindowScatter(/*isSlice=*/false);
}

//===----------------------------------------------------------------------===//
// Tensors from nothing
//===----------------------------------------------------------------------===//

/// The only result, element by element; in its own type unless `in` says which.
LogicalResult Converter::lowerFactory(BodyFn compute, Type in) {
  RankedTensorType type = getResultType();
  Value result =
      makePointwise(type, in ? in : type.getElementType(), std::move(compute));
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

/// The number that an argument holds, in the type of the result.
static Value convertNumber(Converter &converter, BodyContext body,
                           ScalarBuilder &scalars, Value number) {
  Value value = converter.readNumber(body, number);
  return value ? scalars.convert(value, number.getType(),
                                 converter.getResultType().getElementType())
               : Value();
}

LogicalResult Converter::lowerFull() {
  Value number = getArg("fill_value").getValue();
  return lowerFactory([&](BodyContext body, ScalarBuilder &scalars) {
    return convertNumber(*this, body, scalars, number);
  });
}

LogicalResult Converter::lowerScalarTensor() {
  Value number = getArg("s").getValue();
  return lowerFactory([&](BodyContext body, ScalarBuilder &scalars) {
    return convertNumber(*this, body, scalars, number);
  });
}

LogicalResult Converter::lowerZeros() {
  return lowerFactory([&](BodyContext, ScalarBuilder &scalars) {
    return scalars.constant(getResultType().getElementType(), int64_t(0));
  });
}

LogicalResult Converter::lowerOnes() {
  return lowerFactory([&](BodyContext, ScalarBuilder &scalars) {
    return scalars.constant(getResultType().getElementType(), int64_t(1));
  });
}

LogicalResult Converter::lowerEye() {
  return lowerFactory([&](BodyContext body, ScalarBuilder &scalars) {
    Value same =
        arith::CmpIOp::create(body.builder, body.loc, arith::CmpIPredicate::eq,
                              body.indices[0], body.indices[1]);
    return scalars.convert(same, same.getType(),
                           getResultType().getElementType());
  });
}

LogicalResult Converter::lowerArange() {
  Value start = getArg("start").getValue();
  aten::ArgValue step = getArg("step");
  // Integers count in i64, floats in f64.
  Type in = isa<FloatType>(getResultType().getElementType())
                ? Type(builder.getF64Type())
                : builder.getI64Type();
  return lowerFactory(
      [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Type i64 = body.builder.getI64Type();
        Value i =
            scalars.convert(arith::IndexCastOp::create(body.builder, body.loc,
                                                       i64, body.indices[0]),
                            i64, in);
        Value first = readNumber(body, start);
        if (!first)
          return {};
        if (step.isValue()) {
          Value width = readNumber(body, step.getValue());
          if (!width)
            return {};
          i = scalars.mul(
              i, scalars.convert(width, step.getValue().getType(), in));
        }
        return scalars.add(scalars.convert(first, start.getType(), in), i);
      },
      in);
}

//===----------------------------------------------------------------------===//
// Rearrangements that repeat or reverse elements
//===----------------------------------------------------------------------===//

LogicalResult Converter::lowerRepeat() {
  View self = getView(getTensor("self"));
  unsigned rank = self.dims.size();
  unsigned shift = getResultType().getRank() - rank;
  Exprs index;
  for (unsigned i = 0; i < rank; ++i)
    index.push_back(guard::mod(dim(i + shift), self.dims[i]));
  return lowerFactory([&](BodyContext body, ScalarBuilder &) {
    return read(body, self, index);
  });
}

LogicalResult Converter::lowerFlip() {
  View self = getView(getTensor("self"));
  int64_t rank = self.dims.size();
  Exprs index = getIdentityMap(getContext(), rank);
  for (int64_t d : getInts("dims")) {
    int64_t at = d < 0 ? d + rank : d;
    index[at] = self.dims[at] - index[at] - expr(1);
  }
  return lowerFactory([&](BodyContext body, ScalarBuilder &) {
    return read(body, self, index);
  });
}

LogicalResult Converter::lowerRoll() {
  View self = getView(getTensor("self"));
  int64_t rank = self.dims.size();
  if (getInts("dims").empty() || rank == 0)
    return refuse("a roll of the flattened tensor has no kernel");
  Exprs index = getIdentityMap(getContext(), rank);
  Exprs shifts = getShape("shifts");
  for (auto [n, d] : llvm::enumerate(getInts("dims"))) {
    int64_t at = d < 0 ? d + rank : d;
    index[at] = guard::mod(index[at] - shifts[n], self.dims[at]);
  }
  return lowerFactory([&](BodyContext body, ScalarBuilder &) {
    return read(body, self, index);
  });
}
