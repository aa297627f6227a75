//===- FunctionConverter.cpp - One function becomes a program -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace kiln;
using guard::ExprAttr;

Attribute CallArguments::getOperand(Value value) {
  auto *known = llvm::find(operands, value);
  unsigned index = known - operands.begin();
  if (known == operands.end())
    operands.push_back(value);
  return program::OperandAttr::get(value.getContext(), index);
}

aten::InputAttr Source::getInput(unsigned k) {
  if (!isFunction())
    return {};
  return function.getArgAttrOfType<aten::InputAttr>(k, aten::kInputAttrName);
}

guard::ShapeAttr Source::getStrides(unsigned k) {
  if (!isFunction())
    return {};
  if (auto laid = function.getArgAttrOfType<guard::ShapeAttr>(
          k, loop::kStridesAttrName))
    return laid;
  aten::InputAttr input = getInput(k);
  return input ? input.getStrides() : guard::ShapeAttr();
}

aten::OutputAttr Source::getOutput(unsigned k) {
  if (!isFunction())
    return {};
  return function.getResultAttrOfType<aten::OutputAttr>(k,
                                                        aten::kOutputAttrName);
}

FailureOr<Type> FunctionConverter::getType(Type type, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return Type(program::NumberType::get(type.getContext()));
  auto dims = guard::getDims(tensor);
  if (!dims)
    return emitError(loc, "a tensor has a dynamic size without a symbol");
  auto dtype = guard::getDType(tensor.getElementType());
  if (!dtype)
    return emitError(loc) << "element type " << tensor.getElementType()
                          << " has no counterpart at run time";
  return Type(program::BufferType::get(
      type.getContext(), *dims,
      guard::getElementType(type.getContext(), *dtype), {}));
}

