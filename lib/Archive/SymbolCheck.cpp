//===- SymbolCheck.cpp - Symbols of a program against its hints ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolCheck.h"

#include <cmath>
#include <set>

using namespace kiln;
using namespace kiln::archive;

namespace {

/// Visits the symbolic values of a graph and of the graphs nested in it.
template <typename OnInt, typename OnFloat, typename OnBool>
void forEachValue(const Graph &graph, const OnInt &onInt,
                  const OnFloat &onFloat, const OnBool &onBool) {
  for (const auto &[name, meta] : graph.tensors) {
    for (const SymInt &size : meta.sizes)
      onInt(name, size);
    for (const SymInt &stride : meta.strides)
      onInt(name, stride);
    onInt(name, meta.storageOffset);
  }
  for (const auto &[name, value] : graph.symInts)
    onInt(name, value);
  for (const auto &[name, value] : graph.symFloats)
    onFloat(name, value);
  for (const auto &[name, value] : graph.symBools)
    onBool(name, value);
  for (const Node &node : graph.nodes)
    for (const NamedArgument &input : node.inputs)
      if (auto *nested = input.arg.as<GraphArg>())
        forEachValue(*nested->graph, onInt, onFloat, onBool);
}

class SymbolChecker {
public:
  explicit SymbolChecker(ExportedProgram &program) : program_(program) {}

  Status run() {
    collectHints();
    if (auto status = checkHints(); !status)
      return status;
    if (auto status = checkRanges(); !status)
      return status;
    return checkBound();
  }

private:
  void collectHints() {
    forEachValue(
        program_.graph,
        [&](const std::string &, const SymInt &value) {
          if (value.expr && value.expr->kind == SymKind::Symbol && value.hint)
            program_.hints.emplace(value.expr->name, *value.hint);
        },
        [&](const std::string &, const SymFloat &value) {
          if (value.expr && value.expr->kind == SymKind::Symbol && value.hint)
            program_.hints.emplace(value.expr->name, *value.hint);
        },
        [](const std::string &, const SymBool &) {});
  }

  /// Compares one expression with its hint, each pair of them once.
  void check(const std::string &name, const SymExprPtr &expr, double hint) {
    if (error_ || !checked_.emplace(expr.get(), hint).second)
      return;
    auto value = evaluate(
        *expr, [&](const SymExpr &leaf) -> std::optional<SymValue> {
          auto it = program_.hints.find(leaf.name);
          if (leaf.kind != SymKind::Symbol || it == program_.hints.end())
            return std::nullopt;
          return it->second;
        });
    if (!value) {
      // Unbacked symbols and derived sizes without a bare symbol.
      if (value.error().kind != ErrorKind::Unsupported)
        error_ = value.takeError().withContext("value '" + name + "'");
      return;
    }
    double found = std::visit([](auto v) { return static_cast<double>(v); },
                              *value);
    if (found == hint || (std::isnan(found) && std::isnan(hint)) ||
        std::fabs(found - hint) <= 1e-9 * std::fabs(hint))
      return;
    error_ = Error::malformed("value '" + name + "': expression '" +
                              toString(*expr) + "' is " +
                              std::to_string(found) +
                              " for the recorded sizes, but the file says " +
                              std::to_string(hint));
  }

  Status checkHints() {
    forEachValue(
        program_.graph,
        [&](const std::string &name, const SymInt &value) {
          if (value.expr && value.hint)
            check(name, value.expr, static_cast<double>(*value.hint));
        },
        [&](const std::string &name, const SymFloat &value) {
          if (value.expr && value.hint)
            check(name, value.expr, *value.hint);
        },
        [](const std::string &, const SymBool &) {});
    return error_ ? Status(*error_) : Status::success();
  }

  Status checkRanges() {
    for (const auto &[symbol, range] : program_.ranges) {
      auto hint = program_.hints.find(symbol);
      if (hint == program_.hints.end())
        continue;
      auto *value = std::get_if<int64_t>(&hint->second);
      if (!value || ((!range.min || *value >= *range.min) &&
                     (!range.max || *value <= *range.max)))
        continue;
      return Error::malformed("symbol '" + symbol + "' was " +
                              std::to_string(*value) +
                              " in the example run, outside of its range");
    }
    return {};
  }

  static bool isDataDependent(const std::string &symbol) {
    return symbol[0] == 'u' || symbol.compare(0, 2, "zu") == 0;
  }

  void addSymbols(const SymExprPtr &expr, std::set<std::string> &symbols) {
    if (expr && visited_.insert(expr.get()).second)
      forEachSymbol(*expr,
                    [&](const std::string &name) { symbols.insert(name); });
  }

  Status checkBound() {
    std::set<std::string> bound, used;
    for (const Argument &input : program_.graph.inputs)
      input.forEachName([&](const std::string &name) {
        if (const TensorMeta *meta = program_.graph.tensor(name)) {
          for (const SymInt &size : meta->sizes)
            addSymbols(size.expr, bound);
          for (const SymInt &stride : meta->strides)
            addSymbols(stride.expr, bound);
          addSymbols(meta->storageOffset.expr, bound);
        }
        if (auto it = program_.graph.symInts.find(name);
            it != program_.graph.symInts.end())
          addSymbols(it->second.expr, bound);
        if (auto it = program_.graph.symFloats.find(name);
            it != program_.graph.symFloats.end())
          addSymbols(it->second.expr, bound);
        if (auto it = program_.graph.symBools.find(name);
            it != program_.graph.symBools.end())
          addSymbols(it->second.expr, bound);
      });
    visited_.clear();
    auto use = [&](const std::string &, const auto &value) {
      addSymbols(value.expr, used);
    };
    forEachValue(program_.graph, use, use, use);
    for (const std::string &symbol : used)
      if (!bound.count(symbol) && !isDataDependent(symbol))
        return Error::malformed("symbol '" + symbol +
                                "' does not occur in any input");
    return {};
  }

  ExportedProgram &program_;
  std::set<std::pair<const SymExpr *, double>> checked_;
  std::set<const SymExpr *> visited_;
  std::optional<Error> error_;
};

} // namespace

Status archive::checkSymbols(ExportedProgram &program) {
  return SymbolChecker(program).run();
}
