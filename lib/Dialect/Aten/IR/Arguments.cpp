//===- Arguments.cpp - Ops from and to arguments in schema order ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op holds its operands in one list and its attributes by name; a schema
// has arguments in an order. This file goes both ways for any overload.
//
//===----------------------------------------------------------------------===//

#include "OverloadVerifier.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::aten;
using guard::ExprAttr;
using guard::ShapeAttr;
using mlir::ArrayAttr;
using mlir::BoolAttr;
using mlir::DenseBoolArrayAttr;
using mlir::DenseF64ArrayAttr;
using mlir::DenseI32ArrayAttr;
using mlir::DenseI64ArrayAttr;
using mlir::FloatAttr;
using mlir::IntegerAttr;
using mlir::TypeAttr;

static std::string getMaskName(const ArgInfo &arg) {
  return (StringRef(arg.name) + "_present").str();
}

//===----------------------------------------------------------------------===//
// From an op
//===----------------------------------------------------------------------===//

/// Restores nulls in a list of optional tensors. A mask that does not fit the
/// operands is met by giving what is there; the verifier then speaks.
static ArgValue spreadList(ValueRange present, Attribute maskAttr) {
  auto mask = llvm::dyn_cast_if_present<DenseBoolArrayAttr>(maskAttr);
  if (!mask)
    return ArgValue(present);
  SmallVector<Value> list;
  size_t next = 0;
  for (bool isPresent : mask.asArrayRef())
    list.push_back(isPresent && next < present.size() ? present[next++]
                                                      : Value());
  return ArgValue(ArrayRef<Value>(list));
}

/// Arguments from operands and a way to get attributes. Failure if the
/// operands do not add up.
static FailureOr<SmallVector<ArgValue>>
collectArguments(const OpInfo &info, ValueRange operands,
                 function_ref<Attribute(StringRef)> lookUp) {
  DenseI32ArrayAttr segments;
  if (info.hasSegments)
    segments =
        llvm::dyn_cast_if_present<DenseI32ArrayAttr>(lookUp(kSegmentSizesName));
  if (info.hasSegments && !segments)
    return failure();
  // Without segments at most one argument is of variable length.
  size_t fixed = countFixedOperands(info);
  SmallVector<ArgValue> args;
  size_t next = 0, segment = 0;
  for (const ArgInfo &arg : info.args) {
    if (!arg.isOperand()) {
      args.push_back(arg.kind == ArgKind::Generator ? ArgValue()
                                                    : lookUp(arg.name));
      continue;
    }
    int64_t length = 1;
    if (segments) {
      if (segment >= size_t(segments.size()))
        return failure();
      length = segments[segment++];
    } else if (arg.isVariable()) {
      length = int64_t(operands.size()) - int64_t(fixed);
    }
    if (length < 0 || next + length > operands.size())
      return failure();
    ValueRange values = operands.slice(next, length);
    next += length;
    if (arg.kind == ArgKind::OptionalTensorList)
      args.push_back(spreadList(values, lookUp(getMaskName(arg))));
    else if (arg.kind == ArgKind::TensorList)
      args.push_back(ArgValue(values));
    else if (length > 1)
      return failure();
    else
      args.push_back(length == 0 ? ArgValue() : ArgValue(values.front()));
  }
  if (next != operands.size())
    return failure();
  return args;
}

SmallVector<ArgValue> aten::getSchemaArguments(Operation *op) {
  const OpInfo *info = getOpInfo(op);
  assert(info && "not an op of an ATen overload");
  FailureOr<SmallVector<ArgValue>> args = collectArguments(
      *info, op->getOperands(), [&](StringRef name) -> Attribute {
        return op->getInherentAttr(name).value_or(Attribute());
      });
  // The declaration is verified before anything can ask.
  return succeeded(args) ? std::move(*args)
                         : SmallVector<ArgValue>(info->args.size());
}

bool aten::drawsGivenNumbers(Operation *op) {
  const OpInfo *info = getOpInfo(op);
  return info && info->takesDraws &&
         !getSchemaArguments(op)[info->getArgIndex("draws")].isNone();
}

