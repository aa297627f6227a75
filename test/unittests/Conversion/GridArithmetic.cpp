//===- GridArithmetic.cpp - Ops of the llvm dialect on bits ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridInterpreter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

static unsigned widthOf(Type type) {
  type = getElementTypeOrSelf(type);
  return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

static int64_t lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static uint64_t mask(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

static int64_t asSigned(uint64_t bits, unsigned width) {
  return APInt(64, mask(bits, width)).trunc(width).getSExtValue();
}

/// Floats of all types are computed as doubles or floats of the host, so that each
/// operation rounds once.
static double toDouble(uint64_t bits, Type type) {
  APFloat number(cast<FloatType>(type).getFloatSemantics(),
                 APInt(64, bits).trunc(widthOf(type)));
  bool loses;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

static uint64_t fromDouble(double value, Type type) {
  APFloat number(value);
  bool loses;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &loses);
  return number.bitcastToAPInt().getZExtValue();
}

/// A double result of f32 operands rounds once: 53 bits are more than twice 24.
static uint64_t apply(double value, Type type) { return fromDouble(value, type); }

static bool compare(LLVM::ICmpPredicate predicate, uint64_t x, uint64_t y,
                    unsigned width) {
  int64_t a = asSigned(x, width), b = asSigned(y, width);
  switch (predicate) {
  case LLVM::ICmpPredicate::eq:
    return x == y;
  case LLVM::ICmpPredicate::ne:
    return x != y;
  case LLVM::ICmpPredicate::slt:
    return a < b;
  case LLVM::ICmpPredicate::sle:
    return a <= b;
  case LLVM::ICmpPredicate::sgt:
    return a > b;
  case LLVM::ICmpPredicate::sge:
    return a >= b;
  case LLVM::ICmpPredicate::ult:
    return x < y;
  case LLVM::ICmpPredicate::ule:
    return x <= y;
  case LLVM::ICmpPredicate::ugt:
    return x > y;
  case LLVM::ICmpPredicate::uge:
    return x >= y;
  }
  return false;
}

static bool compare(LLVM::FCmpPredicate predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case LLVM::FCmpPredicate::_false:
    return false;
  case LLVM::FCmpPredicate::_true:
    return true;
  case LLVM::FCmpPredicate::ord:
    return !unordered;
  case LLVM::FCmpPredicate::uno:
    return unordered;
  case LLVM::FCmpPredicate::oeq:
    return !unordered && x == y;
  case LLVM::FCmpPredicate::ogt:
    return !unordered && x > y;
  case LLVM::FCmpPredicate::oge:
    return !unordered && x >= y;
  case LLVM::FCmpPredicate::olt:
    return !unordered && x < y;
  case LLVM::FCmpPredicate::ole:
    return !unordered && x <= y;
  case LLVM::FCmpPredicate::one:
    return !unordered && x != y;
  case LLVM::FCmpPredicate::ueq:
    return unordered || x == y;
  case LLVM::FCmpPredicate::ugt:
    return unordered || x > y;
  case LLVM::FCmpPredicate::uge:
    return unordered || x >= y;
  case LLVM::FCmpPredicate::ult:
    return unordered || x < y;
  case LLVM::FCmpPredicate::ule:
    return unordered || x <= y;
  case LLVM::FCmpPredicate::une:
    return unordered || x != y;
  }
  return false;
}

static uint64_t attributeBits(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(value).getValue().getZExtValue();
}

static bool evaluateConstant(Operation &op, Bits &result) {
  Type type = op.getResult(0).getType();
  if (isa<LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp>(op)) {
    result.assign(lanesOf(type), 0);
    return true;
  }
  auto constant = dyn_cast<LLVM::ConstantOp>(op);
  if (!constant)
    return false;
  result.clear();
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    for (Attribute value : dense.getValues<Attribute>())
      result.push_back(mask(attributeBits(value), widthOf(type)));
  } else {
    result.assign(lanesOf(type),
                  mask(attributeBits(constant.getValue()), widthOf(type)));
  }
  return true;
}

/// A function of numbers lane by lane: of floats as doubles.
using FloatFunction = double (*)(double, double, double);

