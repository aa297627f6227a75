//===- Support.h - Arguments, refusals and the operator table -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every operator file uses: typed access to arguments, `require` for
// checks, dimension arithmetic, and the table that operators are added to.
// Inside this library a refused call is an exception (`Refusal`), which the
// wrapper around every operator turns into an `Error`; so operators read like
// the formulas they stand for.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_SUPPORT_H
#define KILN_LIB_EAGER_SUPPORT_H

#include "kiln/Eager/Registry.h"
#include "kiln/Runtime/Operator.h"

#include <initializer_list>

namespace kiln::eager {

using runtime::OpArguments;
using runtime::OpFunction;
using runtime::OpValue;
using runtime::Tensor;

using Ints = std::vector<int64_t>;
using Values = std::vector<OpValue>;

/// Thrown by operators and caught by `guarded`; never leaves the library.
struct Refusal {
  Error error;
};

/// A piece of a message, formatted only when the message is needed.
struct Piece {
  Piece(const char *text) : text(text) {}
  Piece(const std::string &text) : text(text.c_str()) {}
  Piece(int64_t number) : number(number) {}
  Piece(int number) : number(number) {}
  Piece(size_t number) : number(static_cast<int64_t>(number)) {}
  Piece(DType dtype) : dtype(dtype) {}
  Piece(const Ints &ints) : ints(&ints) {}
  Piece(const Tensor &tensor) : tensor(&tensor) {}
  std::string str() const;

  const char *text = nullptr;
  const Ints *ints = nullptr;
  const Tensor *tensor = nullptr;
  std::optional<DType> dtype;
  int64_t number = 0;
};
using Message = std::initializer_list<Piece>;

/// Ends the operator with a usage error.
[[noreturn]] void refuse(Message message);
inline void require(bool holds, Message message) {
  if (!holds)
    refuse(message);
}

/// Typed access to an operator's arguments. A missing trailing argument reads
/// as none. Every accessor refuses a value of another type.
class Args {
public:
  explicit Args(const OpArguments &arguments) : arguments_(arguments) {}

  size_t size() const { return arguments_.size(); }
  const OpValue &operator[](size_t i) const;
  bool isNone(size_t i) const;

  /// A defined tensor. A number is refused: what accepts wrapped numbers reads
  /// the value itself.
  const Tensor &tensor(size_t i) const;
  /// An undefined tensor if none.
  Tensor optTensor(size_t i) const;
  std::vector<Tensor> tensors(size_t i) const;
  std::vector<Tensor> optTensors(size_t i) const;

  int64_t integer(size_t i) const;
  std::optional<int64_t> optInteger(size_t i) const;
  double number(size_t i) const;
  std::optional<double> optNumber(size_t i) const;
  bool flag(size_t i) const;
  std::string string(size_t i) const;
  std::optional<std::string> optString(size_t i) const;
  std::optional<DType> optDType(size_t i) const;
  DType dtypeOr(size_t i, DType otherwise) const {
    return optDType(i).value_or(otherwise);
  }
  /// A list of integers; a single integer counts as a list of one.
  Ints ints(size_t i) const;
  std::optional<Ints> optInts(size_t i) const;
  /// Exactly `count` integers, as `int[2]` means it: one integer (or a list of
  /// one) stands for all, an empty list or none for `otherwise`.
  Ints intsOf(size_t i, size_t count, Ints otherwise = {}) const;
  std::vector<double> numbers(size_t i) const;

private:
  const OpArguments &arguments_;
};

/// Reads an integer-valued number.
int64_t toInteger(const OpValue &value, const char *what);
/// Reads a real number; a complex one is refused.
double toNumber(const OpValue &value, const char *what);

/// An operator as it is written in this library.
using Operator = Values (*)(const Args &);

/// Calls `op` and turns a refusal into an error.
Result<Values> guarded(Operator op, const OpArguments &arguments);
/// The same for the `foo_` form of a functional operator: its first result is
/// converted into the first argument, which is returned.
Result<Values> guardedInPlace(Operator op, const OpArguments &arguments);

template <Operator Op> Result<Values> call(const OpArguments &arguments) {
  return guarded(Op, arguments);
}
template <Operator Op>
Result<Values> callInPlace(const OpArguments &arguments) {
  return guardedInPlace(Op, arguments);
}

/// Where operator files add themselves. Names are given without "aten.".
class Table {
public:
  explicit Table(runtime::OperatorRegistry &registry) : registry_(registry) {}

