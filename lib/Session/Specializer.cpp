//===- Specializer.cpp - Which symbols are numbers in a variant ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specializer.h"

#include "kiln/Package/ExprEvaluator.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;

/// What tracing takes a dynamic size for.
static constexpr int64_t kTracedFrom = 2;

/// Value of `expr` with every `name` replaced by `x`, if that is an integer.
static std::optional<int64_t> valueAt(const archive::SymExpr &expr,
                                      const std::string &name, int64_t x) {
  auto result = archive::evaluate(
      expr, [&](const archive::SymExpr &leaf) {
        return leaf.name == name ? std::optional<archive::SymValue>(x)
                                 : std::nullopt;
      });
  if (!result)
    return std::nullopt;
  const auto *integer = std::get_if<int64_t>(&*result);
  return integer ? std::optional<int64_t>(*integer) : std::nullopt;
}

/// The size that "x:-1" names, or null.
static const archive::SymInt *findSize(const std::vector<UserInput> &inputs,
                                       const std::string &mark) {
  size_t colon = mark.rfind(':');
  const UserInput *input = nullptr;
  for (const UserInput &candidate : inputs)
    if (candidate.isTensor && candidate.name == mark.substr(0, colon))
      input = &candidate;
  int64_t rank = input ? static_cast<int64_t>(input->sizes.size()) : 0;
  int64_t dim = colon == std::string::npos
                    ? rank
                    : std::strtoll(mark.c_str() + colon + 1, nullptr, 10);
  if (dim < -rank || dim >= rank)
    return nullptr;
  return &input->sizes[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
}

/// The symbols of the sizes that are marked static.
Result<std::set<std::string>> Specializer::staticSymbols() const {
  std::set<std::string> symbols;
  if (!program()) {
    // The inputs of a module are known when it has been compiled.
    if (options_.markStatic.empty() || options_.dynamic == Dynamic::True)
      return symbols;
    return Error::unsupported("marks of static sizes: '" + source_.path +
                              "' has no values for its symbols, expected a "
                              ".pt2 file");
  }
  for (const std::string &mark : options_.markStatic) {
    const archive::SymInt *size = findSize(inputs_, mark);
    if (!size)
      return Error::usage("'" + mark + "' is no size of an input tensor");
    if (!size->isStatic())
      archive::forEachSymbol(*size->expr, [&](const std::string &name) {
        symbols.insert(name);
      });
  }
  return symbols;
}

/// Solves the sizes of the caller's tensors for the symbols of the program. Sizes
/// of which `sizeOf` knows nothing are left out.
Result<Specializer::SymbolValues>
Specializer::solve(const SizeOf &sizeOf) const {
  SymbolValues values;
  for (size_t slot = 0; program() && slot < program()->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program()->inputs[slot];
    const archive::TensorMeta *meta = program()->graph.tensor(spec.name);
    if (!spec.isCallerInput() || !meta)
      continue;
    for (size_t dim = 0; dim < meta->sizes.size(); ++dim) {
      const archive::SymInt &size = meta->sizes[dim];
      auto actual = size.isStatic() ? std::nullopt : sizeOf(slot, dim);
      if (!actual)
        continue;
      // A size is linear in one symbol: two evaluations give its line.
      std::string name;
      archive::forEachSymbol(*size.expr,
                             [&](const std::string &n) { name = n; });
      auto offset = valueAt(*size.expr, name, 0);
      auto next = valueAt(*size.expr, name, 1);
      if (name.empty() || !offset || !next || *next == *offset)
        continue;
      int64_t scale = *next - *offset;
      int64_t rest = *actual - *offset;
      if (rest % scale != 0)
        return Error::guard("tensor '" + spec.name +
                            "' size mismatch at index " + std::to_string(dim) +
                            ". expected a multiple of " +
                            std::to_string(scale) + " plus " +
                            std::to_string(*offset) + ", actual " +
                            std::to_string(*actual));
      values.try_emplace(name, rest / scale);
    }
  }
  return values;
}

/// True if the range of a symbol begins at 2 or below, or has no beginning: then
/// its size may be 0 or 1. Tracing takes sizes for at least 2, which some
/// exported ranges say and others do not; PyTorch looks at lower bounds above 2
/// alone. What was traced need not hold for 0 and 1, so they are numbers in
/// variants of their own, and the others begin at 2.
bool Specializer::mayBeSmall(const std::string &symbol) const {
  auto range = program()->ranges.find(symbol);
  return range == program()->ranges.end() ||
         (range->second.min.value_or(0) <= kTracedFrom &&
          range->second.max.value_or(kTracedFrom) >= kTracedFrom);
}

/// True if PyTorch takes sizes below their ranges: it looks at the lower bounds
/// above 2 of expressions too.
bool Specializer::allowsSmall(const SymbolValues &values) const {
  for (const auto &[expr, range] : program()->derivedRanges) {
    auto value = archive::evaluate(
        *expr,
        [&](const archive::SymExpr &leaf) -> std::optional<archive::SymValue> {
          auto known = values.find(leaf.name);
          if (known == values.end())
            return std::nullopt;
          return archive::SymValue(known->second);
        });
    const auto *size = value ? std::get_if<int64_t>(&*value) : nullptr;
    if (size && range.min.value_or(0) > 2 && *size < *range.min)
      return false;
  }
  return true;
}

Status Specializer::checkRange(const std::string &symbol,
                               int64_t value) const {
  auto found = program()->ranges.find(symbol);
  if (found == program()->ranges.end())
    return Status::success();
  const archive::SymRange &range = found->second;
  if (value >= range.min.value_or(value) && value <= range.max.value_or(value))
    return Status::success();
  return Error::guard(
      "the inputs are outside of what the model allows, guard failure: "
      "expected '" + symbol + "' from " +
      std::to_string(range.min.value_or(0)) +
      (range.max ? " to " + std::to_string(*range.max) : " on") + ", found " +
      std::to_string(value));
}

Result<Specializer::SymbolValues>
Specializer::solve(const std::vector<OpValue> &slots) const {
  return solve([&](size_t slot, size_t dim) -> std::optional<int64_t> {
    const auto *tensor = std::get_if<Tensor>(&slots[slot].value);
    const archive::TensorMeta *meta =
        program()->graph.tensor(program()->inputs[slot].name);
    if (!tensor || meta->sizes.size() != tensor->sizes().size())
      return std::nullopt;
    return tensor->size(dim);
  });
}

SizeProfile Specializer::sizes(const std::vector<OpValue> &slots) const {
  SizeProfile seen;
  if (auto values = solve(slots))
    for (const auto &[symbol, value] : *values)
      seen.note(symbol, value);
  return seen;
}

Result<Specializer::SymbolValues>
Specializer::numbers(const std::vector<OpValue> &slots, bool isStatic,
                     const SizeProfile &profile) const {
  auto marked = staticSymbols();
  if (!marked || !program())
    return marked ? Result<SymbolValues>(SymbolValues()) : marked.takeError();
  auto values = solve(slots);
  // Where symbols stay symbols, guards name what is wrong.
  if (!values && !isStatic && marked->empty())
    return SymbolValues();
  if (!values)
    return values;
  bool allowed = allowsSmall(*values);
  for (auto it = values->begin(); it != values->end();) {
    const auto &[name, value] = *it;
    bool isSmall =
        allowed && value >= 0 && value < kTracedFrom && mayBeSmall(name);
    bool isNumber = isStatic && !profile.varies(name);
    if (!isSmall && !isNumber && !marked->count(name)) {
      it = values->erase(it);
      continue;
    }
    if (Status s = isSmall ? Status::success() : checkRange(name, value); !s)
      return s.takeError();
    ++it;
  }
  return values;
}

Result<Specialization>
Specializer::specialize(const std::vector<OpValue> &slots, bool isStatic,
                        const SizeProfile &profile) const {
  auto values = numbers(slots, isStatic, profile);
  if (!values)
    return values.takeError();
  Specialization result;
  result.values = std::move(*values);
  // The other symbols that stand alone as a size of a caller's tensor.
  for (size_t slot = 0; program() && slot < program()->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program()->inputs[slot];
    const archive::TensorMeta *meta = program()->graph.tensor(spec.name);
    if (!spec.isCallerInput() || !meta)
      continue;
    for (const archive::SymInt &size : meta->sizes) {
      if (size.isStatic() || size.expr->kind != archive::SymKind::Symbol)
        continue;
      const std::string &name = size.expr->name;
      if (!result.values.count(name) && mayBeSmall(name))
        result.lowerBounds[name] = kTracedFrom;
    }
  }
  return result;
}

bool Specializer::isFor(const package::Program &compiled,
                        const Specialization &specialization) const {
  auto values = solve([&](size_t slot, size_t dim) -> std::optional<int64_t> {
    return package::constantSize(
        compiled.exprs[compiled.slots[slot].sizes[dim]]);
  });
  return values && *values == specialization.values;
}
