//===- Promotion.cpp - Element types of results ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's type promotion. Operands have one of three ranks: tensor with
// dimensions, 0-d tensor, number. Types join within a rank by a table; then a
// weaker rank changes the result only if it is of a higher category (bool <
// integer < float < complex).
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;
using mlir::ComplexType;
using mlir::Float32Type;
using mlir::Float64Type;
using mlir::FloatType;
using mlir::IntegerType;

namespace {
enum class Category { Bool, Integer, Float, Complex };
} // namespace

static Category getCategory(Type type) {
  if (llvm::isa<ComplexType>(type))
    return Category::Complex;
  if (llvm::isa<FloatType>(type))
    return Category::Float;
  return type.isInteger(1) ? Category::Bool : Category::Integer;
}

bool aten::isIntegral(Type type) {
  return getCategory(type) <= Category::Integer;
}

/// The complex type whose parts are `real`; integers and bf16 have f32 parts.
static Type getComplexOf(Type real) {
  if (auto complex = llvm::dyn_cast<ComplexType>(real))
    return complex;
  if (real.isF64() || real.isF16())
    return ComplexType::get(real);
  return ComplexType::get(Float32Type::get(real.getContext()));
}

static Type joinIntegers(IntegerType a, IntegerType b) {
  bool aUnsigned = a.isUnsigned(), bUnsigned = b.isUnsigned();
  if (aUnsigned == bUnsigned)
    return a.getWidth() >= b.getWidth() ? a : b;
  if (aUnsigned)
    std::swap(a, b);
  // Signed `a` against unsigned `b`: the next signed type that holds both.
  unsigned width = std::max(a.getWidth(), std::min(2 * b.getWidth(), 64u));
  return IntegerType::get(a.getContext(), width);
}

static Type joinFloats(Type a, Type b) {
  unsigned x = a.getIntOrFloatBitWidth(), y = b.getIntOrFloatBitWidth();
  if (x != y)
    return x > y ? a : b;
  return Float32Type::get(a.getContext()); // f16 with bf16
}

Type aten::joinTypes(Type a, Type b) {
  if (a == b)
    return a;
  Category x = getCategory(a), y = getCategory(b);
  if (x < y) {
    std::swap(a, b);
    std::swap(x, y);
  }
  switch (x) {
  case Category::Complex: {
    Type real = llvm::cast<ComplexType>(a).getElementType();
    if (y < Category::Float)
      return a;
    Type other = y == Category::Complex
                     ? llvm::cast<ComplexType>(b).getElementType()
                     : b;
    return getComplexOf(real == other ? real : joinFloats(real, other));
  }
  case Category::Float:
    return y == Category::Float ? joinFloats(a, b) : a;
  case Category::Integer:
    if (y == Category::Bool)
      return a;
    return joinIntegers(llvm::cast<IntegerType>(a), llvm::cast<IntegerType>(b));
  case Category::Bool:
    return a;
  }
  llvm_unreachable("all categories are listed");
}

/// The rule for ranks; a null type is a rank that nothing has.
static Type combine(Type strong, Type weak) {
  if (!strong)
    return weak;
  if (!weak)
    return strong;
  Category x = getCategory(strong), y = getCategory(weak);
  if (y == Category::Complex && x == Category::Float)
    return getComplexOf(strong);
  if (x == Category::Float)
    return strong;
  if (x == Category::Bool || (y >= Category::Float && x < Category::Float))
    return joinTypes(strong, weak);
  return strong;
}

/// The type a number stands for: the default float is f32.
static Type getNumberType(Type type) {
  if (type.isF64())
    return Float32Type::get(type.getContext());
  if (llvm::isa<ComplexType>(type))
    return ComplexType::get(Float32Type::get(type.getContext()));
  return type;
}

namespace {
/// The element types of the operands that promote, by rank.
struct Operands {
  Type dims, zeroD, number;
  Type first, other; ///< the first type, and one that differs from it