static FloatFunction getFloatFunction(Operation &op) {
  return llvm::TypeSwitch<Operation *, FloatFunction>(&op)
      .Case([](LLVM::FAddOp) -> FloatFunction {
        return [](double x, double y, double) { return x + y; };
      })
      .Case([](LLVM::FSubOp) -> FloatFunction {
        return [](double x, double y, double) { return x - y; };
      })
      .Case([](LLVM::FMulOp) -> FloatFunction {
        return [](double x, double y, double) { return x * y; };
      })
      .Case([](LLVM::FDivOp) -> FloatFunction {
        return [](double x, double y, double) { return x / y; };
      })
      .Case([](LLVM::SqrtOp) -> FloatFunction {
        return [](double x, double, double) { return std::sqrt(x); };
      })
      .Case([](LLVM::FFloorOp) -> FloatFunction {
        return [](double x, double, double) { return std::floor(x); };
      })
      .Case([](LLVM::FCeilOp) -> FloatFunction {
        return [](double x, double, double) { return std::ceil(x); };
      })
      .Case([](LLVM::FTruncOp) -> FloatFunction {
        return [](double x, double, double) { return std::trunc(x); };
      })
      .Case([](LLVM::RoundOp) -> FloatFunction {
        return [](double x, double, double) { return std::round(x); };
      })
      .Case([](LLVM::RoundEvenOp) -> FloatFunction {
        return [](double x, double, double) { return std::nearbyint(x); };
      })
      .Case([](LLVM::MinNumOp) -> FloatFunction {
        return [](double x, double y, double) { return std::fmin(x, y); };
      })
      .Case([](LLVM::MaxNumOp) -> FloatFunction {
        return [](double x, double y, double) { return std::fmax(x, y); };
      })
      .Case([](LLVM::MinimumOp) -> FloatFunction {
        return [](double x, double y, double) {
          return std::isnan(x) || std::isnan(y) ? NAN : std::fmin(x, y);
        };
      })
      .Case([](LLVM::MaximumOp) -> FloatFunction {
        return [](double x, double y, double) {
          return std::isnan(x) || std::isnan(y) ? NAN : std::fmax(x, y);
        };
      })
      .Default([](Operation *) { return nullptr; });
}

/// The same on integers of a width, as they are and with their sign.
using IntegerFunction = uint64_t (*)(uint64_t, uint64_t, int64_t, int64_t,
                                     unsigned);

static IntegerFunction getIntegerFunction(Operation &op) {
#define KILN_INTEGER(OP, expression)                                           \
  .Case([](OP) -> IntegerFunction {                                            \
    return [](uint64_t x, uint64_t y, int64_t a, int64_t b,                    \
              unsigned width) -> uint64_t {                                    \
      (void)x, (void)y, (void)a, (void)b, (void)width;                         \
      return expression;                                                       \
    };                                                                         \
  })
  return llvm::TypeSwitch<Operation *, IntegerFunction>(&op)
      // clang-format off
      KILN_INTEGER(LLVM::AddOp, x + y)
      KILN_INTEGER(LLVM::SubOp, x - y)
      KILN_INTEGER(LLVM::MulOp, x * y)
      KILN_INTEGER(LLVM::UDivOp, y == 0 ? 0 : x / y)
      KILN_INTEGER(LLVM::URemOp, y == 0 ? 0 : x % y)
      KILN_INTEGER(LLVM::SDivOp, b == 0 ? 0 : b == -1 ? -uint64_t(a) : a / b)
      KILN_INTEGER(LLVM::SRemOp, b == 0 || b == -1 ? 0 : a % b)
      KILN_INTEGER(LLVM::AndOp, x & y)
      KILN_INTEGER(LLVM::OrOp, x | y)
      KILN_INTEGER(LLVM::XOrOp, x ^ y)
      KILN_INTEGER(LLVM::ShlOp, y >= width ? 0 : x << y)
      KILN_INTEGER(LLVM::LShrOp, y >= width ? 0 : x >> y)
      KILN_INTEGER(LLVM::AShrOp, a >> std::min<uint64_t>(y, width - 1))
      KILN_INTEGER(LLVM::SMinOp, std::min(a, b))
      KILN_INTEGER(LLVM::SMaxOp, std::max(a, b))
      KILN_INTEGER(LLVM::UMinOp, std::min(x, y))
      KILN_INTEGER(LLVM::UMaxOp, std::max(x, y))
      KILN_INTEGER(LLVM::AbsOp, a < 0 ? -uint64_t(a) : x)
      KILN_INTEGER(LLVM::CtPopOp, llvm::popcount(x))
      KILN_INTEGER(LLVM::CountLeadingZerosOp,
                   llvm::countl_zero(x) - (64 - width))
      KILN_INTEGER(LLVM::CountTrailingZerosOp,
                   std::min<uint64_t>(llvm::countr_zero(x), width))
      // clang-format on
      .Default([](Operation *) { return nullptr; });
#undef KILN_INTEGER
}

