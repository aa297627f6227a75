//===- Signature.cpp - Inputs and outputs of a program --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::Argument;
using package::ValueId;

/// The element type at run time, or an error that shows the type.
Result<DType> target::runtimeType(Type type) {
  if (auto dtype = guard::getDType(type))
    return *dtype;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return Error::unsupported("element type '" + text +
                            "' has no counterpart at run time");
}

/// A constant input or output; nothing for expressions.
std::optional<package::Constant> target::toConstant(Attribute value) {
  if (llvm::isa<mlir::UnitAttr>(value))
    return package::Constant(std::monostate());
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value))
    return package::Constant(flag.getValue());
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
    return package::Constant(integer.getInt());
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value))
    return package::Constant(number.getValueAsDouble());
  if (auto text = llvm::dyn_cast<StringAttr>(value))
    return package::Constant(text.getValue().str());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

static package::Slot::Kind toKind(aten::InputKind kind) {
  // The enumerations list the same kinds in the same order.
  return static_cast<package::Slot::Kind>(kind);
}

/// Gives each symbol the place in the inputs where it can be read.
Status Exporter::addSymbols() {
  llvm::MapVector<StringAttr, std::optional<package::Symbol>> found;
  auto mention = [&](ExprAttr expr) {
    SmallVector<StringAttr> names;
    guard::collectSymbols(expr, names);
    for (StringAttr name : names)
      found.try_emplace(name, std::nullopt);
  };
  // s = (size - offset) / scale, if the size is that linear.
  auto read = [&](ExprAttr size, uint32_t slot, uint32_t dim, bool bareOnly) {
    SmallVector<StringAttr> names;
    guard::collectSymbols(size, names);
    if (names.size() != 1)
      return;
    std::optional<package::Symbol> &symbol = found[names[0]];
    if (symbol)
      return;
    ExprAttr leaf = guard::getSymbol(size.getContext(), names[0].getValue());
    auto scale = guard::getCoefficient(size, leaf);
    if (!scale || !scale->isConstant() || scale->isConstant(0))
      return;
    auto offset = (size - leaf * *scale).getConstant();
    if (!offset || (bareOnly && size != leaf))
      return;
    symbol.emplace();
    symbol->name = names[0].str();
    symbol->slot = slot;
    symbol->dim = dim;
    symbol->scale = *scale->getConstant();
    symbol->offset = *offset;
  };

  for (bool bareOnly : {true, false})
    for (auto [slot, type] : llvm::enumerate(function.getArgumentTypes()))
      if (auto tensor = llvm::dyn_cast<RankedTensorType>(type)) {
        auto dims = guard::getDims(tensor);
        if (!dims)
          return Error::malformed("argument " + std::to_string(slot) +
                                  " has a dynamic size without a symbol");
        for (auto [dim, size] : llvm::enumerate(*dims)) {
          mention(size);
          read(size, slot, dim, bareOnly);
        }
      }
  for (unsigned slot = 0; slot < function.getNumArguments(); ++slot) {
    auto input = function.getArgAttrOfType<aten::InputAttr>(
        slot, aten::kInputAttrName);
    if (!input)
      continue;
    if (auto expr = llvm::dyn_cast_if_present<ExprAttr>(input.getValue())) {
      mention(expr);
      if (expr.isSymbol() && !found[expr.getSymbol()]) {
        package::Symbol symbol;
        symbol.name = expr.getSymbol().str();
        symbol.source = package::Symbol::Source::InputScalar;
        symbol.slot = slot;
        found[expr.getSymbol()] = symbol;
      }
    }
    if (guard::ShapeAttr strides = input.getStrides())
      for (ExprAttr stride : strides)
        mention(stride);
  }
  // Whatever else is mentioned is defined by an op as the program runs.
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = llvm::dyn_cast<RankedTensorType>(type))
        if (auto dims = guard::getDims(tensor))
          for (ExprAttr size : *dims)
            mention(size);
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](ExprAttr expr) { mention(expr); });
  });

  auto module = function->getParentOfType<ModuleOp>();
  for (auto &[name, symbol] : found) {
    if (!symbol) {
      symbol.emplace();
      symbol->name = name.str();
      symbol->source = package::Symbol::Source::Step;
    }
    symbol->isFloat = guard::isFloatSymbolName(name.getValue());
    // Sizes are not negative even where nothing was declared.
    if (symbol->source != package::Symbol::Source::InputSize)
      symbol->min = std::numeric_limits<int64_t>::min();
    if (auto declared = module.lookupSymbol<guard::SymbolOp>(name)) {
      symbol->min = std::max(symbol->min, declared.getLowerBound());
      symbol->max = declared.getUpperBound();
    }
    program.symbols.push_back(*symbol);
  }
  return Status::success();
}

