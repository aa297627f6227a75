//===- Factory.cpp - Tensors from nothing, joined and padded tensors ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// True where `low <= value < high`; bounds that hold anyway are left out.
static Value inRange(LoopBuilder &loops, BodyContext body,
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
                               loops.index(body, value),
                               loops.index(body, low)));
  if (!guard::isKnownLess(value, high, assumptions))
    both(arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::slt,
                               loops.index(body, value),
                               loops.index(body, high)));
  return condition;
}

LogicalResult loop::lowerCat(LoopBuilder &loops, aten::CatOp op) {
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  auto dims = *guard::getDims(type);
  int64_t rank = type.getRank();
  int64_t at = wrapDim(op.getDim(), rank);
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), dims);
  Value result = loops.makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Value value = scalars.constant(stored, int64_t(0));
        guard::ExprAttr offset = loops.expr(0);
        for (Value tensor : op.getTensors()) {
          View view = loops.getView(tensor);
          // Nothing of one dimension joins anything.
          if (int64_t(view.dims.size()) != rank)
            continue;
          Exprs index = getIdentityMap(loops.getContext(), rank);
          index[at] = index[at] - offset;
          guard::ExprAttr end = offset + view.dims[at];
          Value inside =
              inRange(loops, body, loops.dim(at), offset, end, {}, assumptions);
          Type own = cast<RankedTensorType>(tensor.getType()).getElementType();
          Value zero = scalars.constant(own, int64_t(0));
          Value element = loops.read(body, view, index, inside, zero);
          element = scalars.convert(element, own, stored);
          value = inside ? scalars.where(inside, element, value) : element;
          offset = end;
        }
        return value;
      });
  return loops.setMade(0, result);
}

LogicalResult loop::lowerPad(LoopBuilder &loops, aten::ConstantPadNdOp op) {
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  View self = loops.getView(op.getSelf());
  Exprs pad = toExprs(op.getPad());
  auto dims = *guard::getDims(type);
  unsigned rank = dims.size();
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), dims);
  Value result = loops.makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Value fill = scalars.constant(stored, int64_t(0));
        if (Value number = op.getValue()) {
          fill = loops.readNumber(body, number);
          if (!fill)
            return {};
          fill = scalars.convert(fill, number.getType(), stored);
        }
        Value inside;
        Exprs index;
        for (unsigned i = 0; i < rank; ++i) {
          // Pairs of widths, the last dimension first.
          unsigned pair = 2 * (rank - 1 - i);
          guard::ExprAttr low = pair < pad.size() ? pad[pair] : loops.expr(0);
          index.push_back(loops.dim(i) - low);
          inside = inRange(loops, body, index[i], loops.expr(0), self.dims[i],
                           inside, assumptions);
        }
        return loops.read(body, self, index, inside, fill);
      });
  return loops.setMade(0, result);
}

/// `src` in the place of a slice of `self`.
LogicalResult loop::lowerSliceScatter(LoopBuilder &loops,
                                      aten::SliceScatterOp op) {
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  View self = loops.getView(op.getSelf()), source = loops.getView(op.getSrc());
  Type own = LoopBuilder::getElement(op.getSrc());
  auto dims = *guard::getDims(type);
  int64_t rank = type.getRank();
  int64_t at = wrapDim(op.getDim(), rank);
  guard::ExprAttr size = dims[at], step = op.getStep();
  guard::ExprAttr start = op.getStart().value_or(loops.expr(0));
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), dims);
  if (!guard::isKnownNonNegative(start, assumptions))
    start = guard::select(guard::lt(start, loops.expr(0)),
                          guard::max(start + size, loops.expr(0)), start);
  start = guard::simplify(guard::min(start, size), assumptions);
  guard::ExprAttr end = start + source.dims[at] * step;
  Exprs index = getIdentityMap(loops.getContext(), rank);
  index[at] = guard::floorDiv(loops.dim(at) - start, step);
  Value result = loops.makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Value inside =
            inRange(loops, body, loops.dim(at), start, end, {}, assumptions);
        if (!step.isConstant(1)) {
          Value rest =
              loops.index(body, guard::mod(loops.dim(at) - start, step));
          Value zero = scalars.constant(rest.getType(), int64_t(0));
          Value aligned = arith::CmpIOp::create(
              body.builder, body.loc, arith::CmpIPredicate::eq, rest, zero);
          inside = inside ? scalars.logicalAnd(inside, aligned) : aligned;
        }
        Value zero = scalars.constant(own, int64_t(0));
        Value replaced = scalars.convert(
            loops.read(body, source, index, inside, zero), own, stored);
        return inside ? scalars.where(inside, replaced,
                                      loops.readAt(body, self, body.indices))
                      : replaced;
      });
  return loops.setMade(0, result);
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