OperatorCall aten::getOperatorCall(Operation *op) {
  const OpInfo *info = getOpInfo(op);
  OperatorCall call;
  SmallVector<ArgValue> args = getSchemaArguments(op);
  for (auto [value, arg] : llvm::zip_equal(args, info->args))
    call.arguments.push_back({value, &arg});
  // Registered names carry the overload.
  call.overload = info->name;
  if (StringRef(call.overload).count('.') == 1)
    call.overload += ".default";
  if (!info->takesDraws)
    return call;
  if (drawsGivenNumbers(op)) {
    // Given numbers come first: the others are those of the schema.
    std::rotate(call.arguments.begin(), call.arguments.end() - 2,
                call.arguments.end());
    // The eager function of the same name that takes them.
    call.overload.insert(StringRef("aten.").size(), "_drawn_");
  } else {
    call.arguments.pop_back_n(2);
  }
  return call;
}

//===----------------------------------------------------------------------===//
// To an op
//===----------------------------------------------------------------------===//

/// A constant for a number that is given as an attribute.
static Value materializeNumber(OpBuilder &builder, Location loc,
                               Attribute attr) {
  if (auto boolean = llvm::dyn_cast<BoolAttr>(attr))
    return mlir::arith::ConstantOp::create(builder, loc, boolean);
  if (auto integer = llvm::dyn_cast<IntegerAttr>(attr))
    return mlir::arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(integer.getInt()));
  if (auto real = llvm::dyn_cast<FloatAttr>(attr))
    return mlir::arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(real.getValueAsDouble()));
  if (auto parts = llvm::dyn_cast<ArrayAttr>(attr)) {
    // [real, imaginary]
    bool isComplex = parts.size() == 2 && llvm::all_of(parts, [](Attribute a) {
                       auto part = llvm::dyn_cast<FloatAttr>(a);
                       return part && part.getType().isF64();
                     });
    if (!isComplex)
      return {};
    return mlir::complex::ConstantOp::create(
        builder, loc, mlir::ComplexType::get(builder.getF64Type()), parts);
  }
  auto expr = llvm::dyn_cast<ExprAttr>(attr);
  if (!expr)
    return {};
  if (std::optional<int64_t> constant = expr.getConstant())
    return materializeNumber(builder, loc,
                             builder.getI64IntegerAttr(*constant));
  Type type = expr.isFloatTyped() ? Type(builder.getF64Type())
                                  : Type(builder.getI64Type());
  return guard::ValueOp::create(builder, loc, type, expr);
}

/// True if `value` is the constant that the schema has as its default.
static bool isDefaultNumber(const ArgInfo &arg, Value value) {
  if (!arg.isOptional || arg.kind != ArgKind::Number || !arg.defaultText)
    return false;
  Attribute constant;
  if (!mlir::matchPattern(value, mlir::m_Constant(&constant)))
    return false;
  return constant == getDefault(value.getContext(), arg);
}