/// One lane of a conversion between types.
static std::optional<uint64_t> convert(Operation &op, uint64_t x, Type from,
                                       Type to) {
  unsigned width = widthOf(from), wanted = widthOf(to);
  if (isa<LLVM::TruncOp, LLVM::ZExtOp, LLVM::BitcastOp, LLVM::PtrToIntOp,
          LLVM::IntToPtrOp>(op))
    return mask(x, wanted);
  if (isa<LLVM::SExtOp>(op))
    return mask(asSigned(x, width), wanted);
  if (isa<LLVM::FPTruncOp, LLVM::FPExtOp>(op))
    return fromDouble(toDouble(x, from), to);
  auto fromInteger = [&](bool isSigned) {
    APFloat number(cast<FloatType>(to).getFloatSemantics());
    number.convertFromAPInt(APInt(64, x).trunc(width), isSigned,
                            APFloat::rmNearestTiesToEven);
    return number.bitcastToAPInt().getZExtValue();
  };
  if (isa<LLVM::SIToFPOp>(op))
    return fromInteger(true);
  if (isa<LLVM::UIToFPOp>(op))
    return fromInteger(false);
  if (isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op)) {
    llvm::APSInt result(wanted, isa<LLVM::FPToUIOp>(op));
    bool isExact;
    APFloat(toDouble(x, from))
        .convertToInteger(result, APFloat::rmTowardZero, &isExact);
    return result.getZExtValue();
  }
  return std::nullopt;
}

/// Ops that move lanes.
static bool evaluateLanes(Operation &op, ArrayRef<const Bits *> in,
                          Bits &result) {
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    result = {(*in[0])[(*in[1])[0]]};
  } else if (auto insert = dyn_cast<LLVM::InsertElementOp>(op)) {
    result = *in[0];
    result[(*in[2])[0]] = (*in[1])[0];
  } else if (auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op)) {
    Bits both = *in[0];
    both.append(in[1]->begin(), in[1]->end());
    result.clear();
    for (int32_t lane : shuffle.getMask())
      result.push_back(lane < 0 ? 0 : both[lane]);
  } else if (isa<LLVM::vector_reduce_or>(op)) {
    result = {0};
    for (uint64_t lane : *in[0])
      result[0] |= lane;
  } else if (auto cast = dyn_cast<LLVM::BitcastOp>(op);
             cast && lanesOf(cast.getArg().getType()) == 1 &&
             lanesOf(cast.getType()) == 2) {
    unsigned width = widthOf(cast.getType());
    result = {mask((*in[0])[0], width), mask((*in[0])[0] >> width, width)};
  } else if (auto cast = dyn_cast<LLVM::BitcastOp>(op);
             cast && lanesOf(cast.getArg().getType()) == 2 &&
             lanesOf(cast.getType()) == 1) {
    unsigned width = widthOf(cast.getArg().getType());
    result = {mask((*in[0])[0], width) | mask((*in[0])[1], width) << width};
  } else if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    result = {(*in[0])[extract.getPosition()[0]]};
  } else {
    return false;
  }
  return true;
}

static uint64_t evaluateFma(uint64_t x, uint64_t y, uint64_t z, Type type) {
  if (type.isF32())
    return fromDouble(std::fma(float(toDouble(x, type)), float(toDouble(y, type)),
                               float(toDouble(z, type))),
                      type);
  return fromDouble(
      std::fma(toDouble(x, type), toDouble(y, type), toDouble(z, type)), type);
}