LogicalResult loop::lowerReinterpret(LoopBuilder &loops, Value tensor) {
  RankedTensorType type = loops.getResultType();
  Type to = type.getElementType(), from = LoopBuilder::getElement(tensor);
  if (!from.isIntOrFloat() || !to.isIntOrFloat())
    return loops.refuse("the bytes of complex numbers");
  View self = loops.getView(tensor);
  auto width = [](Type t) { return std::max(t.getIntOrFloatBitWidth(), 8u); };
  unsigned wide = width(from), narrow = width(to);
  unsigned rank = self.dims.size();
  if (wide != narrow && rank == 0)
    return loops.refuse("a tensor without dimensions cannot change its size");
  Value result = loops.makePointwise(
      type, to, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        OpBuilder &b = body.builder;
        Exprs index = getIdentityMap(loops.getContext(), rank);
        Type bits = b.getIntegerType(narrow);
        if (wide == narrow)
          return fromBits(scalars,
                          toBits(scalars, loops.read(body, self, index)), to);
        if (wide > narrow) {
          unsigned parts = wide / narrow;
          guard::ExprAttr last = index.back();
          index.back() = guard::floorDiv(last, parts);
          Value whole = toBits(scalars, loops.read(body, self, index));
          Value part = arith::IndexCastOp::create(
              b, body.loc, whole.getType(),
              loops.index(body, guard::mod(last, parts)));
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
          index.back() = last * int64_t(parts) + loops.expr(i);
          Value part = arith::ExtUIOp::create(
              b, body.loc, bits,
              toBits(scalars, loops.read(body, self, index)));
          part = arith::ShLIOp::create(
              b, body.loc, part, scalars.constant(bits, int64_t(i * wide)));
          whole = whole ? Value(arith::OrIOp::create(b, body.loc, whole, part))
                        : part;
        }
        return fromBits(scalars, whole, to);
      });
  return loops.setMade(0, result);
}

//===----------------------------------------------------------------------===//
// Tensors from nothing
//===----------------------------------------------------------------------===//

/// The only result, element by element; in its own type unless `in` says which.
static LogicalResult lowerFactory(LoopBuilder &loops,
                                  LoopBuilder::BodyFn compute, Type in = {}) {
  RankedTensorType type = loops.getResultType();
  return loops.setMade(0, loops.makePointwise(type,
                                              in ? in : type.getElementType(),
                                              std::move(compute)));
}

/// The number that an argument holds, in the type of the result.
static Value convertNumber(LoopBuilder &loops, BodyContext body,
                           ScalarBuilder &scalars, Value number) {
  Value value = loops.readNumber(body, number);
  return value ? scalars.convert(value, number.getType(),
                                 loops.getResultType().getElementType())
               : Value();
}

LogicalResult loop::lowerFull(LoopBuilder &loops, aten::FullOp op) {
  return lowerFactory(loops, [&](BodyContext body, ScalarBuilder &scalars) {
    return convertNumber(loops, body, scalars, op.getFillValue());
  });
}

LogicalResult loop::lowerScalarTensor(LoopBuilder &loops,
                                      aten::ScalarTensorOp op) {
  return lowerFactory(loops, [&](BodyContext body, ScalarBuilder &scalars) {
    return convertNumber(loops, body, scalars, op.getS());
  });
}

/// What is not initialized is 0.
LogicalResult loop::lowerEmpty(LoopBuilder &loops, Operation *) {
  return loops.setMade(0, loops.makeZeros(loops.getResultType()));
}

LogicalResult loop::lowerArange(LoopBuilder &loops,
                                aten::ArangeStartStepOp op) {
  Value start = op.getStart(), step = op.getStep();
  // Integers count in i64, floats in f64.
  Type in = isa<FloatType>(loops.getResultType().getElementType())
                ? Type(loops.getBuilder().getF64Type())
                : loops.getBuilder().getI64Type();
  return lowerFactory(
      loops,
      [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        Type i64 = body.builder.getI64Type();
        Value i =
            scalars.convert(arith::IndexCastOp::create(body.builder, body.loc,
                                                       i64, body.indices[0]),
                            i64, in);
        Value first = loops.readNumber(body, start);
        if (!first)
          return {};
        if (step) {
          Value width = loops.readNumber(body, step);
          if (!width)
            return {};
          i = scalars.mul(i, scalars.convert(width, step.getType(), in));
        }
        return scalars.add(scalars.convert(first, start.getType(), in), i);
      },
      in);
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

LogicalResult loop::lowerFlip(LoopBuilder &loops, aten::FlipOp op) {
  View self = loops.getView(op.getSelf());
  int64_t rank = self.dims.size();
  Exprs index = getIdentityMap(loops.getContext(), rank);
  for (int64_t d : op.getDims()) {
    int64_t at = wrapDim(d, rank);
    index[at] = self.dims[at] - index[at] - loops.expr(1);
  }
  return lowerFactory(loops, [&](BodyContext body, ScalarBuilder &) {
    return loops.read(body, self, index);
  });
}