/// Brings an attribute to the form that the op stores; null if it cannot.
static Attribute convertAttribute(mlir::Builder &builder, const ArgInfo &arg,
                                  Attribute attr) {
  MLIRContext *context = builder.getContext();
  auto keepIf = [&](bool fits) { return fits ? attr : Attribute(); };
  auto integer = llvm::dyn_cast<IntegerAttr>(attr);
  auto integers = llvm::dyn_cast<DenseI64ArrayAttr>(attr);
  auto expr = llvm::dyn_cast<ExprAttr>(attr);
  switch (arg.kind) {
  case ArgKind::SymInt:
    if (integer)
      return guard::getConstant(context, integer.getInt());
    return keepIf(expr && !expr.isFloatTyped());
  case ArgKind::Int:
    if (expr && expr.isConstant())
      return builder.getI64IntegerAttr(*expr.getConstant());
    return keepIf(integer && integer.getType().isInteger(64));
  case ArgKind::Bool:
    return keepIf(llvm::isa<BoolAttr>(attr));
  case ArgKind::Float:
    if (integer)
      return builder.getF64FloatAttr(double(integer.getInt()));
    if (expr && expr.isConstant())
      return builder.getF64FloatAttr(double(*expr.getConstant()));
    if (auto real = llvm::dyn_cast<FloatAttr>(attr))
      return builder.getF64FloatAttr(real.getValueAsDouble());
    return {};
  case ArgKind::SymIntList:
    // One number stands for as many as the list is long.
    if (integer)
      return ShapeAttr::get(context, SmallVector<int64_t>(
                                         std::max(1u, arg.listSize),
                                         integer.getInt()));
    if (integers)
      return ShapeAttr::get(context, integers.asArrayRef());
    return keepIf(llvm::isa<ShapeAttr>(attr));
  case ArgKind::IntList:
    if (integer)
      return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
          std::max(1u, arg.listSize), integer.getInt()));
    if (auto shape = llvm::dyn_cast<ShapeAttr>(attr))
      if (std::optional<SmallVector<int64_t>> numbers = shape.getConstants())
        return builder.getDenseI64ArrayAttr(*numbers);
    return keepIf(!!integers);
  case ArgKind::BoolList:
    return keepIf(llvm::isa<DenseBoolArrayAttr>(attr));
  case ArgKind::FloatList:
    return keepIf(llvm::isa<DenseF64ArrayAttr>(attr));
  case ArgKind::DType:
    return keepIf(llvm::isa<TypeAttr>(attr));
  case ArgKind::String:
  case ArgKind::Layout:
  case ArgKind::Device:
  case ArgKind::MemoryFormat:
    return keepIf(llvm::isa<StringAttr>(attr));
  default:
    return {};
  }
}

static const char *describe(ArgKind kind) {
  switch (kind) {
  case ArgKind::Tensor:
    return "a tensor";
  case ArgKind::TensorOrNumber:
    return "a tensor or a number";
  case ArgKind::TensorList:
  case ArgKind::OptionalTensorList:
    return "a list of tensors";
  case ArgKind::Number:
    return "a number";
  case ArgKind::Int:
    return "an integer";
  case ArgKind::Bool:
    return "a bool";
  case ArgKind::Float:
    return "a float";
  case ArgKind::DType:
    return "an element type";
  case ArgKind::SymInt:
    return "an integer expression";
  case ArgKind::IntList:
    return "a list of integers";
  case ArgKind::BoolList:
    return "a list of bools";
  case ArgKind::FloatList:
    return "a list of floats";
  case ArgKind::SymIntList:
    return "a list of integer expressions";
  case ArgKind::String:
  case ArgKind::Layout:
  case ArgKind::Device:
  case ArgKind::MemoryFormat:
    return "text";
  case ArgKind::Generator:
    return "nothing";
  }
  llvm_unreachable("all kinds are listed");
}

static bool isNumberType(Type type) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  return type.isInteger(1) || type.isInteger(64) || type.isF64() ||
         (complex && complex.getElementType().isF64());
}

static bool fitsOperand(ArgKind kind, Type type) {
  bool isTensor = llvm::isa<RankedTensorType>(type);
  switch (kind) {
  case ArgKind::Number:
    return isNumberType(type);
  case ArgKind::TensorOrNumber:
    return isTensor || isNumberType(type);
  default:
    return isTensor;
  }
}

