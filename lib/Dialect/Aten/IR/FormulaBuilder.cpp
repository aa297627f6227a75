//===- FormulaBuilder.cpp - Ops as formulas -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"

using namespace kiln;
using namespace kiln::aten;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

ArgValue FormulaBuilder::get(const Operand &arg) {
  if (const Value *value = std::get_if<Value>(&arg.content))
    return *value;
  if (const int64_t *integer = std::get_if<int64_t>(&arg.content))
    return builder.getI64IntegerAttr(*integer);
  if (const double *real = std::get_if<double>(&arg.content))
    return builder.getF64FloatAttr(*real);
  if (const ExprAttr *expr = std::get_if<ExprAttr>(&arg.content))
    return *expr;
  return builder.getBoolAttr(std::get<bool>(arg.content));
}

ArgValue FormulaBuilder::get(const IntArg &arg) {
  return arg.get() ? builder.getI64IntegerAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const BoolArg &arg) {
  return arg.get() ? builder.getBoolAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const FloatArg &arg) {
  return arg.get() ? builder.getF64FloatAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const TextArg &arg) {
  return arg.get() ? builder.getStringAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const TypeArg &arg) {
  return arg.get() ? mlir::TypeAttr::get(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const SizeArg &arg) {
  if (!arg.get())
    return {};
  if (const int64_t *number = std::get_if<int64_t>(&*arg.get()))
    return guard::getConstant(getContext(), *number);
  return std::get<ExprAttr>(*arg.get());
}

ArgValue FormulaBuilder::get(const IntsArg &arg) {
  return arg.get() ? builder.getDenseI64ArrayAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const BoolsArg &arg) {
  return arg.get() ? builder.getDenseBoolArrayAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const FloatsArg &arg) {
  return arg.get() ? builder.getDenseF64ArrayAttr(*arg.get()) : ArgValue();
}

ArgValue FormulaBuilder::get(const SizesArg &arg) {
  return arg.get() ? guard::ShapeAttr::get(getContext(), *arg.get())
                   : ArgValue();
}

ArgValue FormulaBuilder::get(const TensorsArg &arg) {
  return arg.get() ? ArgValue(ArrayRef<Value>(*arg.get())) : ArgValue();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// True if an argument that has to be given is null.
static bool isMissing(const ArgInfo &info, const ArgValue &arg) {
  if (info.kind == ArgKind::TensorList)
    return llvm::is_contained(arg.getValues(), Value());
  if (info.isOptional || info.kind == ArgKind::Generator ||
      info.kind == ArgKind::OptionalTensorList)
    return false;
  return arg.isNone() && (info.isOperand() || !info.defaultText);
}

Operation *FormulaBuilder::build(unsigned record, ArrayRef<ArgValue> args) {
  const OpInfo &info = *getAllOverloads()[record];
  for (auto [declared, arg] : llvm::zip_equal(info.args, args))
    if (isMissing(declared, arg))
      return nullptr;
  return buildAtenOp(builder, loc, info, args);
}

Value FormulaBuilder::buildOne(unsigned record, ArrayRef<ArgValue> args) {
  const OpInfo &info = *getAllOverloads()[record];
  if (!info.isView && !info.isSilentView) {
    Operation *op = build(record, args);
    return op ? Value(op->getResult(0)) : Value();
  }
  for (auto [declared, arg] : llvm::zip_equal(info.args, args))
    if (isMissing(declared, arg))
      return {};
  // As `createOrFold`: nobody hears of what is not needed. Arguments of views
  // are no numbers, so nothing else is built.
  OpBuilder detached(getContext());
  Operation *op = buildAtenOp(detached, loc, info, args);
  if (!op)
    return {};
  if (Value same = getSameView(op)) {
    op->destroy();
    return same;
  }
  return builder.insert(op)->getResult(0);
}

#include "kiln/Dialect/Aten/IR/AtenFormulas.cpp.inc"