/// Instructions of NVIDIA's GPUs for functions of f32.
static std::optional<uint64_t> evaluateIntrinsic(StringRef name, uint64_t x,
                                                 uint64_t y, uint64_t z,
                                                 Type type) {
  if (!name.consume_front("llvm.nvvm."))
    return std::nullopt;
  if (name == "ex2.approx.f32" || name == "ex2.approx.ftz.f32")
    return apply(std::exp2(toDouble(x, type)), type);
  if (name == "rcp.approx.ftz.f")
    return apply(1 / toDouble(x, type), type);
  if (name == "rsqrt.approx.f")
    return apply(1 / std::sqrt(toDouble(x, type)), type);
  if (name == "fma.rn.sat.f") {
    double sum = toDouble(evaluateFma(x, y, z, type), type);
    return apply(sum > 0 ? std::min(sum, 1.0) : 0.0, type);
  }
  if (name != "fma.rm.f")
    return std::nullopt;
  auto number = [&](uint64_t bits) {
    return APFloat(APFloat::IEEEsingle(), APInt(32, bits));
  };
  APFloat sum = number(x);
  sum.fusedMultiplyAdd(number(y), number(z), APFloat::rmTowardNegative);
  return sum.bitcastToAPInt().getZExtValue();
}

bool loop::evaluateOp(Operation &op, ArrayRef<const Bits *> in, Bits &result) {
  if (evaluateConstant(op, result) || evaluateLanes(op, in, result))
    return true;
  Type to = getElementTypeOrSelf(op.getResult(0).getType());
  Type from = op.getNumOperands() ? getElementTypeOrSelf(op.getOperand(0).getType()) : to;
  unsigned width = widthOf(from);
  FloatFunction ofFloats = getFloatFunction(op);
  IntegerFunction ofIntegers = ofFloats ? nullptr : getIntegerFunction(op);
  result.assign(lanesOf(op.getResult(0).getType()), 0);
  for (auto [k, lane] : llvm::enumerate(result)) {
    auto operand = [&, k = k](unsigned n) {
      return n < in.size() ? (*in[n])[in[n]->size() == 1 ? 0 : k] : 0;
    };
    uint64_t x = operand(0), y = operand(1);
    if (ofFloats) {
      auto real = [&](unsigned n) {
        return n < in.size() ? toDouble(operand(n), to) : 0.0;
      };
      lane = apply(ofFloats(real(0), real(1), real(2)), to);
    } else if (ofIntegers) {
      lane = mask(
          ofIntegers(x, y, asSigned(x, width), asSigned(y, width), width),
          width);
    } else if (isa<LLVM::FMAOp, LLVM::FMulAddOp>(op)) {
      lane = evaluateFma(x, y, operand(2), to);
    } else if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
      auto made = evaluateIntrinsic(call.getIntrin(), x, y, operand(2), to);
      if (!made)
        return false;
      lane = *made;
    } else if (isa<NVVM::ConvertFloatToTF32Op>(op)) {
      // To the nearest, halves away from zero.
      bool isFinite = (x >> 23 & 0xFF) != 0xFF;
      lane = (isFinite ? x + 0x1000 : x) & ~uint64_t(0x1FFF);
    } else if (isa<LLVM::FNegOp>(op)) {
      lane = x ^ (uint64_t(1) << (width - 1));
    } else if (isa<LLVM::FAbsOp>(op)) {
      lane = mask(x, width - 1);
    } else if (isa<LLVM::CopySignOp>(op)) {
      lane = mask(x, width - 1) | (y & (uint64_t(1) << (width - 1)));
    } else if (auto test = dyn_cast<LLVM::ICmpOp>(op)) {
      lane = compare(test.getPredicate(), x, y, width);
    } else if (auto test = dyn_cast<LLVM::FCmpOp>(op)) {
      lane = compare(test.getPredicate(), toDouble(x, from), toDouble(y, from));
    } else if (isa<LLVM::SelectOp>(op)) {
      lane = x ? y : operand(2);
    } else if (auto converted = convert(op, x, from, to)) {
      lane = *converted;
    } else {
      return false;
    }
  }
  return true;
}
