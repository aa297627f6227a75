//===- Arguments.cpp - Arguments of a node by the operator's schema -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::ArgKind;
using archive::Argument;
using guard::ExprAttr;

Result<ExprAttr> GraphImporter::toExpr(const archive::SymIntArg &arg) const {
  if (arg.isName())
    return getExpr(arg.name);
  return guard::getConstant(b.getContext(), arg.value);
}

/// Numbers are builtin scalars: i64, f64, i1 or complex<f64>.
Result<Value> GraphImporter::convertNumber(const Argument &arg) {
  Location loc = b.getUnknownLoc();
  auto constant = [&](mlir::TypedAttr value) -> Value {
    return mlir::arith::ConstantOp::create(b, loc, value);
  };
  if (auto *integer = arg.as<int64_t>())
    return constant(b.getI64IntegerAttr(*integer));
  if (auto *number = arg.as<double>())
    return constant(b.getF64FloatAttr(*number));
  if (auto *flag = arg.as<bool>())
    return constant(b.getBoolAttr(*flag));
  if (auto *number = arg.as<std::complex<double>>()) {
    auto parts = b.getArrayAttr({b.getF64FloatAttr(number->real()),
                                 b.getF64FloatAttr(number->imag())});
    return mlir::complex::ConstantOp::create(
               b, loc, mlir::ComplexType::get(b.getF64Type()), parts)
        .getResult();
  }
  if (auto *symbol = arg.as<archive::SymIntArg>()) {
    if (!symbol->isName())
      return constant(b.getI64IntegerAttr(symbol->value));
    // As an expression, so that sizes which depend on it can be inferred.
    auto expr = getExpr(symbol->name);
    if (!expr)
      return getValue(symbol->name);
    return guard::ValueOp::create(b, loc, b.getI64Type(), *expr).getResult();
  }
  if (auto *symbol = arg.as<archive::SymFloatArg>())
    return symbol->isName() ? getValue(symbol->name)
                            : constant(b.getF64FloatAttr(symbol->value));
  if (auto *symbol = arg.as<archive::SymBoolArg>())
    return symbol->isName() ? getValue(symbol->name)
                            : constant(b.getBoolAttr(symbol->value));
  return Error::malformed("expected a number, found '" +
                          std::string(arg.tag()) + "'");
}

static Error cannotBe(const Argument &arg, const aten::ArgInfo &info) {
  return Error::malformed("'" + std::string(arg.tag()) +
                          "' cannot be the argument '" + info.name + "'");
}

/// An integer, which may be an expression if the argument is a size.
Result<Attribute> GraphImporter::convertInteger(const Argument &arg,
                                                const aten::ArgInfo &info) {
  ExprAttr expr;
  if (auto *integer = arg.as<int64_t>()) {
    expr = guard::getConstant(b.getContext(), *integer);
  } else if (auto *symbol = arg.as<archive::SymIntArg>()) {
    auto converted = toExpr(*symbol);
    if (!converted)
      return converted.takeError();
    expr = *converted;
  } else {
    return cannotBe(arg, info);
  }
  if (info.kind == ArgKind::SymInt)
    return Attribute(expr);
  if (auto constant = expr.getConstant())
    return Attribute(b.getI64IntegerAttr(*constant));
  return Error::unsupported(std::string("argument '") + info.name +
                            "' must be a plain integer, found '" +
                            expr.str() + "'");
}

/// The same of lists; one integer stands for all of a list of known length.
Result<Attribute> GraphImporter::convertIntegers(const Argument &arg,
                                                 const aten::ArgInfo &info) {
  SmallVector<ExprAttr> exprs;
  auto append = [&](int64_t value) {
    exprs.push_back(guard::getConstant(b.getContext(), value));
  };
  if (auto *list = arg.as<std::vector<int64_t>>()) {
    llvm::for_each(*list, append);
  } else if (auto *integer = arg.as<int64_t>()) {
    for (unsigned k = 0; k < std::max(1u, info.listSize); ++k)
      append(*integer);
  } else if (auto *list = arg.as<std::vector<archive::SymIntArg>>()) {
    for (const archive::SymIntArg &element : *list) {
      auto expr = toExpr(element);
      if (!expr)
        return expr.takeError();
      exprs.push_back(*expr);
    }
  } else if (auto *list = arg.as<archive::TensorsArg>();
             list && list->names.empty()) {
    // An empty list has no element type in the file.
  } else {
    return cannotBe(arg, info);
  }
  if (info.kind == ArgKind::SymIntList)
    return Attribute(guard::ShapeAttr::get(b.getContext(), exprs));
  SmallVector<int64_t> integers;
  for (ExprAttr expr : exprs) {
    if (!expr.isConstant())
      return Error::unsupported(std::string("argument '") + info.name +
                                "' must be plain integers, found '" +
                                expr.str() + "'");
    integers.push_back(*expr.getConstant());
  }
  return Attribute(b.getDenseI64ArrayAttr(integers));
}