FailureOr<SmallVector<Type>> FunctionConverter::getTypes(TypeRange types,
                                                         Location loc) {
  SmallVector<Type> converted;
  for (Type given : types) {
    FailureOr<Type> type = getType(given, loc);
    if (failed(type))
      return failure();
    converted.push_back(*type);
  }
  return converted;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

FailureOr<Attribute> FunctionConverter::toArgument(Value value,
                                                   CallArguments &arguments,
                                                   Operation *op) {
  if (Attribute number = numbers.lookup(value))
    return number;
  if (Value converted = lookUp(value))
    return arguments.getOperand(converted);
  return op->emitError("an operand of '")
         << op->getName() << "' has no value in a program";
}

LogicalResult FunctionConverter::addArgument(Value value,
                                             CallArguments &arguments,
                                             Operation *op) {
  FailureOr<Attribute> argument = toArgument(value, arguments, op);
  if (succeeded(argument))
    arguments.list.push_back(*argument);
  return argument;
}

FailureOr<CallArguments>
FunctionConverter::toArguments(ArrayAttr values, ValueRange operands,
                               Operation *op) {
  CallArguments arguments;
  for (Attribute value : values) {
    FailureOr<Attribute> argument = toArgument(value, operands, arguments, op);
    if (failed(argument))
      return failure();
    arguments.list.push_back(*argument);
  }
  return arguments;
}

FailureOr<Attribute> FunctionConverter::toArgument(Attribute value,
                                                   ValueRange operands,
                                                   CallArguments &arguments,
                                                   Operation *op) {
  Builder &b = builder;
  if (!value || isa<UnitAttr>(value))
    return Attribute(b.getUnitAttr());
  if (auto index = getOperandIndex(value))
    return toArgument(operands[*index], arguments, op);
  if (auto expr = dyn_cast<ExprAttr>(value)) {
    if (auto constant = expr.getConstant())
      return Attribute(b.getI64IntegerAttr(*constant));
    return value;
  }
  auto list = [&](auto range) -> FailureOr<Attribute> {
    SmallVector<Attribute> items;
    for (Attribute element : range) {
      FailureOr<Attribute> item = toArgument(element, operands, arguments, op);
      if (failed(item))
        return failure();
      items.push_back(*item);
    }
    return Attribute(b.getArrayAttr(items));
  };
  if (auto shape = dyn_cast<guard::ShapeAttr>(value))
    return list(shape.getDims());
  if (auto array = dyn_cast<ArrayAttr>(value))
    return list(array.getValue());
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(value))
    return Attribute(b.getI64ArrayAttr(integers));
  if (auto floats = dyn_cast<DenseF64ArrayAttr>(value))
    return Attribute(b.getF64ArrayAttr(floats));
  if (auto flags = dyn_cast<DenseBoolArrayAttr>(value))
    return Attribute(b.getBoolArrayAttr(flags));
  if (auto type = dyn_cast<TypeAttr>(value)) {
    if (auto dtype = guard::getDType(type.getValue()))
      return Attribute(
          TypeAttr::get(guard::getElementType(b.getContext(), *dtype)));
    return op->emitError("element type ")
           << type.getValue() << " has no counterpart at run time";
  }
  if (isa<BoolAttr, StringAttr>(value))
    return value;
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return Attribute(b.getI64IntegerAttr(integer.getInt()));
  if (auto number = dyn_cast<FloatAttr>(value))
    return Attribute(b.getF64FloatAttr(number.getValueAsDouble()));
  return op->emitError("attribute '")
         << value << "' cannot be an argument of an operator";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// True for a result that nothing reads, neither its elements nor its sizes: the
/// operator may leave it out, as convolution_backward by its mask.
bool FunctionConverter::mayBeLeftOut(Operation &op, Value result) {
  if (!result.use_empty())
    return false;
  if (isa<aten::OperatorOp>(op))
    return true;
  auto type = dyn_cast<RankedTensorType>(result.getType());
  auto dims = type ? guard::getDims(type) : std::nullopt;
  if (!dims || op.getNumResults() < 2)
    return false;
  return llvm::none_of(*dims, [&](ExprAttr size) {
    return size.isSymbol() && stepSymbols.contains(size.getSymbol());
  });
}

FailureOr<Type> FunctionConverter::getResultType(Operation &op, Value result) {
  if (mayBeLeftOut(op, result))
    return Type(builder.getNoneType());
  return getType(result.getType(), op.getLoc());
}

void FunctionConverter::mapResults(Operation &op, ValueRange results) {
  for (auto [from, to] : llvm::zip_equal(op.getResults(), results))
    if (!isa<NoneType>(to.getType()))
      values[from] = to;
  defineSizes(op);
}

LogicalResult FunctionConverter::addCall(Operation &op, StringRef overload,
                                         CallArguments arguments,
                                         StringRef reason) {
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    FailureOr<Type> type = getResultType(op, result);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  // Registered names carry namespace and overload: `aten.mm.default` for
  // "aten::mm".
  std::string name = overload.str();
  if (size_t colons = name.find("::"); colons != std::string::npos)
    name.replace(colons, 2, ".");
  if (StringRef(name).count('.') == 1)
    name += ".default";
  if (ignoreStrides && name == "aten.view.default")
    name = "aten.reshape.default";
  auto call = program::CallOp::create(
      builder, op.getLoc(), types, builder.getStringAttr(name),
      arguments.operands, builder.getArrayAttr(arguments.list),
      reason.empty() ? StringAttr() : builder.getStringAttr(reason));
  mapResults(op, call.getResults());
  return success();
}

void FunctionConverter::defineNumber(StringAttr symbol, Value number) {
  if (stepSymbols.contains(symbol) && defined.insert(symbol).second)
    program::DefineOp::create(builder, number.getLoc(), symbol, lookUp(number),
                              IntegerAttr());
}

void FunctionConverter::defineSizes(Operation &op) {
  for (Value result : op.getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !lookUp(result))
      continue;
    for (auto [dim, size] : llvm::enumerate(*guard::getDims(type)))
      if (size.isSymbol() && stepSymbols.contains(size.getSymbol()) &&
          defined.insert(size.getSymbol()).second)
        program::DefineOp::create(builder, op.getLoc(), size.getSymbol(),
                                  lookUp(result),
                                  builder.getI64IntegerAttr(dim));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What may stand in any function: constants, sizes, checks.
LogicalResult FunctionConverter::convertShared(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    CallArguments none;
    FailureOr<Attribute> number =
        toArgument(constant.getValue(), {}, none, &op);
    if (succeeded(number))
      numbers[constant.getResult()] = *number;
    return number;
  }
  if (auto constant = dyn_cast<complex::ConstantOp>(op)) {
    auto part = [&](unsigned k) {
      return cast<FloatAttr>(constant.getValue()[k]).getValueAsDouble();
    };
    numbers[constant.getResult()] = complex::NumberAttr::get(
        ComplexType::get(builder.getF64Type()), part(0), part(1));
    return success();
  }
  if (auto value = dyn_cast<guard::ValueOp>(op)) {
    numbers[value.getResult()] = value.getExpr();
    return success();
  }
  if (auto check = dyn_cast<guard::AssertOp>(op)) {
    program::AssertOp::create(builder, op.getLoc(), check.getCondition(),
                              check.getMessage());
    return success();
  }
  return op.emitError("op '")
         << op.getName()
         << "' cannot be run: expected an operator or a launch";
}

LogicalResult FunctionConverter::addOutputs(Operation *terminator) {
  Operation &op = *terminator;
  SmallVector<Attribute> outputs;
  CallArguments arguments;
  for (auto [k, value] : llvm::enumerate(op.getOperands())) {
    aten::OutputAttr given = source.getOutput(k);
    auto role = program::Role::UserOutput;
    StringAttr name, path, target;
    Attribute number;
    if (given) {
      // The enumerations list the same kinds in the same order.
      role = static_cast<program::Role>(given.getKind());
      name = given.getName();
      path = given.getPath();
      target = given.getTarget();
      number = given.getValue();
    }
    if (!number)
      number = numbers.lookup(value);
    if (isa_and_present<complex::NumberAttr>(number))
      return op.emitError("a complex number is returned");
    if (!number) {
      Value converted = lookUp(value);
      if (!converted)
        return op.emitError("result ") << k << " has no value in a program";
      arguments.operands.push_back(converted);
    }
    outputs.push_back(program::OutputAttr::get(builder.getContext(), role, name,
                                               path, target, number));
  }
  program::ReturnOp::create(builder, op.getLoc(), arguments.operands,
                            builder.getArrayAttr(outputs));
  return success();
}

FailureOr<program::FuncOp> FunctionConverter::run() {
  func::FuncOp function = source.function;
  if (!source.body->hasOneBlock())
    return function.emitError("function '")
           << function.getName() << "' has control flow between blocks";
  builder.setInsertionPoint(function);
  program = program::FuncOp::create(builder, function.getLoc(), source.name);
  if (!source.isFunction() || function.isPrivate())
    program.setSymVisibility("private");
  // What passes noted about the function stays with it.
  if (source.isFunction())
    program->setDiscardableAttrs(function->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(&program.getBody().front());
  if (failed(addSlots()) || failed(addSymbols()))
    return failure();
  Block &block = source.body->front();
  for (Operation &op : block.without_terminator()) {
    std::optional<LogicalResult> converted = convertOp(op);
    if (failed(converted ? *converted : convertShared(op)))
      return failure();
  }
  if (failed(addOutputs(block.getTerminator())))
    return failure();
  return program;
}
