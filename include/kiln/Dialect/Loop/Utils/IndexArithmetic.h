//===- IndexArithmetic.h - Functions of expressions as arith --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one function of an index expression is in `arith`. Where leaves come
// from is the emitter's business: loaded arguments, dimensions of tensors, lanes
// of a vector.
//
//   // expr is `d0 floordiv 4`: arith.divui if the assumptions say d0 >= 0
//   Value row = emitIndexFunction(b, expr, {index, four}, assumptions);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_UTILS_INDEXARITHMETIC_H
#define KILN_DIALECT_LOOP_UTILS_INDEXARITHMETIC_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::loop {

/// The outermost function of `expr` on the values of its operands, which are all
/// `index` or all vectors of one length of it. Truth is 0 or 1. Divisions are
/// unsigned where `assumptions` allow it, which a compiler turns into
/// multiplications. Null for powers and functions of floats.
Value emitIndexFunction(mlir::ImplicitLocOpBuilder &b, guard::ExprAttr expr,
                        ArrayRef<Value> operands,
                        const guard::Assumptions &assumptions);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_UTILS_INDEXARITHMETIC_H