/// How and where a tensor lies in memory.
Result<Attribute> GraphImporter::convertPlacement(const Argument &arg,
                                                  const aten::ArgInfo &info) {
  if (auto *layout = arg.as<archive::Layout>();
      layout && info.kind == ArgKind::Layout) {
    if (*layout != archive::Layout::Strided)
      return Error::unsupported("a sparse layout is asked for, expected "
                                "strided tensors");
    return Attribute(b.getStringAttr("strided"));
  }
  if (auto *device = arg.as<archive::Device>();
      device && info.kind == ArgKind::Device) {
    if (device->type == "meta")
      return Error::unsupported("device 'meta' holds no values");
    // A program runs on the device its caller asks for.
    return Attribute(b.getStringAttr("cpu"));
  }
  if (auto *format = arg.as<archive::MemoryFormat>();
      format && info.kind == ArgKind::MemoryFormat)
    return Attribute(b.getStringAttr(archive::memoryFormatName(*format)));
  return cannotBe(arg, info);
}

Result<Attribute> GraphImporter::convertAttribute(const Argument &arg,
                                                  const aten::ArgInfo &info) {
  switch (info.kind) {
  case ArgKind::Int:
  case ArgKind::SymInt:
    return convertInteger(arg, info);
  case ArgKind::IntList:
  case ArgKind::SymIntList:
    return convertIntegers(arg, info);
  case ArgKind::Layout:
  case ArgKind::Device:
  case ArgKind::MemoryFormat:
    return convertPlacement(arg, info);
  case ArgKind::Bool:
    if (auto *flag = arg.as<bool>())
      return Attribute(b.getBoolAttr(*flag));
    if (auto *integer = arg.as<int64_t>())
      return Attribute(b.getBoolAttr(*integer != 0));
    break;
  case ArgKind::Float:
    if (auto *number = arg.as<double>())
      return Attribute(b.getF64FloatAttr(*number));
    if (auto *integer = arg.as<int64_t>())
      return Attribute(b.getF64FloatAttr(double(*integer)));
    if (auto *symbol = arg.as<archive::SymFloatArg>();
        symbol && !symbol->isName())
      return Attribute(b.getF64FloatAttr(symbol->value));
    break;
  case ArgKind::String:
    if (auto *text = arg.as<std::string>())
      return Attribute(b.getStringAttr(*text));
    break;
  case ArgKind::DType:
    if (auto *dtype = arg.as<DType>())
      return Attribute(mlir::TypeAttr::get(
          guard::getElementType(b.getContext(), *dtype)));
    break;
  case ArgKind::BoolList:
    if (auto *list = arg.as<std::vector<bool>>())
      return Attribute(b.getDenseBoolArrayAttr(
          SmallVector<bool>(list->begin(), list->end())));
    break;
  case ArgKind::FloatList:
    if (auto *list = arg.as<std::vector<double>>())
      return Attribute(b.getDenseF64ArrayAttr(*list));
    break;
  default:
    break;
  }
  return cannotBe(arg, info);
}