Status Exporter::addSlots() {
  for (unsigned k = 0; k < function.getNumArguments(); ++k) {
    Value argument = function.getArgument(k);
    auto input =
        function.getArgAttrOfType<aten::InputAttr>(k, aten::kInputAttrName);
    package::Slot slot;
    slot.name = "arg" + std::to_string(k);
    if (input) {
      slot.kind = toKind(input.getKind());
      if (input.getName())
        slot.name = input.getName().str();
      if (input.getPath())
        slot.path = input.getPath().str();
      slot.requiresGrad = input.getRequiresGrad();
    }
    auto tensor = llvm::dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor) {
      slot.isTensor = false;
      Attribute value = input ? input.getValue() : Attribute();
      if (value)
        if (auto constant = toConstant(value))
          slot.constant = *constant;
      slot.isSymbolic = llvm::isa_and_present<ExprAttr>(value) || !value;
      if (slot.isSymbolic && value) {
        auto id = exprs->get(llvm::cast<ExprAttr>(value));
        if (!id)
          return id.takeError();
        numbers[argument].value = Argument::ExprRef{*id};
      }
      program.slots.push_back(std::move(slot));
      continue;
    }
    auto dtype = runtimeType(tensor.getElementType());
    if (!dtype)
      return dtype.error().withContext("argument '" + slot.name + "'");
    slot.dtype = *dtype;
    auto sizes = sizesOf(argument);
    if (!sizes)
      return sizes.takeError();
    slot.sizes = *sizes;
    SmallVector<ExprAttr> strides = guard::getContiguousStrides(
        tensor.getContext(), *guard::getDims(tensor));
    if (input && input.getStrides())
      strides = llvm::to_vector(input.getStrides().getDims());
    auto strideIds = exprs->get(strides);
    if (!strideIds)
      return strideIds.takeError();
    slot.strides = *strideIds;

    package::Value value;
    value.kind = package::Value::Kind::Slot;
    value.slot = program.slots.size();
    value.strides = slot.strides;
    program.slots.push_back(std::move(slot));
    if (auto id = addResult(argument, std::move(value)); !id)
      return id.takeError();
  }
  return Status::success();
}

Result<std::vector<package::ExprId>> Exporter::sizesOf(Value tensor) {
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  auto dims = guard::getDims(type);
  if (!dims)
    return Error::malformed("a tensor has a dynamic size without a symbol");
  return exprs->get(*dims);
}

Result<ValueId> Exporter::addResult(Value result, package::Value value) {
  if (auto type = llvm::dyn_cast<RankedTensorType>(result.getType())) {
    auto dtype = runtimeType(type.getElementType());
    if (!dtype)
      return dtype.takeError();
    value.dtype = *dtype;
    auto sizes = sizesOf(result);
    if (!sizes)
      return sizes.takeError();
    value.sizes = *sizes;
  }
  ValueId id = program.values.size();
  values[result] = id;
  program.values.push_back(std::move(value));
  return id;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static package::Output::Role toRole(aten::OutputKind kind) {
  return static_cast<package::Output::Role>(kind);
}

Status Exporter::addOutputs(mlir::func::ReturnOp op) {
  for (auto [k, value] : llvm::enumerate(op.getOperands())) {
    package::Output output;
    auto attribute = function.getResultAttrOfType<aten::OutputAttr>(
        k, aten::kOutputAttrName);
    Attribute given;
    if (attribute) {
      output.role = toRole(attribute.getKind());
      if (attribute.getName())
        output.name = attribute.getName().str();
      if (attribute.getPath())
        output.path = attribute.getPath().str();
      if (attribute.getTarget())
        output.target = attribute.getTarget().str();
      given = attribute.getValue();
    }
    if (given && !llvm::isa<ExprAttr>(given)) {
      auto constant = toConstant(given);
      if (!constant)
        return Error::internal("an output has a value of unknown kind");
      output.kind = package::Output::Kind::Constant;
      output.constant = *constant;
      program.outputs.push_back(std::move(output));
      continue;
    }
    if (auto expr = llvm::dyn_cast_if_present<ExprAttr>(given)) {
      auto id = evaluated(expr);
      if (!id)
        return id.takeError();
      output.kind = package::Output::Kind::Expr;
      output.expr = *id;
      program.outputs.push_back(std::move(output));
      continue;
    }
    auto argument = toArgument(value);
    if (!argument)
      return argument.takeError();
    if (auto *tensor = std::get_if<Argument::TensorRef>(&argument->value)) {
      output.value = tensor->value;
      const package::Value &held = program.values[tensor->value];
      if (held.kind == package::Value::Kind::Slot)
        output.aliasOfSlot = held.slot;
    } else if (auto *expr = std::get_if<Argument::ExprRef>(&argument->value)) {
      output.kind = package::Output::Kind::Expr;
      output.expr = expr->expr;
    } else if (auto *number =
                   std::get_if<Argument::ScalarRef>(&argument->value)) {
      output.kind = package::Output::Kind::Scalar;
      output.value = number->value;
    } else {
      output.kind = package::Output::Kind::Constant;
      if (auto *flag = std::get_if<bool>(&argument->value))
        output.constant = *flag;
      else if (auto *integer = std::get_if<int64_t>(&argument->value))
        output.constant = *integer;
      else if (auto *number = std::get_if<double>(&argument->value))
        output.constant = *number;
      else
        return Error::unsupported("a complex number is returned");
    }
    // A mutation names what it changes; find its slot.
    using Role = package::Output::Role;
    if (output.role == Role::BufferMutation ||
        output.role == Role::ParameterMutation ||
        output.role == Role::InputMutation) {
      output.aliasOfSlot = package::kNone;
      for (auto [slot, input] : llvm::enumerate(program.slots))
        if (output.role == Role::InputMutation
                ? input.name == output.target
                : input.path == output.target &&
                      input.kind != package::Slot::Kind::UserInput)
          output.aliasOfSlot = slot;
      if (output.aliasOfSlot == package::kNone)
        return Error::malformed("output " + std::to_string(k) + " changes '" +
                                output.target + "', which is no input");
    }
    program.outputs.push_back(std::move(output));
  }
  return Status::success();
}