  void add(Type operand) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(operand);
    Type element = tensor ? tensor.getElementType() : getNumberType(operand);
    Type &rank = !tensor ? number : tensor.getRank() == 0 ? zeroD : dims;
    rank = rank ? joinTypes(rank, element) : element;
    if (!tensor)
      return;
    if (!first)
      first = element;
    else if (first != element)
      other = element;
  }
  Type promote() const { return combine(combine(dims, zeroD), number); }
};
} // namespace

static Operands collectOperands(const Inference &infer) {
  Operands operands;
  for (const ArgInfo &arg : infer.info.args)
    if (arg.promotes)
      for (Value value : infer.get(arg.name).getValues())
        if (value)
          operands.add(value.getType());
  return operands;
}

static std::string str(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

static Type toFloat(Type type) {
  return isIntegral(type) ? Type(Float32Type::get(type.getContext())) : type;
}

static Type toReal(Type type) {
  auto complex = llvm::dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

FailureOr<Type> Inference::getPromotedType() {
  Operands operands = collectOperands(*this);
  Type promoted = operands.promote();
  Type dtype = getDType();
  mlir::Builder builder(context);
  Type f32 = builder.getF32Type(), i64 = builder.getI64Type();
  switch (info.promotion) {
  case Promotion::FromScalar:
  case Promotion::FromScalarI64:
  case Promotion::DefaultFloat:
    if (dtype)
      return dtype;
    if (info.promotion == Promotion::DefaultFloat)
      return f32;
    if (!promoted)
      return fail("has no number to take its type from");
    if (info.promotion == Promotion::FromScalarI64 && isIntegral(promoted))
      return i64;
    return promoted;
  case Promotion::AlwaysI64:
    return i64;
  default:
    break;
  }
  if (!promoted)
    return fail("has no operand to take its type from");
  switch (info.promotion) {
  case Promotion::Default:
  case Promotion::NoOpmath:
    return dtype ? dtype : promoted;
  case Promotion::IntToFloat:
    return toFloat(promoted);
  case Promotion::DivMode:
    if (has("rounding_mode") && getString("rounding_mode") != "floor" &&
        getString("rounding_mode") != "trunc")
      return fail("expects the rounding mode \"floor\" or \"trunc\", but "
                  "found \"" + getString("rounding_mode") + "\"");
    return has("rounding_mode") ? promoted : toFloat(promoted);
  case Promotion::AlwaysBool:
    return Type(builder.getI1Type());
  case Promotion::AnyBool:
    return promoted.isUnsignedInteger(8) ? promoted
                                         : Type(builder.getI1Type());
  case Promotion::IntToI64:
    if (dtype)
      return dtype;
    return isIntegral(promoted) ? i64 : promoted;
  case Promotion::ComplexToFloat:
    return toReal(promoted);
  case Promotion::FloatToComplex:
    return Type(ComplexType::get(promoted));
  case Promotion::FloatOnly:
  case Promotion::FloatToReal:
    if (Type type = dtype ? dtype : promoted; isIntegral(type))
      return fail("expects a tensor of floats, but found " + str(type));
    if (dtype)
      return dtype;
    return info.promotion == Promotion::FloatOnly ? promoted : toReal(promoted);
  case Promotion::KeepFirst:
  case Promotion::Norm:
    return operands.first;
  case Promotion::View:
  case Promotion::Like:
    return dtype ? dtype : operands.first;
  case Promotion::SameDType:
    if (operands.other)
      return fail("expects operands of one element type, but found " +
                  str(operands.first) + " and " + str(operands.other));
    return operands.first;
  case Promotion::ToNumber:
    switch (getCategory(promoted)) {
    case Category::Bool:
      return promoted;
    case Category::Integer:
      return i64;
    case Category::Float:
      return Type(builder.getF64Type());
    case Category::Complex:
      return Type(ComplexType::get(builder.getF64Type()));
    }
    return failure();
  default:
    return fail("has no rule for the type of its results");
  }
}