/// Brings every argument to the form that the op stores: constants for numbers,
/// defaults for attributes, nothing for defaults of operands.
static LogicalResult normalize(OpBuilder &builder, Location loc,
                               const OpInfo &info,
                               SmallVectorImpl<ArgValue> &args) {
  auto fail = [&](const ArgInfo &arg, const Twine &what) {
    return mlir::emitError(loc) << "'" << info.name << "' op expects '"
                                << arg.name << "' to be " << describe(arg.kind)
                                << what;
  };
  if (args.size() > info.args.size())
    return mlir::emitError(loc)
           << "'" << info.name << "' op expects at most " << info.args.size()
           << " arguments, but found " << args.size();
  args.resize(info.args.size());
  for (auto [arg, value] : llvm::zip(info.args, args)) {
    if (arg.kind == ArgKind::Generator && !value.isNone())
      return fail(arg, ", but a generator was given");
    if (arg.isOperand()) {
      bool takesNumber = arg.kind == ArgKind::Number ||
                         arg.kind == ArgKind::TensorOrNumber;
      if (value.isAttribute() && takesNumber) {
        if (arg.isOptional && arg.defaultText &&
            value.getAttribute() == getDefault(builder.getContext(), arg)) {
          value = ArgValue();
          continue;
        }
        Value number = materializeNumber(builder, loc, value.getAttribute());
        if (!number)
          return fail(arg, ", but found another attribute");
        value = number;
      }
      bool isListKind = arg.kind == ArgKind::TensorList ||
                        arg.kind == ArgKind::OptionalTensorList;
      if (value.isNone() && (arg.isOptional || isListKind)) {
        if (isListKind)
          value = ArgValue(ArrayRef<Value>());
        continue;
      }
      if (value.isNone())
        return fail(arg, ", but it is missing");
      if (value.isAttribute() || value.isList() != isListKind)
        return fail(arg, ", but found something else");
      for (Value element : value.getValues()) {
        if (!element && arg.kind != ArgKind::OptionalTensorList)
          return fail(arg, ", but an element is missing");
        if (element && !fitsOperand(arg.kind, element.getType()))
          return mlir::emitError(loc)
                 << "'" << info.name << "' op expects '" << arg.name
                 << "' to be " << describe(arg.kind) << ", but found "
                 << element.getType();
      }
      if (value.isValue() && isDefaultNumber(arg, value.getValue()))
        value = ArgValue();
      continue;
    }
    if (value.isNone()) {
      Attribute byDefault = getDefault(builder.getContext(), arg);
      if (!byDefault && !arg.isOptional && arg.kind != ArgKind::Generator)
        return fail(arg, ", but it is missing and has no default");
      value = ArgValue(byDefault);
      continue;
    }
    Attribute converted =
        value.isAttribute()
            ? convertAttribute(builder, arg, value.getAttribute())
            : Attribute();
    if (!converted)
      return fail(arg, ", but found something else");
    value = ArgValue(converted);
  }
  return success();
}

/// Adds normalized arguments to `state`.
static void addArguments(OpBuilder &builder, OperationState &state,
                         const OpInfo &info, ArrayRef<ArgValue> args) {
  SmallVector<int32_t> segments;
  for (auto [arg, value] : llvm::zip(info.args, args)) {
    if (!arg.isOperand()) {
      if (value.isAttribute())
        state.addAttribute(arg.name, value.getAttribute());
      continue;
    }
    size_t before = state.operands.size();
    SmallVector<bool> mask;
    for (Value element : value.getValues()) {
      mask.push_back(!!element);
      if (element)
        state.operands.push_back(element);
    }
    if (arg.kind == ArgKind::OptionalTensorList)
      state.addAttribute(getMaskName(arg), builder.getDenseBoolArrayAttr(mask));
    segments.push_back(state.operands.size() - before);
  }
  if (info.hasSegments)
    state.addAttribute(kSegmentSizesName, builder.getDenseI32ArrayAttr(segments));
}

void aten::fillState(OpBuilder &builder, OperationState &state,
                     const OpInfo &info, ArrayRef<ArgValue> args) {
  SmallVector<ArgValue> all(args);
  if (succeeded(normalize(builder, state.location, info, all)))
    addArguments(builder, state, info, all);
}

Operation *aten::buildAtenOp(OpBuilder &builder, Location loc,
                             const OpInfo &info, ArrayRef<ArgValue> args,
                             TypeRange resultTypes) {
  SmallVector<ArgValue> all(args);
  if (failed(normalize(builder, loc, info, all)))
    return nullptr;
  OperationState state(loc, info.name);
  addArguments(builder, state, info, all);
  if (!resultTypes.empty()) {
    state.addTypes(resultTypes);
  } else if (failed(inferResultTypes(builder.getContext(), loc, info, all,
                                     state.types))) {
    return nullptr;
  }
  if (llvm::is_contained(state.types, Type())) {
    mlir::emitError(loc) << "'" << info.name << "' op has a result whose size "
                            "depends on data; its type must be given";
    return nullptr;
  }
  return builder.create(state);
}
