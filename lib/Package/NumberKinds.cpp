//===- NumberKinds.cpp - What kind of number a program gives --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/NumberKinds.h"

#include "ExprCode.h"
#include "kiln/Package/ExprEvaluator.h"

namespace kiln::package {

NumberKind kindOf(const Constant &constant) {
  if (std::holds_alternative<bool>(constant))
    return NumberKind::Bool;
  if (std::holds_alternative<int64_t>(constant))
    return NumberKind::Int;
  return std::holds_alternative<double>(constant) ? NumberKind::Float
                                                  : NumberKind::None;
}

NumberKind kindOf(DType dtype) {
  if (dtype == DType::Bool)
    return NumberKind::Bool;
  if (isComplex(dtype))
    return NumberKind::Complex;
  return isFloat(dtype) ? NumberKind::Float : NumberKind::Int;
}

/// Whether a function of these operands, `pops` of them, gives a float.
static bool givesFloat(const Instruction &function, const bool *areFloat) {
  switch (function.result) {
  case KILN_EXPR_RESULT_NUMBER:
    return areFloat[0] || areFloat[1];
  case KILN_EXPR_RESULT_FLOAT:
    return true;
  case KILN_EXPR_RESULT_CHOSEN:
    return areFloat[1] || areFloat[2];
  default:
    return false;
  }
}

NumberKind kindOf(const Expr &expr, const std::vector<Symbol> &symbols) {
  if (isCondition(expr))
    return NumberKind::Bool;
  bool areFloat[kMaxExprStack] = {};
  size_t depth = 0;
  for (size_t position = 0; position < expr.code.size();) {
    uint8_t opcode = expr.code[position];
    const Instruction &instruction = instructions[opcode];
    const uint8_t *operand = expr.code.data() + position + 1;
    depth -= instruction.pops;
    if (opcode == KILN_EXPR_PUSH_SYMBOL)
      areFloat[depth] = symbols[readOperand<uint32_t>(operand)].isFloat;
    else if (instruction.pops == 0)
      areFloat[depth] = opcode == KILN_EXPR_PUSH_FLOAT;
    else
      areFloat[depth] = givesFloat(instruction, areFloat + depth);
    ++depth;
    position += 1 + instruction.operandBytes;
  }
  return areFloat[0] ? NumberKind::Float : NumberKind::Int;
}

/// The value whose one element `step` takes out; kNone if it does something else.
static ValueId itemOf(const ExternStep &step) {
  if (step.arguments.empty() ||
      (step.overload != "aten.item.default" &&
       step.overload != "aten._local_scalar_dense.default"))
    return kNone;
  auto *tensor = std::get_if<Argument::TensorRef>(&step.arguments[0].value);
  return tensor ? tensor->value : kNone;
}

/// Of the number that a value holds. A number that an operator gives has no
/// element type; what an element is taken from has.
static NumberKind kindOfHeld(const Program &program, ValueId held) {
  if (program.values[held].kind != Value::Kind::Dynamic)
    return kindOf(program.values[held].dtype);
  for (const Step &step : program.steps)
    if (auto *call = std::get_if<ExternStep>(&step))
      if (call->results.size() == 1 && call->results[0] == held)
        if (ValueId tensor = itemOf(*call); tensor != kNone)
          return kindOf(program.values[tensor].dtype);
  return NumberKind::None;
}

NumberKind kindOf(const Program &program, const Output &output) {
  switch (output.kind) {
  case Output::Kind::Tensor:
    return NumberKind::None;
  case Output::Kind::Expr:
    return kindOf(program.exprs[output.expr], program.symbols);
  case Output::Kind::Scalar:
    return kindOfHeld(program, output.value);
  case Output::Kind::Constant:
    return kindOf(output.constant);
  }
  return NumberKind::None;
}

NumberKind kindOf(const Program &program, uint32_t slot) {
  if (!program.slots[slot].isSymbolic)
    return kindOf(program.slots[slot].constant);
  for (const Symbol &symbol : program.symbols)
    if (symbol.source == Symbol::Source::InputScalar && symbol.slot == slot)
      return symbol.isFloat ? NumberKind::Float : NumberKind::Int;
  return NumberKind::Int;
}

} // namespace kiln::package
