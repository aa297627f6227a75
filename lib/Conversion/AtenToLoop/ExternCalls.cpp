//===- ExternCalls.cpp - Operators that become calls ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// Lists of numbers as plain lists.
static Attribute flatten(Attribute attribute, Builder &builder) {
  SmallVector<Attribute> list;
  if (auto ints = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    for (int64_t value : ints.asArrayRef())
      list.push_back(builder.getI64IntegerAttr(value));
    return builder.getArrayAttr(list);
  }
  if (auto bools = dyn_cast<DenseBoolArrayAttr>(attribute)) {
    for (bool value : bools.asArrayRef())
      list.push_back(builder.getBoolAttr(value));
    return builder.getArrayAttr(list);
  }
  if (auto floats = dyn_cast<DenseF64ArrayAttr>(attribute)) {
    for (double value : floats.asArrayRef())
      list.push_back(builder.getF64FloatAttr(value));
    return builder.getArrayAttr(list);
  }
  if (auto shape = dyn_cast<guard::ShapeAttr>(attribute)) {
    list.append(shape.begin(), shape.end());
    return builder.getArrayAttr(list);
  }
  return attribute;
}

Attribute Converter::getExternOperand(Value value,
                                      SmallVectorImpl<Value> &operands) {
  OpBuilder &builder = loops.getBuilder();
  if (!value)
    return builder.getUnitAttr();
  Attribute constant;
  if (!isa<TensorType>(value.getType())) {
    // A complex number has no attribute of its own and stays a value.
    if (!isa<ComplexType>(value.getType()) &&
        matchPattern(value, m_Constant(&constant)))
      return constant;
    if (auto symbolic = value.getDefiningOp<guard::ValueOp>())
      return symbolic.getExpr();
    Value mapped = scalars.lookup(value);
    value = mapped ? mapped : value;
  } else {
    value = loops.materialize(value);
  }
  auto *known = llvm::find(operands, value);
  unsigned position = known - operands.begin();
  if (known == operands.end())
    operands.push_back(value);
  return OperandAttr::get(builder.getContext(), position);
}

Attribute Converter::getExternArgument(const aten::ArgValue &arg,
                                       const aten::ArgInfo &info,
                                       SmallVectorImpl<Value> &operands) {
  OpBuilder &builder = loops.getBuilder();
  if (arg.isNone()) {
    Attribute value = aten::getDefault(builder.getContext(), info);
    return value ? flatten(value, builder) : builder.getUnitAttr();
  }
  if (arg.isAttribute())
    return flatten(arg.getAttribute(), builder);
  if (!arg.isList())
    return getExternOperand(arg.getValue(), operands);
  SmallVector<Attribute> list;
  for (Value value : arg.getValues())
    list.push_back(getExternOperand(value, operands));
  return builder.getArrayAttr(list);
}

/// The overload that `aten.operator` names, and its arguments, whose operand
/// references become ours.
std::optional<std::string>
Converter::readOperatorOp(Operation *op, SmallVectorImpl<Value> &operands,
                          SmallVectorImpl<Attribute> &arguments) {
  auto name = op->getAttrOfType<StringAttr>("name");
  auto given = op->getAttrOfType<ArrayAttr>("args");
  if (!name || !given)
    return std::nullopt;
  std::string overload = name.getValue().str();
  if (size_t colons = overload.find("::"); colons != std::string::npos)
    overload.replace(colons, 2, ".");
  if (StringRef(overload).count('.') == 1)
    overload += ".default";
  OpBuilder &builder = loops.getBuilder();
  std::function<Attribute(Attribute)> translate =
      [&](Attribute attribute) -> Attribute {
    if (auto reference = dyn_cast<aten::OperandAttr>(attribute))
      return getExternOperand(op->getOperand(reference.getIndex()), operands);
    if (auto list = dyn_cast<ArrayAttr>(attribute))
      return builder.getArrayAttr(llvm::map_to_vector(list, translate));
    return flatten(attribute, builder);
  };
  for (Attribute attribute : given)
    arguments.push_back(translate(attribute));
  return overload;
}

LogicalResult Converter::makeExtern(Operation *op, const aten::OpInfo *info,
                                    StringRef why) {
  OpBuilder &builder = loops.getBuilder();
  SmallVector<Value> operands;
  SmallVector<Attribute> arguments;
  std::string overload;
  if (info) {
    aten::OperatorCall call = aten::getOperatorCall(op);
    overload = call.overload;
    for (auto [arg, argInfo] : call.arguments)
      arguments.push_back(getExternArgument(arg, *argInfo, operands));
  } else {
    auto known = readOperatorOp(op, operands, arguments);
    if (!known)
      return op->emitOpError("is no operator that a program can call; expected "
                             "graphs as 'aten-decompose' leaves them");
    overload = *known;
  }
  auto call =
      ExternOp::create(builder, op->getLoc(), op->getResultTypes(), overload,
                       operands, builder.getArrayAttr(arguments),
                       why.empty() ? StringAttr() : builder.getStringAttr(why));
  // The symbol that a size or number which only the run knows is bound to.
  for (StringRef name : {"symbol", "symbols"})
    if (Attribute symbol = op->getAttr(name))
      call->setAttr(name, symbol);
  if (!why.empty())
    tellNoKernel(op->getLoc(), overload, why);
  for (auto [i, value] : llvm::enumerate(call.getResults())) {
    if (isa<RankedTensorType>(value.getType()))
      loops.setResult(i, value);
    else
      scalars[op->getResult(i)] = value;
  }
  return success();
}
