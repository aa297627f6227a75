//===- Operator.h - Calling an operator by name on runtime tensors --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between programs, which call operators by overload name, and
// the libraries that implement them (KilnEager, a user's own operators).
//
//   registry.add("mine.first.default",
//                [](const OpArguments &args) -> Result<std::vector<OpValue>> {
//                  if (args.empty() || !args[0].isTensor())
//                    return Error::usage("argument 0 is no tensor");
//                  return std::vector<OpValue>{args[0]};
//                });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_OPERATOR_H
#define KILN_RUNTIME_OPERATOR_H

#include "kiln/Runtime/Tensor.h"

#include <complex>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace kiln::runtime {

/// An argument or result of an operator. Numbers keep their category (bool <
/// integer < float < complex), which type promotion needs.
struct OpValue {
  using List = std::vector<OpValue>;
  std::variant<std::monostate, Tensor, bool, int64_t, double,
               std::complex<double>, std::string, DType, List>
      value;

  OpValue() = default;
  template <typename T, typename = std::enable_if_t<
                            !std::is_same_v<std::decay_t<T>, OpValue>>>
  OpValue(T &&v) : value(std::forward<T>(v)) {}

  bool isNone() const { return std::holds_alternative<std::monostate>(value); }
  bool isTensor() const { return std::holds_alternative<Tensor>(value); }
  /// Null unless it is one that is defined.
  const Tensor *tensor() const {
    auto *held = std::get_if<Tensor>(&value);
    return held && held->defined() ? held : nullptr;
  }
  bool isNumber() const {
    return std::holds_alternative<bool>(value) ||
           std::holds_alternative<int64_t>(value) ||
           std::holds_alternative<double>(value) ||
           std::holds_alternative<std::complex<double>>(value);
  }
};

/// Arguments in schema order, defaults filled in. Memory formats are strings
/// ("contiguous_format", "channels_last", "preserve_format"), devices and
/// layouts are strings or none. A number may stand where the schema says
/// Tensor: it is a wrapped number and promotes as one.
using OpArguments = std::vector<OpValue>;

/// One function per overload. Errors are sentences about the arguments (found
/// and expected); the caller adds the operator's name and source line.
/// Results are in schema order; a list-returning operator (`split`) returns one
/// result per element. Functions must be pure but for `foo_` overloads.
using OpFunction =
    std::function<Result<std::vector<OpValue>>(const OpArguments &)>;

/// Overload name ("aten.add.Tensor") to function. Filled once at start by
/// explicit calls (`eager::registerAll`, `loadOperatorLibrary`), then only read.
class OperatorRegistry {
public:
  /// Usage error if the name is taken.
  Status add(std::string overload, OpFunction function);
  /// Empty if unknown.
  OpFunction find(std::string_view overload) const;
  /// All names, sorted.
  std::vector<std::string> names() const;

private:
  std::unordered_map<std::string, OpFunction> functions_;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_OPERATOR_H