Result<aten::ArgValue> GraphImporter::convert(const Argument &arg,
                                              const aten::ArgInfo &info) {
  if (arg.isNone())
    return aten::ArgValue();
  auto tensors = [&](const std::vector<std::string> &names)
      -> Result<aten::ArgValue> {
    SmallVector<Value> list;
    for (const std::string &name : names) {
      if (name.empty()) {
        list.push_back({});
        continue;
      }
      auto value = getValue(name);
      if (!value)
        return value.takeError();
      list.push_back(*value);
    }
    return aten::ArgValue(ArrayRef<Value>(list));
  };
  switch (info.kind) {
  case ArgKind::Tensor:
  case ArgKind::TensorOrNumber:
    if (auto *tensor = arg.as<archive::TensorArg>()) {
      auto value = getValue(tensor->name);
      if (!value)
        return value.takeError();
      return aten::ArgValue(*value);
    }
    if (info.kind == ArgKind::Tensor && !arg.as<archive::SymIntArg>())
      return Error::unsupported(std::string("argument '") + info.name +
                                "' must be a tensor, found '" +
                                std::string(arg.tag()) + "'");
    [[fallthrough]];
  case ArgKind::Number: {
    auto number = convertNumber(arg);
    if (!number)
      return number.takeError();
    return aten::ArgValue(*number);
  }
  case ArgKind::TensorList:
  case ArgKind::OptionalTensorList:
    if (auto *list = arg.as<archive::TensorsArg>())
      return tensors(list->names);
    if (auto *list = arg.as<archive::OptionalTensorsArg>())
      return tensors(list->names);
    return Error::malformed(std::string("argument '") + info.name +
                            "' must be a list of tensors, found '" +
                            std::string(arg.tag()) + "'");
  case ArgKind::Generator:
    return Error::unsupported("a random generator is passed");
  default: {
    auto attribute = convertAttribute(arg, info);
    if (!attribute)
      return attribute.takeError();
    return aten::ArgValue(*attribute);
  }
  }
}

/// Arguments of an operator whose schema is not known: tensors and numbers
/// become operands, the rest attributes by their tag.
Result<Attribute>
GraphImporter::convertUnknown(const Argument &arg,
                              SmallVectorImpl<Value> &operands) {
  auto operand = [&](const std::string &name) -> Result<Attribute> {
    if (name.empty())
      return Attribute(b.getUnitAttr());
    auto value = getValue(name);
    if (!value)
      return value.takeError();
    operands.push_back(*value);
    return Attribute(
        aten::OperandAttr::get(b.getContext(), operands.size() - 1));
  };
  auto list = [&](const std::vector<std::string> &names) -> Result<Attribute> {
    SmallVector<Attribute> elements;
    for (const std::string &name : names) {
      auto element = operand(name);
      if (!element)
        return element.takeError();
      elements.push_back(*element);
    }
    return Attribute(b.getArrayAttr(elements));
  };
  if (arg.isNone())
    return Attribute(b.getUnitAttr());
  if (auto *tensor = arg.as<archive::TensorArg>())
    return operand(tensor->name);
  if (auto *tensors = arg.as<archive::TensorsArg>())
    return list(tensors->names);
  if (auto *tensors = arg.as<archive::OptionalTensorsArg>())
    return list(tensors->names);
  if (auto *integer = arg.as<int64_t>())
    return Attribute(b.getI64IntegerAttr(*integer));
  if (auto *number = arg.as<double>())
    return Attribute(b.getF64FloatAttr(*number));
  if (auto *flag = arg.as<bool>())
    return Attribute(b.getBoolAttr(*flag));
  if (auto *text = arg.as<std::string>())
    return Attribute(b.getStringAttr(*text));
  if (auto *integers = arg.as<std::vector<int64_t>>())
    return Attribute(b.getDenseI64ArrayAttr(*integers));
  if (auto *numbers = arg.as<std::vector<double>>())
    return Attribute(b.getDenseF64ArrayAttr(*numbers));
  if (auto *flags = arg.as<std::vector<bool>>())
    return Attribute(b.getDenseBoolArrayAttr(
        SmallVector<bool>(flags->begin(), flags->end())));
  if (auto *symbol = arg.as<archive::SymIntArg>()) {
    auto expr = toExpr(*symbol);
    if (!expr)
      return expr.takeError();
    return Attribute(*expr);
  }
  if (auto *symbols = arg.as<std::vector<archive::SymIntArg>>()) {
    SmallVector<ExprAttr> exprs;
    for (const archive::SymIntArg &symbol : *symbols) {
      auto expr = toExpr(symbol);
      if (!expr)
        return expr.takeError();
      exprs.push_back(*expr);
    }
    return Attribute(guard::ShapeAttr::get(b.getContext(), exprs));
  }
  if (auto *dtype = arg.as<DType>())
    return Attribute(
        mlir::TypeAttr::get(guard::getElementType(b.getContext(), *dtype)));
  if (auto *format = arg.as<archive::MemoryFormat>())
    return Attribute(b.getStringAttr(archive::memoryFormatName(*format)));
  if (arg.as<archive::Device>())
    return Attribute(b.getStringAttr("cpu"));
  if (arg.as<archive::Layout>())
    return Attribute(b.getStringAttr("strided"));
  return Error::unsupported("an argument '" + std::string(arg.tag()) +
                            "' of an operator without a record");
}
