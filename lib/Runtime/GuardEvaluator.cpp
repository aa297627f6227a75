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

#include <algorithm>
#include <optional>

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
  /// All tensors and those that the caller passes, once they are asked for.
  std::optional<TensorsByAddress> tensors, passed;
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
    if (auto size = package::constantSize(expr))
      add(KILN_GUARD_SIZE, dim, *size, nullptr);
    else
      add(KILN_GUARD_SIZE_EXPR, dim, 0, &expr);
  }
}

/// The tensor that is passed for the slot. Without one, `otherwise` is the outcome
/// of the check.
const Tensor *GuardTable::findTensor(const Check &check, Call &call,
                                     bool &otherwise,
                                     std::string &failure) const {
  const Slot &slot = program_.slots[check.slot];
  const OpValue &input = call.inputs[check.slot];
  const Tensor *tensor = input.tensor();
  otherwise = !tensor && package::mayBeLeftOut(slot) && !input.isNumber();
  if (!tensor && !otherwise)
    failure = kindFailure(slot, input);
  return tensor;
}

/// The same of a tensor that has the dimension which the check looks at.
const Tensor *GuardTable::findDim(const Check &check, Call &call,
                                  bool &otherwise,
                                  std::string &failure) const {
  const Tensor *tensor = findTensor(check, call, otherwise, failure);
  if (!tensor || check.dim < tensor->sizes().size())
    return tensor;
  const Slot &slot = program_.slots[check.slot];
  failure = rankFailure(slot, static_cast<int64_t>(slot.sizes.size()),
                        tensor->rank());
  otherwise = false;
  return nullptr;
}

/// The value of `expr` for the sizes of this call, or `why` it has none; false if
/// the call gives its symbols no values.
bool GuardTable::evaluate(const package::Expr &expr, Call &call, Cell &result,
                          ExprFailure &why, std::string &failure) const {
  if (!call.bound &&
      !bindSymbols(program_, call.inputs, call.symbols, failure))
    return false;
  call.bound = true;
  why = package::evaluate(expr, call.symbols, result);
  return true;
}

/// That an expression does not hold, with the symbols in it.
std::string GuardTable::sentence(const Check &check, const Call &call,
                                 ExprFailure why) const {
  std::string text = check.guard && !check.guard->text.empty()
                         ? check.guard->text
                         : package::printExpr(*check.expr, program_.symbols);
  std::string result = "guard '" + text + "' does not hold";
  if (why != ExprFailure::None)
    result += std::string(" (") + package::describe(why) + ")";
  const char *separator = " with ";
  for (uint32_t symbol : package::symbolsOf(*check.expr)) {
    result += separator + program_.symbols[symbol].name + " = " +
              cellText(call.symbols[symbol]);
    separator = ", ";
  }
  return result;
}

/// True if `found`, which is `what` of the dimension, is what the expression gives.
bool GuardTable::equalsExpr(const Check &check, Call &call, const char *what,
                            int64_t found, std::string &failure) const {
  Cell expected;
  ExprFailure why;
  if (!evaluate(*check.expr, call, expected, why, failure))
    return false;
  if (why != ExprFailure::None) {
    failure = sentence(check, call, why);
    return false;
  }
  if (expected.isInteger() && expected.integer == found)
    return true;
  failure = dimFailure(program_.slots[check.slot], what, check.dim,
                       expected.isInteger() ? expected.integer : -1, found);
  return false;
}

template <>
bool GuardTable::holds<KILN_GUARD_KIND_TENSOR>(const Check &check, Call &call,
                                               std::string &failure) const {
  const Slot &slot = program_.slots[check.slot];
  const OpValue &input = call.inputs[check.slot];
  bool given = input.tensor() != nullptr;
  if (given == slot.isTensor ||
      (!given && package::mayBeLeftOut(slot) && !input.isNumber()))
    return true;
  failure = kindFailure(slot, input);
  return false;
}

template <>
bool GuardTable::holds<KILN_GUARD_DTYPE>(const Check &check, Call &call,
                                         std::string &failure) const {
  bool otherwise;
  const Tensor *tensor = findTensor(check, call, otherwise, failure);
  if (!tensor)
    return otherwise;
  if (static_cast<int64_t>(tensor->dtype()) == check.value)
    return true;
  failure = dtypeFailure(program_.slots[check.slot],
                         static_cast<DType>(check.value), tensor->dtype());
  return false;
}

