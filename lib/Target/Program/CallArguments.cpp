//===- CallArguments.cpp - Arguments of calls -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"

#include "kiln/Package/ExprEvaluator.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::Argument;
using package::ValueId;

/// An expression can be evaluated: its symbols have their values by now.
Status Exporter::checkGiven(package::ExprId expr) {
  for (uint32_t k : package::symbolsOf(program.exprs[expr]))
    if (program.symbols[k].source == package::Symbol::Source::Step &&
        !defined.contains(k))
      return Error::malformed("the symbol '" + program.symbols[k].name +
                              "' is read in '" + function.getName().str() +
                              "' before an operation gives it a value");
  return Status::success();
}

Result<package::ExprId> Exporter::evaluated(ExprAttr expr) {
  auto id = exprs->get(expr);
  if (id)
    if (Status s = checkGiven(*id); !s)
      return s.takeError();
  return id;
}

Result<Argument> Exporter::toArgument(Value value) {
  auto number = numbers.find(value);
  if (number != numbers.end()) {
    if (auto *expr = std::get_if<Argument::ExprRef>(&number->second.value))
      if (Status s = checkGiven(expr->expr); !s)
        return s.takeError();
    return number->second;
  }
  auto it = values.find(value);
  if (it == values.end())
    return Error::internal("an operand is not defined by an exported op");
  Argument argument;
  if (llvm::isa<RankedTensorType>(value.getType()))
    argument.value = Argument::TensorRef{it->second};
  else
    argument.value = Argument::ScalarRef{it->second};
  return argument;
}

/// Attributes of ops; `#loop.operand<k>` and `#aten.operand<k>` stand for
/// operands.
Result<Argument> Exporter::toArgument(Attribute value, ValueRange operands) {
  Argument argument;
  if (!value || llvm::isa<mlir::UnitAttr>(value)) {
    argument.value = Argument::None{};
    return argument;
  }
  if (auto operand = llvm::dyn_cast<loop::OperandAttr>(value))
    return toArgument(operands[operand.getIndex()]);
  if (auto operand = llvm::dyn_cast<aten::OperandAttr>(value))
    return toArgument(operands[operand.getIndex()]);
  if (auto expr = llvm::dyn_cast<ExprAttr>(value)) {
    if (auto constant = expr.getConstant()) {
      argument.value = *constant;
      return argument;
    }
    auto id = evaluated(expr);
    if (!id)
      return id.takeError();
    argument.value = Argument::ExprRef{*id};
    return argument;
  }
  Argument::List list;
  auto append = [&](auto &&element) -> Status {
    Argument item;
    item.value = element;
    list.push_back(std::move(item));
    return Status::success();
  };
  if (auto shape = llvm::dyn_cast<guard::ShapeAttr>(value)) {
    for (ExprAttr expr : shape) {
      auto item = toArgument(expr, operands);
      if (!item)
        return item.takeError();
      list.push_back(*item);
    }
    argument.value = std::move(list);
    return argument;
  }
  if (auto integers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value)) {
    for (int64_t element : integers.asArrayRef())
      (void)append(element);
    argument.value = std::move(list);
    return argument;
  }
  if (auto floats = llvm::dyn_cast<mlir::DenseF64ArrayAttr>(value)) {
    for (double element : floats.asArrayRef())
      (void)append(element);
    argument.value = std::move(list);
    return argument;
  }
  if (auto flags = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(value)) {
    for (bool element : flags.asArrayRef())
      (void)append(element);
    argument.value = std::move(list);
    return argument;
  }
  if (auto array = llvm::dyn_cast<mlir::ArrayAttr>(value)) {
    for (Attribute element : array) {
      auto item = toArgument(element, operands);
      if (!item)
        return item.takeError();
      list.push_back(*item);
    }
    argument.value = std::move(list);
    return argument;
  }
  if (auto type = llvm::dyn_cast<mlir::TypeAttr>(value)) {
    auto dtype = runtimeType(type.getValue());
    if (!dtype)
      return dtype.takeError();
    argument.value = Argument::DTypeRef{*dtype};
    return argument;
  }
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value)) {
    argument.value = flag.getValue();
    return argument;
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value)) {
    argument.value = integer.getInt();
    return argument;
  }
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value)) {
    argument.value = number.getValueAsDouble();
    return argument;
  }
  if (auto text = llvm::dyn_cast<StringAttr>(value)) {
    argument.value = text.getValue().str();
    return argument;
  }
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return Error::unsupported("attribute '" + text + "' cannot be an argument of "
                            "an operator");
}

Result<Argument> Exporter::toArgument(const aten::ArgValue &value,
                                      const aten::ArgInfo &info) {
  if (value.isNone())
    return toArgument(aten::getDefault(function.getContext(), info), {});
  if (value.isAttribute())
    return toArgument(value.getAttribute(), {});
  if (value.isValue())
    return toArgument(value.getValue());
  Argument::List list;
  for (Value element : value.getValues()) {
    if (!element) {
      list.emplace_back();
      list.back().value = Argument::None{};
      continue;
    }
    auto item = toArgument(element);
    if (!item)
      return item.takeError();
    list.push_back(*item);
  }
  Argument argument;
  argument.value = std::move(list);
  return argument;
}
