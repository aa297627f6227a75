//===- SymbolicValues.h - Expressions as SSA values -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOLINALG_SYMBOLICVALUES_H
#define KILN_LIB_CONVERSION_LOOPTOLINALG_SYMBOLICVALUES_H

#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln::loop {

/// What an expression is as a value: `index`, or `f64` of a float.
Type getValueType(guard::ExprAttr expr);

/// Gives expressions over the symbols of one function as values. Those without loop
/// indices are computed once, at the top of the function.
///
/// A symbol's value comes from an operation of the entry block marked with
/// `loop.value`, or from a dimension of an argument that is the symbol or a
/// linear function of it.
class SymbolicValues {
public:
  explicit SymbolicValues(mlir::func::FuncOp function);

  /// The value of `expr`, where `dims` are the values of d0, d1, ... and
  /// `assumptions` what is known of them. Null if a symbol has no value or a
  /// function no code; then `getError` says so.
  Value get(ImplicitLocOpBuilder &b, guard::ExprAttr expr,
            ArrayRef<Value> dims = {},
            const guard::Assumptions &assumptions = guard::Assumptions());

  StringRef getError() const { return error; }

private:
  Value getSymbol(guard::ExprAttr symbol);
  Value emit(ImplicitLocOpBuilder &b, guard::ExprAttr expr,
             ArrayRef<Value> dims, const guard::Assumptions &assumptions);

  /// Where a symbol can be read: factor * symbol + offset = dimension.
  struct Source {
    Value tensor;
    int64_t dim, factor, offset;
  };

  mlir::func::FuncOp function;
  /// The builder of what is computed once: after all of it so far.
  ImplicitLocOpBuilder getTop();
  void setTop(const ImplicitLocOpBuilder &top);

  Operation *last = nullptr; ///< of what is computed once; null: nothing yet
  llvm::DenseMap<guard::ExprAttr, Source> sources;
  llvm::DenseMap<guard::ExprAttr, Value> known;
  std::string error;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOLINALG_SYMBOLICVALUES_H
