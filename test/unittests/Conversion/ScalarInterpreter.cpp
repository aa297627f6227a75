//===- ScalarInterpreter.cpp - What operations on numbers mean ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarInterpreter.h"

#include "FloatFormats.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

int64_t loop::asUnsigned(Type type, int64_t value) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return width == 64 ? value : value & ((int64_t(1) << width) - 1);
}

double loop::maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::max(x, y);
}
double loop::minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::min(x, y);
}

static bool compareFloats(arith::CmpFPredicate predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return !unordered && x == y;
  case arith::CmpFPredicate::OGT:
    return !unordered && x > y;
  case arith::CmpFPredicate::OGE:
    return !unordered && x >= y;
  case arith::CmpFPredicate::OLT:
    return !unordered && x < y;
  case arith::CmpFPredicate::OLE:
    return !unordered && x <= y;
  case arith::CmpFPredicate::ONE:
    return !unordered && x != y;
  case arith::CmpFPredicate::UNE:
    return unordered || x != y;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  default:
    ADD_FAILURE() << "float comparison is not interpreted";
    return false;
  }
}

static bool compareIntegers(arith::CmpIPredicate predicate, Type type,
                            int64_t x, int64_t y) {
  uint64_t ux = asUnsigned(type, x), uy = asUnsigned(type, y);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  return false;
}

Scalar loop::toScalar(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return {number.getValueAsDouble(), 0};
  APInt number = cast<IntegerAttr>(value).getValue();
  return {0, number.getBitWidth() == 1 ? int64_t(number.getZExtValue())
                                       : number.getSExtValue()};
}

Scalar loop::evaluate(Operation &op, ArrayRef<Scalar> in,
                      const SymbolValues &symbols) {
  auto f = [](double value) { return Scalar{value, 0}; };
  auto i = [](int64_t value) { return Scalar{0, value}; };
  StringRef name = op.getName().getStringRef();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return toScalar(constant.getValue());
  if (auto number = dyn_cast<NumberOp>(op))
    return i(number.getValue());
  if (auto value = dyn_cast<guard::ValueOp>(op))
    return i(evaluateExpr(value.getExpr(), symbols));
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return i(compareFloats(compare.getPredicate(), in[0].real, in[1].real));
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    Type type = compare.getLhs().getType();
    // The value 1 of an i1 is -1 where it has a sign.
    return i(compareIntegers(compare.getPredicate(), type, in[0].integer,
                             in[1].integer));
  }
  Type type = op.getNumOperands() ? op.getOperand(0).getType() : Type();
  if (name == "arith.select")
    return in[0].integer ? in[1] : in[2];
  if (name == "arith.addf")
    return f(in[0].real + in[1].real);
  if (name == "arith.subf")
    return f(in[0].real - in[1].real);
  if (name == "arith.mulf")
    return f(in[0].real * in[1].real);
  if (name == "arith.divf")
    return f(in[0].real / in[1].real);
  if (name == "arith.negf")
    return f(-in[0].real);
  if (name == "arith.maximumf")
    return f(maximum(in[0].real, in[1].real));
  if (name == "arith.minimumf")
    return f(minimum(in[0].real, in[1].real));
  if (name == "arith.extf" || name == "arith.truncf")
    return in[0];
  if (name == "arith.sitofp")
    return f(double(in[0].integer));
  if (name == "arith.uitofp")
    return f(double(asUnsigned(type, in[0].integer)));
  if (name == "arith.fptosi")
    return i(int64_t(in[0].real));
  if (name == "arith.addi")
    return i(in[0].integer + in[1].integer);
  if (name == "arith.subi")
    return i(in[0].integer - in[1].integer);
  if (name == "arith.muli")
    return i(in[0].integer * in[1].integer);
  if (name == "arith.andi")
    return i(in[0].integer & in[1].integer);
  if (name == "arith.ori")
    return i(in[0].integer | in[1].integer);
  if (name == "arith.xori")
    return i(in[0].integer ^ in[1].integer);
  if (name == "arith.maxsi")
    return i(std::max(in[0].integer, in[1].integer));
  if (name == "arith.minsi")
    return i(std::min(in[0].integer, in[1].integer));
  if (name == "arith.maxui" || name == "arith.minui") {
    bool isMax = name == "arith.maxui";
    bool first = uint64_t(asUnsigned(type, in[0].integer)) >
                 uint64_t(asUnsigned(type, in[1].integer));
    return in[first == isMax ? 0 : 1];
  }
  if (name == "arith.shrsi")
    return i(in[0].integer >> in[1].integer);
  if (name == "arith.shrui")
    return i(int64_t(uint64_t(asUnsigned(type, in[0].integer)) >>
                     in[1].integer));
  if (name == "arith.bitcast") {
    Type made = op.getResult(0).getType();
    uint64_t bits = isa<FloatType>(type) ? encodeFloat(type, in[0].real)
                                         : asUnsigned(type, in[0].integer);
    return isa<FloatType>(made) ? f(decodeFloat(made, bits)) : i(int64_t(bits));
  }
  if (name == "arith.trunci" || name == "arith.index_cast")
    return in[0];
  if (name == "arith.extsi")
    return i(type.isInteger(1) ? -in[0].integer : in[0].integer);
  if (name == "arith.extui" || name == "arith.index_castui")
    return i(asUnsigned(type, in[0].integer));
  if (name == "math.exp")
    return f(std::exp(in[0].real));
  if (name == "math.log")
    return f(std::log(in[0].real));
  if (name == "math.sqrt")
    return f(std::sqrt(in[0].real));
  if (name == "math.rsqrt")
    return f(1 / std::sqrt(in[0].real));
  if (name == "math.tanh")
    return f(std::tanh(in[0].real));
  if (name == "math.absf")
    return f(std::fabs(in[0].real));
  ADD_FAILURE() << name.str() << " is not interpreted";
  return {};
}
