//===- GridArithmetic.cpp - Ops of the llvm dialect on bits ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"
#include "GridProgram.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace kiln::loop;
using namespace kiln::loop::grid;
using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

static uint64_t maskBits(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

static int64_t asSignedBits(uint64_t bits, unsigned width) {
  return int64_t(bits << (64 - width)) >> (64 - width);
}

/// A function of a lane of up to three operands, `Function::of(op, x, y, z)`.
template <typename Function>
static void evaluateLanes(const Instruction &op, uint64_t *registers) {
  if (op.lanes == 1) { // most of them
    registers[op.result] = Function::of(op, registers[op.operands[0].first],
                                        registers[op.operands[1].first],
                                        registers[op.operands[2].first]);
    return;
  }
  for (uint32_t k = 0; k < op.lanes; ++k)
    registers[op.result + k] =
        Function::of(op, op.get(registers, 0, k), op.get(registers, 1, k),
                     op.get(registers, 2, k));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static uint64_t getAttributeBits(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(value).getValue().getZExtValue();
}

SmallVector<uint64_t> grid::getConstantBits(Operation &op) {
  if (isa<LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp>(op))
    return SmallVector<uint64_t>(countLanes(op.getResult(0).getType()), 0);
  auto constant = dyn_cast<LLVM::ConstantOp>(op);
  if (!constant)
    return {};
  SmallVector<uint64_t> bits;
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    for (Attribute value : dense.getValues<Attribute>())
      bits.push_back(getAttributeBits(value));
  else
    bits.assign(countLanes(constant.getType()),
                getAttributeBits(constant.getValue()));
  for (uint64_t &lane : bits)
    lane = maskBits(lane, getWidth(constant.getType()));
  return bits;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename Format, typename Function> struct FloatLane {
  static uint64_t of(const Instruction &, uint64_t x, uint64_t y, uint64_t) {
    return Format::encode(Function::of(Format::decode(x), Format::decode(y)));
  }
};

template <typename Function> static Evaluation getFloatLanes(Type type) {
  return withFormat(type, [](auto format) -> Evaluation {
    return evaluateLanes<FloatLane<decltype(format), Function>>;
  });
}

// Evaluates an op by an expression of doubles x and y.
#define KILN_FLOAT(OP, expression)                                             \
  if (isa<LLVM::OP>(op)) {                                                     \
    struct Function {                                                          \
      static double of(double x, double y) {                                   \
        (void)x, (void)y;                                                      \
        return expression;                                                     \
      }                                                                        \
    };                                                                         \
    return getFloatLanes<Function>(type);                                      \
  }

static Evaluation getFloatFunction(Operation &op, Type type) {
  // clang-format off
  KILN_FLOAT(FAddOp, x + y)
  KILN_FLOAT(FSubOp, x - y)
  KILN_FLOAT(FMulOp, x * y)
  KILN_FLOAT(FDivOp, x / y)
  KILN_FLOAT(SqrtOp, std::sqrt(x))
  KILN_FLOAT(FFloorOp, std::floor(x))
  KILN_FLOAT(FCeilOp, std::ceil(x))
  KILN_FLOAT(FTruncOp, std::trunc(x))
  KILN_FLOAT(RoundOp, std::round(x))
  KILN_FLOAT(RoundEvenOp, std::nearbyint(x))
  KILN_FLOAT(MinNumOp, std::fmin(x, y))
  KILN_FLOAT(MaxNumOp, std::fmax(x, y))
  KILN_FLOAT(MinimumOp, std::isnan(x) || std::isnan(y) ? NAN : std::fmin(x, y))
  KILN_FLOAT(MaximumOp, std::isnan(x) || std::isnan(y) ? NAN : std::fmax(x, y))
  // clang-format on
  return nullptr;
}
#undef KILN_FLOAT

/// A product and a sum that are rounded together: those of f32 once, and those of 16 bits
/// as doubles before.
template <typename Format> struct FusedLane {
  static uint64_t of(const Instruction &, uint64_t x, uint64_t y, uint64_t z) {
    double a = Format::decode(x), b = Format::decode(y), c = Format::decode(z);
    if constexpr (std::is_same_v<Format, F32>)
      return Format::encode(std::fma(float(a), float(b), float(c)));
    return Format::encode(std::fma(a, b, c));
  }
};

/// Of x below, equal to, above, or not to be compared with y, those bits of `number` that
/// are set hold.
template <typename Format> struct CompareLane {
  static uint64_t of(const Instruction &op, uint64_t x, uint64_t y, uint64_t) {
    double a = Format::decode(x), b = Format::decode(y);
    return op.number >> (a < b ? 0 : a == b ? 1 : a > b ? 2 : 3) & 1;
  }
};

static int64_t getRelations(LLVM::FCmpPredicate predicate) {
  enum { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
  switch (predicate) {
  case LLVM::FCmpPredicate::_false:
    return 0;
  case LLVM::FCmpPredicate::oeq:
    return kEqual;
  case LLVM::FCmpPredicate::ogt:
    return kGreater;
  case LLVM::FCmpPredicate::oge:
    return kGreater | kEqual;
  case LLVM::FCmpPredicate::olt:
    return kLess;
  case LLVM::FCmpPredicate::ole:
    return kLess | kEqual;
  case LLVM::FCmpPredicate::one:
    return kLess | kGreater;
  case LLVM::FCmpPredicate::ord:
    return kLess | kEqual | kGreater;
  case LLVM::FCmpPredicate::ueq:
    return kUnordered | kEqual;
  case LLVM::FCmpPredicate::ugt:
    return kUnordered | kGreater;
  case LLVM::FCmpPredicate::uge:
    return kUnordered | kGreater | kEqual;
  case LLVM::FCmpPredicate::ult:
    return kUnordered | kLess;
  case LLVM::FCmpPredicate::ule:
    return kUnordered | kLess | kEqual;
  case LLVM::FCmpPredicate::une:
    return kUnordered | kLess | kGreater;
  case LLVM::FCmpPredicate::uno:
    return kUnordered;
  case LLVM::FCmpPredicate::_true:
    return kUnordered | kLess | kEqual | kGreater;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

// Evaluates an op by an expression of integers of a width, x and y, which are a and b
// with their signs.
#define KILN_INTEGER(condition, expression)                                    \
  if (condition) {                                                             \
    struct Function {                                                          \
      static uint64_t of(const Instruction &op, uint64_t x, uint64_t y,        \
                         uint64_t) {                                           \
        unsigned width = op.width;                                             \
        int64_t a = asSignedBits(x, width), b = asSignedBits(y, width);        \
        (void)a, (void)b, (void)width;                                         \
        return maskBits(expression, op.resultWidth);                           \
      }                                                                        \
    };                                                                         \
    return evaluateLanes<Function>;                                            \
  }

static Evaluation getIntegerFunction(Operation &op) {
  // clang-format off
  KILN_INTEGER(isa<LLVM::AddOp>(op), x + y)
  KILN_INTEGER(isa<LLVM::SubOp>(op), x - y)
  KILN_INTEGER(isa<LLVM::MulOp>(op), x * y)
  KILN_INTEGER(isa<LLVM::UDivOp>(op), y == 0 ? 0 : x / y)
  KILN_INTEGER(isa<LLVM::URemOp>(op), y == 0 ? 0 : x % y)
  KILN_INTEGER(isa<LLVM::SDivOp>(op), b == 0 ? 0 : b == -1 ? -uint64_t(a) : a / b)
  KILN_INTEGER(isa<LLVM::SRemOp>(op), b == 0 || b == -1 ? 0 : a % b)
  KILN_INTEGER(isa<LLVM::AndOp>(op), x & y)
  KILN_INTEGER(isa<LLVM::OrOp>(op), x | y)
  KILN_INTEGER(isa<LLVM::XOrOp>(op), x ^ y)
  KILN_INTEGER(isa<LLVM::ShlOp>(op), y >= width ? 0 : x << y)
  KILN_INTEGER(isa<LLVM::LShrOp>(op), y >= width ? 0 : x >> y)
  KILN_INTEGER(isa<LLVM::AShrOp>(op), a >> std::min<uint64_t>(y, width - 1))
  KILN_INTEGER(isa<LLVM::SMinOp>(op), std::min(a, b))
  KILN_INTEGER(isa<LLVM::SMaxOp>(op), std::max(a, b))
  KILN_INTEGER(isa<LLVM::UMinOp>(op), std::min(x, y))
  KILN_INTEGER(isa<LLVM::UMaxOp>(op), std::max(x, y))
  KILN_INTEGER(isa<LLVM::AbsOp>(op), a < 0 ? -uint64_t(a) : x)
  KILN_INTEGER(isa<LLVM::CtPopOp>(op), llvm::popcount(x))
  KILN_INTEGER(isa<LLVM::CountLeadingZerosOp>(op),
               llvm::countl_zero(x) - (64 - width))
  KILN_INTEGER(isa<LLVM::CountTrailingZerosOp>(op),
               std::min<uint64_t>(llvm::countr_zero(x), width))
  // The sign of a float is a bit of it.
  KILN_INTEGER(isa<LLVM::FNegOp>(op), x ^ uint64_t(1) << (width - 1))
  KILN_INTEGER(isa<LLVM::FAbsOp>(op), maskBits(x, width - 1))
  KILN_INTEGER(isa<LLVM::CopySignOp>(op),
               maskBits(x, width - 1) | (y & uint64_t(1) << (width - 1)))
  // clang-format on
  return nullptr;
}

static Evaluation getComparison(LLVM::ICmpPredicate predicate) {
  using Predicate = LLVM::ICmpPredicate;
  KILN_INTEGER(predicate == Predicate::eq, x == y)
  KILN_INTEGER(predicate == Predicate::ne, x != y)
  KILN_INTEGER(predicate == Predicate::slt, a < b)
  KILN_INTEGER(predicate == Predicate::sle, a <= b)
  KILN_INTEGER(predicate == Predicate::sgt, a > b)
  KILN_INTEGER(predicate == Predicate::sge, a >= b)
  KILN_INTEGER(predicate == Predicate::ult, x < y)
  KILN_INTEGER(predicate == Predicate::ule, x <= y)
  KILN_INTEGER(predicate == Predicate::ugt, x > y)
  KILN_INTEGER(predicate == Predicate::uge, x >= y)
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename From, typename To> struct ConvertLane {
  static uint64_t of(const Instruction &, uint64_t x, uint64_t, uint64_t) {
    return To::encode(From::decode(x));
  }
};

static Evaluation getFloatConversion(Type from, Type to) {
  return withFormat(from, [&](auto source) {
    return withFormat(to, [](auto target) -> Evaluation {
      return evaluateLanes<ConvertLane<decltype(source), decltype(target)>>;
    });
  });
}

/// A float of an integer, rounded once: bits that no double holds are joined to one below
/// those that the narrower formats keep.
template <typename Format> static uint64_t roundInteger(uint64_t magnitude) {
  if constexpr (std::is_same_v<Format, F64>)
    return Format::encode(double(magnitude));
  if (magnitude >> 53)
    return Format::encode(double(magnitude >> 11 | ((magnitude & 0x7FF) != 0)) *
                          2048);
  return Format::encode(double(magnitude));
}

template <typename Format, bool kIsSigned> struct FromIntegerLane {
  static uint64_t of(const Instruction &op, uint64_t x, uint64_t, uint64_t) {
    int64_t a = asSignedBits(x, op.width);
    if (!kIsSigned || a >= 0)
      return roundInteger<Format>(x);
    return roundInteger<Format>(-uint64_t(a)) | uint64_t(1)
                                                    << (op.resultWidth - 1);
  }
};

/// Toward zero; the nearest integer of what none is near, and 0 of NaN.
template <typename Format, bool kIsSigned> struct ToIntegerLane {
  static uint64_t of(const Instruction &op, uint64_t x, uint64_t, uint64_t) {
    unsigned bits = op.resultWidth - kIsSigned;
    double value = std::trunc(Format::decode(x)), limit = std::ldexp(1.0, bits);
    uint64_t least = kIsSigned ? uint64_t(1) << bits : 0;
    if (std::isnan(value))
      return 0;
    if (value >= limit)
      return maskBits(~uint64_t(0), bits);
    if (value < (kIsSigned ? -limit : 0))
      return least;
    return maskBits(kIsSigned ? uint64_t(int64_t(value)) : uint64_t(value),
                    op.resultWidth);
  }
};

static Evaluation getConversion(Operation &op, Type from, Type to) {
  KILN_INTEGER((isa<LLVM::TruncOp, LLVM::PtrToIntOp>(op)), x)
  KILN_INTEGER(isa<LLVM::SExtOp>(op), a)
  if (isa<LLVM::FPTruncOp, LLVM::FPExtOp>(op))
    return getFloatConversion(from, to);
  return withFormat(isa<FloatType>(to) ? to : from, [&](auto format) {
    using Format = decltype(format);
    Evaluation found = nullptr;
    if (isa<LLVM::SIToFPOp>(op))
      found = evaluateLanes<FromIntegerLane<Format, true>>;
    else if (isa<LLVM::UIToFPOp>(op))
      found = evaluateLanes<FromIntegerLane<Format, false>>;
    else if (isa<LLVM::FPToSIOp>(op))
      found = evaluateLanes<ToIntegerLane<Format, true>>;
    else if (isa<LLVM::FPToUIOp>(op))
      found = evaluateLanes<ToIntegerLane<Format, false>>;
    return found;
  });
}
#undef KILN_INTEGER

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

static void evaluateExtract(const Instruction &op, uint64_t *registers) {
  uint64_t lane = op.get(registers, 1);
  registers[op.result] =
      lane < uint64_t(op.number) ? op.get(registers, 0, lane) : 0;
}

static void evaluateInsert(const Instruction &op, uint64_t *registers) {
  for (uint32_t k = 0; k < op.lanes; ++k)
    registers[op.result + k] = op.get(registers, 0, k);
  if (uint64_t lane = op.get(registers, 2); lane < op.lanes)
    registers[op.result + lane] = op.get(registers, 1);
}

static void evaluateAny(const Instruction &op, uint64_t *registers) {
  uint64_t any = 0;
  for (int64_t k = 0; k < op.number; ++k)
    any |= op.get(registers, 0, k);
  registers[op.result] = any;
}

/// Lanes of one width from lanes of another.
static void evaluateBitcast(const Instruction &op, uint64_t *registers) {
  for (uint32_t k = 0; k < op.lanes; ++k) {
    uint64_t bits = 0;
    for (unsigned at = 0; at < op.resultWidth;) {
      unsigned bit = k * op.resultWidth + at, shift = bit % op.width;
      bits |= op.get(registers, 0, bit / op.width) >> shift << at;
      at += op.width - shift;
    }
    registers[op.result + k] = maskBits(bits, op.resultWidth);
  }
}

static Evaluation getLaneFunction(Operation &op, Instruction &made) {
  if (op.getNumOperands() != 0)
    made.number = countLanes(op.getOperand(0).getType());
  if (isa<LLVM::ExtractElementOp>(op))
    return evaluateExtract;
  if (isa<LLVM::InsertElementOp>(op))
    return evaluateInsert;
  if (isa<LLVM::vector_reduce_or>(op))
    return evaluateAny;
  if (isa<LLVM::BitcastOp>(op))
    return evaluateBitcast;
  return nullptr;
}

struct SelectLane {
  static uint64_t of(const Instruction &, uint64_t x, uint64_t y, uint64_t z) {
    return x ? y : z;
  }
};

//===----------------------------------------------------------------------===//
// Instructions of NVIDIA's GPUs
//===----------------------------------------------------------------------===//

/// To the nearest, halves away from zero.
struct ToTF32Lane {
  static uint64_t of(const Instruction &, uint64_t x, uint64_t, uint64_t) {
    bool isFinite = (x >> 23 & 0xFF) != 0xFF;
    return (isFinite ? x + 0x1000 : x) & ~uint64_t(0x1FFF);
  }
};

struct SaturatedFusedLane {
  static uint64_t of(const Instruction &op, uint64_t x, uint64_t y,
                     uint64_t z) {
    double sum = F32::decode(FusedLane<F32>::of(op, x, y, z));
    return F32::encode(sum > 0 ? std::min(sum, 1.0) : 0.0);
  }
};

struct DownwardFusedLane {
  static uint64_t of(const Instruction &, uint64_t x, uint64_t y, uint64_t z) {
    auto number = [](uint64_t bits) {
      return APFloat(APFloat::IEEEsingle(), APInt(32, bits));
    };
    APFloat sum = number(x);
    sum.fusedMultiplyAdd(number(y), number(z), APFloat::rmTowardNegative);
    return sum.bitcastToAPInt().getZExtValue();
  }
};

static Evaluation getIntrinsic(StringRef name) {
  struct Exp2 {
    static double of(double x, double) { return std::exp2(x); }
  };
  struct Reciprocal {
    static double of(double x, double) { return 1 / x; }
  };
  struct ReciprocalRoot {
    static double of(double x, double) { return 1 / std::sqrt(x); }
  };
  return llvm::StringSwitch<Evaluation>(name)
      .Cases({"llvm.nvvm.ex2.approx.f32", "llvm.nvvm.ex2.approx.ftz.f32"},
             evaluateLanes<FloatLane<F32, Exp2>>)
      .Case("llvm.nvvm.rcp.approx.ftz.f",
            evaluateLanes<FloatLane<F32, Reciprocal>>)
      .Case("llvm.nvvm.rsqrt.approx.f",
            evaluateLanes<FloatLane<F32, ReciprocalRoot>>)
      .Case("llvm.nvvm.fma.rn.sat.f", evaluateLanes<SaturatedFusedLane>)
      .Case("llvm.nvvm.fma.rm.f", evaluateLanes<DownwardFusedLane>)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Evaluation grid::getSum(Type element, Instruction &made) {
  made.width = made.resultWidth = getWidth(element);
  struct FloatSum {
    static double of(double x, double y) { return x + y; }
  };
  struct IntegerSum {
    static uint64_t of(const Instruction &op, uint64_t x, uint64_t y,
                       uint64_t) {
      return maskBits(x + y, op.resultWidth);
    }
  };
  if (isa<FloatType>(element))
    return getFloatLanes<FloatSum>(element);
  return evaluateLanes<IntegerSum>;
}

Evaluation grid::getEvaluation(Operation &op, Instruction &made) {
  Type to = getElementTypeOrSelf(op.getResult(0).getType());
  Type from = op.getNumOperands()
                  ? getElementTypeOrSelf(op.getOperand(0).getType())
                  : to;
  if (auto test = dyn_cast<LLVM::FCmpOp>(op)) {
    made.number = getRelations(test.getPredicate());
    return withFormat(from, [](auto format) -> Evaluation {
      return evaluateLanes<CompareLane<decltype(format)>>;
    });
  }
  if (isa<LLVM::FMAOp, LLVM::FMulAddOp>(op))
    return withFormat(to, [](auto format) -> Evaluation {
      return evaluateLanes<FusedLane<decltype(format)>>;
    });
  if (auto test = dyn_cast<LLVM::ICmpOp>(op))
    return getComparison(test.getPredicate());
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return getIntrinsic(call.getIntrin());
  if (isa<LLVM::SelectOp>(op))
    return evaluateLanes<SelectLane>;
  if (isa<NVVM::ConvertFloatToTF32Op>(op))
    return evaluateLanes<ToTF32Lane>;
  for (Evaluation found :
       {getFloatFunction(op, to), getIntegerFunction(op),
        getConversion(op, from, to), getLaneFunction(op, made)})
    if (found)
      return found;
  return nullptr;
}
