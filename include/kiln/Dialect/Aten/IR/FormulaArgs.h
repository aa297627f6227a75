//===- FormulaArgs.h - Arguments of ops in formulas -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the methods of FormulaBuilder take, a class for each kind of argument: a
// C++ value, or what the accessor of an op gives. What was not given, `{}`, is
// the schema's default, or None.
//
//   b.sumDimIntList(x, {-1}, /*keepdim=*/true);  // IntsArg, BoolArg
//   b.sumDimIntList(x, op.getDim(), op.getKeepdim());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_FORMULAARGS_H
#define KILN_DIALECT_ATEN_IR_FORMULAARGS_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/APFloat.h"

#include <optional>
#include <variant>

namespace kiln::aten {

/// A tensor, a number in the IR, a C++ number, or an expression as a number.
class Operand {
public:
  Operand() : content(Value()) {}
  Operand(std::nullptr_t) : content(Value()) {}
  Operand(Value value) : content(value) {}
  template <typename T,
            typename = std::enable_if_t<std::is_convertible_v<T, Value> &&
                                        !std::is_same_v<T, Value> &&
                                        !std::is_null_pointer_v<T>>>
  Operand(T value) : content(Value(value)) {}
  Operand(int64_t number) : content(number) {}
  Operand(int number) : content(int64_t(number)) {}
  Operand(double number) : content(number) {}
  Operand(bool number) : content(number) {}
  Operand(guard::ExprAttr number) : content(number) {}

  std::variant<Value, int64_t, double, bool, guard::ExprAttr> content;
};

/// A C++ value, or none.
template <typename T> class OptionalArg {
public:
  OptionalArg() = default;
  OptionalArg(std::nullptr_t) {}
  OptionalArg(std::nullopt_t) {}
  const std::optional<T> &get() const { return value; }

protected:
  std::optional<T> value;
};

class IntArg : public OptionalArg<int64_t> {
public:
  using OptionalArg::OptionalArg;
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  IntArg(T given) {
    value = int64_t(given);
  }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  IntArg(std::optional<T> given) {
    if (given)
      value = int64_t(*given);
  }
};

class BoolArg : public OptionalArg<bool> {
public:
  using OptionalArg::OptionalArg;
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, bool>>>
  BoolArg(T given) {
    value = given;
  }
  BoolArg(std::optional<bool> given) { value = given; }
};

class FloatArg : public OptionalArg<double> {
public:
  using OptionalArg::OptionalArg;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  FloatArg(T given) {
    value = double(given);
  }
  FloatArg(const llvm::APFloat &given) { value = given.convertToDouble(); }
  FloatArg(const std::optional<llvm::APFloat> &given) {
    if (given)
      value = given->convertToDouble();
  }
};

/// Text, which the caller keeps until the op is built.
class TextArg : public OptionalArg<StringRef> {
public:
  using OptionalArg::OptionalArg;
  TextArg(StringRef given) { value = given; }
  TextArg(const char *given) { value = given; }
  TextArg(std::optional<StringRef> given) { value = given; }
};

class TypeArg : public OptionalArg<Type> {
public:
  using OptionalArg::OptionalArg;
  /// A null type is none.
  TypeArg(Type given) {
    if (given)
      value = given;
  }
  TypeArg(std::optional<Type> given) { value = given; }
};

/// A size: a number or an expression.
class SizeArg : public OptionalArg<std::variant<int64_t, guard::ExprAttr>> {
public:
  using OptionalArg::OptionalArg;
  /// A null expression is none.
  SizeArg(guard::ExprAttr given) {
    if (given)
      value = given;
  }
  SizeArg(std::optional<guard::ExprAttr> given) {
    if (given)
      value = *given;
  }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  SizeArg(T given) {
    value = int64_t(given);
  }
};

/// A list of C++ values, or none.
template <typename T> class ListArg : public OptionalArg<SmallVector<T, 4>> {
public:
  using OptionalArg<SmallVector<T, 4>>::OptionalArg;
  ListArg(ArrayRef<T> given) { this->value.emplace(given); }
  ListArg(const SmallVectorImpl<T> &given) {
    this->value.emplace(given.begin(), given.end());
  }
  ListArg(std::initializer_list<T> given) { this->value.emplace(given); }
  ListArg(std::optional<ArrayRef<T>> given) {
    if (given)
      this->value.emplace(*given);
  }
};

using IntsArg = ListArg<int64_t>;
using BoolsArg = ListArg<bool>;
using FloatsArg = ListArg<double>;

/// Sizes: expressions or numbers.
class SizesArg : public ListArg<guard::ExprAttr> {
public:
  using ListArg::ListArg;
  SizesArg(guard::ShapeAttr given) {
    if (given)
      value.emplace(given.getDims());
  }
  SizesArg(std::optional<guard::ShapeAttr> given) {
    if (given)
      value.emplace(given->getDims());
  }
};

/// Tensors; in a list of optional ones a null is none.
class TensorsArg : public ListArg<Value> {
public:
  using ListArg::ListArg;
  TensorsArg(ValueRange given) { value.emplace(given.begin(), given.end()); }
};

/// The results of an op, which are null if it could not be built.
class OpResults {
public:
  OpResults() = default;
  OpResults(Operation *op) : op(op) {}

  explicit operator bool() const { return op != nullptr; }
  size_t size() const { return op ? op->getNumResults() : 0; }
  Value operator[](unsigned i) const {
    return i < size() ? Value(op->getResult(i)) : Value();
  }
  /// The first one.
  Value front() const { return (*this)[0]; }
  SmallVector<Value> all() const {
    return op ? SmallVector<Value>(op->getResults()) : SmallVector<Value>();
  }

private:
  Operation *op = nullptr;
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_FORMULAARGS_H