template <>
bool GuardTable::holds<KILN_GUARD_RANK>(const Check &check, Call &call,
                                        std::string &failure) const {
  bool otherwise;
  const Tensor *tensor = findTensor(check, call, otherwise, failure);
  if (!tensor)
    return otherwise;
  if (tensor->rank() == check.value)
    return true;
  failure =
      rankFailure(program_.slots[check.slot], check.value, tensor->rank());
  return false;
}

template <>
bool GuardTable::holds<KILN_GUARD_SIZE>(const Check &check, Call &call,
                                        std::string &failure) const {
  bool otherwise;
  const Tensor *tensor = findDim(check, call, otherwise, failure);
  if (!tensor)
    return otherwise;
  int64_t size = tensor->sizes()[check.dim];
  if (size == check.value)
    return true;
  failure = dimFailure(program_.slots[check.slot], "size", check.dim,
                       check.value, size);
  return false;
}

template <>
bool GuardTable::holds<KILN_GUARD_SIZE_EXPR>(const Check &check, Call &call,
                                             std::string &failure) const {
  bool otherwise;
  const Tensor *tensor = findDim(check, call, otherwise, failure);
  if (!tensor)
    return otherwise;
  return equalsExpr(check, call, "size", tensor->sizes()[check.dim], failure);
}

template <>
bool GuardTable::holds<KILN_GUARD_STRIDE>(const Check &check, Call &call,
                                          std::string &failure) const {
  bool otherwise;
  const Tensor *tensor = findDim(check, call, otherwise, failure);
  if (!tensor)
    return otherwise;
  if (tensor->size(check.dim) < 2 || tensor->numel() == 0)
    return true; // nothing is stepped along it
  return equalsExpr(check, call, "stride", tensor->strides()[check.dim],
                    failure);
}

template <>
bool GuardTable::holds<KILN_GUARD_SCALAR_VALUE>(const Check &check, Call &call,
                                                std::string &failure) const {
  const OpValue &input = call.inputs[check.slot];
  const package::Constant &expected = check.guard->constant;
  if (equalsConstant(input, expected))
    return true;
  failure = "value of '" + program_.slots[check.slot].name +
            "' mismatch. expected " + constantText(expected) + ", actual " +
            valueText(input);
  return false;
}

/// True if no tensor that the caller passes shares memory with another that the
/// program writes to. Two weights may: that is how they were exported.
template <>
bool GuardTable::holds<KILN_GUARD_NO_ALIAS>(const Check &check, Call &call,
                                            std::string &failure) const {
  bool otherwise;
  const Tensor *written = findTensor(check, call, otherwise, failure);
  if (!written)
    return otherwise;
  const Slot &slot = program_.slots[check.slot];
  bool isPassed = slot.kind == Slot::Kind::UserInput;
  auto &others = isPassed ? call.tensors : call.passed;
  if (!others) {
    others.emplace();
    for (uint32_t i : isPassed ? tensors_ : passed_)
      if (const Tensor *other = call.inputs[i].tensor())
        others->add(i, *other);
    others->order();
  }
  uint32_t other = others->findOverlap(*written, check.slot);
  if (other == TensorsByAddress::kNone)
    return true;
  failure = "tensors '" + slot.name + "' and '" + program_.slots[other].name +
            "' share memory, and the program writes to '" + slot.name +
            "'. expected memory of its own, such as a copy";
  return false;
}

template <>
bool GuardTable::holds<KILN_GUARD_EXPR>(const Check &check, Call &call,
                                        std::string &failure) const {
  Cell result;
  ExprFailure why;
  if (!evaluate(*check.expr, call, result, why, failure))
    return false;
  if (why == ExprFailure::None && result.asBool())
    return true;
  failure = sentence(check, call, why);
  return false;
}

bool GuardTable::holds(const Check &check, Call &call,
                       std::string &failure) const {
  switch (check.kind) {
#define KILN_GUARD(KIND, code, text)                                           \
  case KILN_GUARD_##KIND:                                                      \
    return holds<KILN_GUARD_##KIND>(check, call, failure);
#include "kiln/ABI/GuardKinds.def"
  }
  return false;
}

void GuardTable::findOwn(std::vector<bool> &slots) const {
  slots.resize(std::max(slots.size(), program_.slots.size()));
  for (const Check &check : checks_)
    if (check.kind == KILN_GUARD_NO_ALIAS)
      slots[check.slot] = true;
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
  Call call{inputs, symbols.data(), /*bound=*/false, {}, {}};
  for (const Check &check : checks_)
    if (!holds(check, call, failure))
      return false;
  return call.bound ||
         bindSymbols(program_, inputs, call.symbols, failure);
}

} // namespace kiln::runtime