  void add(const std::string &name, OpFunction function);
  template <Operator Op> void op(const std::string &name) {
    add(name, call<Op>);
  }
  template <Operator Op> void inPlace(const std::string &name) {
    add(name, callInPlace<Op>);
  }
  /// "index_put" and "default" add index_put.default and index_put_.default.
  template <Operator Op>
  void both(const std::string &base, const std::string &overload) {
    op<Op>(base + "." + overload);
    inPlace<Op>(base + "_." + overload);
  }
  /// The first failure, if any.
  Status status() { return std::move(status_); }

private:
  runtime::OperatorRegistry &registry_;
  Status status_;
};

//===----------------------------------------------------------------------===//
// Sizes and dimensions
//===----------------------------------------------------------------------===//

int64_t product(const Ints &values);
/// A dimension in [0, rank); negative ones count from the end. Rank 0 behaves
/// as rank 1.
int64_t wrapDim(int64_t dim, int64_t rank);
/// Wrapped, sorted, without repetition (refused); none or empty means all.
Ints reducedDims(const std::optional<Ints> &dims, int64_t rank);
/// The size both broadcast to.
Ints broadcastSizes(const Ints &a, const Ints &b);
/// `tensor` seen with `sizes`, stride 0 where it is repeated.
Tensor expandTo(const Tensor &tensor, const Ints &sizes);
/// Replaces the one -1 of `sizes` so that the product is `numel`.
Ints inferSizes(Ints sizes, int64_t numel);
void requireSizes(const Ints &sizes);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Unwraps a result or refuses with its error.
template <typename T> T take(Result<T> result) {
  if (!result)
    throw Refusal{result.takeError()};
  return std::move(*result);
}
inline void take(Status status) {
  if (!status)
    throw Refusal{status.takeError()};
}

Tensor empty(DType dtype, const Ints &sizes);
/// `tensor`'s storage with other sizes and strides, same offset.
Tensor restrided(const Tensor &tensor, Ints sizes, Ints strides);
/// Dimensions in the order given.
Tensor permuted(const Tensor &tensor, const Ints &order);
/// Dimension `dim` moved to the end; rank 0 becomes rank 1.
Tensor movedLast(const Tensor &tensor, int64_t dim);
/// Row-major with other sizes of the same product; a view where possible.
Tensor reshaped(const Tensor &tensor, const Ints &sizes);
/// The strides that `sizes` would have as a view of `tensor`, if any.
std::optional<Ints> viewStrides(const Tensor &tensor, const Ints &sizes);
Tensor unsqueezed(const Tensor &tensor, int64_t dim);
/// Copies with conversion, broadcasting `source`; refuses read-only targets.
void assign(const Tensor &target, const Tensor &source);
/// A row-major copy in `dtype`; never the tensor itself.
Tensor converted(const Tensor &tensor, DType dtype);
/// `tensor` itself if it has the dtype.
Tensor inDType(const Tensor &tensor, DType dtype);
/// A 0-d tensor of the number's category: bool, i64, f64 or c128.
Tensor numberTensor(const OpValue &number);
/// The type a number has where no tensor decides: bool, i64, f32 or c64.
DType numberDType(const OpValue &number);
/// Refuses a number that a tensor of the dtype cannot be filled with, see
/// `isInRange`.
void requireRepresentable(const OpValue &number, DType dtype);
void fillWith(const Tensor &target, const OpValue &number);
/// A fresh tensor filled with a number.
Tensor filled(DType dtype, const Ints &sizes, const OpValue &number);

inline bool isBoolOrInteger(DType dtype) {
  return dtype == DType::Bool || isInteger(dtype);
}
/// The real type of a complex one, other types unchanged.
DType realDType(DType dtype);
DType complexDType(DType dtype);
/// Refuses all but f16, bf16, f32, f64.
void requireFloat(const Tensor &tensor);
void requireSameDType(const Tensor &a, const Tensor &b);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_SUPPORT_H
