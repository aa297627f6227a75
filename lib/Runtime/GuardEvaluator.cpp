//===- GuardEvaluator.cpp - Does a compiled variant fit its inputs? ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/GuardEvaluator.h"
#include "InputText.h"
#include "Overlap.h"
#include "kiln/Runtime/ProgramRunner.h"

namespace kiln::runtime {

using package::Cell;
using package::ExprFailure;
using package::Guard;
using package::kNone;
using package::Slot;
using package::Symbol;

/// What one check of all guards knows so far.
struct GuardTable::Call {
  const std::vector<OpValue> &inputs;
  Cell *symbols;
  bool bound = false;
};

namespace {

/// Equal in value and category; 1 and 1.0 are different guards.
bool equalsConstant(const OpValue &value, const package::Constant &constant) {
  if (std::holds_alternative<std::monostate>(constant))
    return value.isNone();
  if (auto *b = std::get_if<bool>(&constant)) {
    auto *found = std::get_if<bool>(&value.value);
    return found && *found == *b;
  }
  if (auto *i = std::get_if<int64_t>(&constant)) {
    auto *found = std::get_if<int64_t>(&value.value);
    return found && *found == *i;
  }
  if (auto *f = std::get_if<double>(&constant)) {
    auto *found = std::get_if<double>(&value.value);
    return found && (*found == *f || (*found != *found && *f != *f));
  }
  auto *found = std::get_if<std::string>(&value.value);
  return found && *found == std::get<std::string>(constant);
}

std::string valueText(const OpValue &value) {
  if (auto *b = std::get_if<bool>(&value.value))
    return constantText(*b);
  if (auto *i = std::get_if<int64_t>(&value.value))
    return constantText(*i);
  if (auto *f = std::get_if<double>(&value.value))
    return constantText(*f);
  if (auto *s = std::get_if<std::string>(&value.value))
    return constantText(*s);
  return describeInput(value);
}

const Tensor *tensorIn(const OpValue &value) {
  auto *tensor = std::get_if<Tensor>(&value.value);
  return tensor && tensor->defined() ? tensor : nullptr;
}

std::string cellText(const Cell &cell) {
  return cell.isInteger() ? std::to_string(cell.integer)
                          : constantText(cell.real);
}

} // namespace

GuardTable::GuardTable(const package::Package &package)
    : program_(package.programs[0]) {
  for (const Guard &guard : package.guards) {
    const package::Expr *expr =
        guard.expr == kNone ? nullptr : &program_.exprs[guard.expr];
    checks_.push_back(
        {guard.kind, guard.slot, guard.dim, guard.value, expr, &guard});
  }
  for (uint32_t i = 0; i < program_.slots.size(); ++i) {
    addSlotChecks(i);
    if (!program_.slots[i].isTensor)
      continue;
    tensors_.push_back(i);
    if (program_.slots[i].kind == Slot::Kind::UserInput)
      passed_.push_back(i);
  }
}

void GuardTable::addSlotChecks(uint32_t index) {
  const Slot &slot = program_.slots[index];
  if (!slot.isTensor)
    return;
  auto add = [&](kiln_guard_kind kind, uint32_t dim, int64_t value,
                 const package::Expr *expr) {
    checks_.push_back({kind, index, dim, value, expr, nullptr});
  };
  add(KILN_GUARD_KIND_TENSOR, 0, 0, nullptr);
  add(KILN_GUARD_DTYPE, 0, static_cast<int64_t>(slot.dtype), nullptr);
  add(KILN_GUARD_RANK, 0, static_cast<int64_t>(slot.sizes.size()), nullptr);
  for (uint32_t dim = 0; dim < slot.sizes.size(); ++dim) {
    const package::Expr &expr = program_.exprs[slot.sizes[dim]];
    Cell size;
    bool fixed = package::symbolsOf(expr).empty() &&
                 package::evaluate(expr, nullptr, size) == ExprFailure::None &&
                 size.isInteger();
    if (fixed)
      add(KILN_GUARD_SIZE, dim, size.integer, nullptr);
    else
      add(KILN_GUARD_SIZE_EXPR, dim, 0, &expr);
  }
}

bool GuardTable::check(const std::vector<OpValue> &inputs,
                       std::string &failure) const {
  if (inputs.size() != program_.slots.size()) {
    failure = "expected " + std::to_string(program_.slots.size()) +
              " inputs, found " + std::to_string(inputs.size());
    return false;
  }
  // Grows to the largest symbol table this thread has met, then stays.
  thread_local std::vector<Cell> symbols;
  if (symbols.size() < program_.symbols.size())
    symbols.resize(program_.symbols.size());
  Call call{inputs, symbols.data()};
  for (const Check &check : checks_)
    if (!holds(check, call, failure))
      return false;
  return call.bound ||
         bindSymbols(program_, inputs, call.symbols, failure);
}

bool GuardTable::holds(const Check &check, Call &call,
                       std::string &failure) const {
  if (check.kind == KILN_GUARD_EXPR)
    return exprHolds(check, call, failure);
  const Slot &slot = program_.slots[check.slot];
  const OpValue &input = call.inputs[check.slot];
  if (check.kind == KILN_GUARD_SCALAR_VALUE) {
    if (equalsConstant(input, check.guard->constant))
      return true;
    failure = "value of '" + slot.name + "' mismatch. expected " +
              constantText(check.guard->constant) + ", actual " +
              valueText(input);
    return false;
  }
  return tensorCheckHolds(check, call, failure);
}

/// The kinds that look at the tensor of a slot.
bool GuardTable::tensorCheckHolds(const Check &check, Call &call,
                                  std::string &failure) const {
  const Slot &slot = program_.slots[check.slot];
  const OpValue &input = call.inputs[check.slot];
  const Tensor *tensor = tensorIn(input);
  if (!tensor) {
    // A slot whose tensor is in the package may be left out.
    if (slot.payload != kNone && !input.isNumber())
      return true;
    if (check.kind == KILN_GUARD_KIND_TENSOR && !slot.isTensor)
      return true;
    failure = kindFailure(slot, input);
    return false;
  }
  size_t dim = check.dim;
  bool perDim = check.kind == KILN_GUARD_SIZE ||
                check.kind == KILN_GUARD_SIZE_EXPR;
  if (perDim && dim >= tensor->sizes().size()) {
    failure = rankFailure(slot, static_cast<int64_t>(slot.sizes.size()),
                          tensor->rank());
    return false;
  }
  switch (check.kind) {
  case KILN_GUARD_KIND_TENSOR:
    if (slot.isTensor)
      return true;
    failure = kindFailure(slot, input);
    return false;
  case KILN_GUARD_DTYPE:
    if (static_cast<int64_t>(tensor->dtype()) == check.value)
      return true;
    failure = dtypeFailure(slot, static_cast<DType>(check.value),
                           tensor->dtype());
    return false;
  case KILN_GUARD_RANK:
    if (tensor->rank() == check.value)
      return true;
    failure = rankFailure(slot, check.value, tensor->rank());
    return false;
  case KILN_GUARD_SIZE:
    if (tensor->sizes()[dim] == check.value)
      return true;
    failure = dimFailure(slot, "size", dim, check.value, tensor->sizes()[dim]);
    return false;
  case KILN_GUARD_SIZE_EXPR:
    return exprHolds(check, call, failure);
  case KILN_GUARD_NO_ALIAS:
    return isApart(check.slot, *tensor, call, failure);
  case KILN_GUARD_SCALAR_VALUE:
  case KILN_GUARD_EXPR:
    break; // of no tensor
  }
  return true;
}

/// True if no tensor that the caller passes shares memory with another that the
/// program writes to. Two weights may: that is how they were exported.
bool GuardTable::isApart(uint32_t slot, const Tensor &written, Call &call,
                         std::string &failure) const {
  bool isPassed = program_.slots[slot].kind == Slot::Kind::UserInput;
  for (uint32_t i : isPassed ? tensors_ : passed_) {
    const Tensor *other = tensorIn(call.inputs[i]);
    if (i == slot || !other || !mayOverlap(written, *other))
      continue;
    failure = "tensors '" + program_.slots[slot].name + "' and '" +
              program_.slots[i].name + "' share memory, and the program writes "
              "to '" + program_.slots[slot].name +
              "'. expected memory of its own, such as a copy";
    return false;
  }
  return true;
}

bool GuardTable::exprHolds(const Check &check, Call &call,
                           std::string &failure) const {
  if (!call.bound) {
    if (!bindSymbols(program_, call.inputs, call.symbols, failure))
      return false;
    call.bound = true;
  }
  Cell result;
  ExprFailure evaluation =
      package::evaluate(*check.expr, call.symbols, result);
  if (check.kind == KILN_GUARD_SIZE_EXPR &&
      evaluation == ExprFailure::None) {
    int64_t size = std::get<Tensor>(call.inputs[check.slot].value)
                       .sizes()[check.dim];
    if (result.isInteger() && result.integer == size)
      return true;
    failure = dimFailure(program_.slots[check.slot], "size", check.dim,
                         result.isInteger() ? result.integer : -1, size);
    return false;
  }
  if (evaluation == ExprFailure::None && result.asBool())
    return true;
  std::string text = check.guard && !check.guard->text.empty()
                         ? check.guard->text
                         : package::printExpr(*check.expr, program_.symbols);
  failure = "guard '" + text + "' does not hold";
  if (evaluation != ExprFailure::None)
    failure += std::string(" (") + package::describe(evaluation) + ")";
  const char *separator = " with ";
  for (uint32_t symbol : package::symbolsOf(*check.expr)) {
    failure += separator + program_.symbols[symbol].name + " = " +
               cellText(call.symbols[symbol]);
    separator = ", ";
  }
  return false;
}

} // namespace kiln::runtime
