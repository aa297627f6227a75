//===- DifferentiableOpInterface.cpp - Ops with a gradient ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"

#include "kiln/Interfaces/DifferentiableOpInterface.cpp.inc"

namespace kiln {

void GradientSum::add(OpBuilder &builder, Location loc,
                      const GradientDialectInterface *dialect, Value gradient) {
  auto plus = [&](Value a, Value b) -> Value {
    if (dialect)
      return dialect->buildAdd(builder, loc, a, b);
    return mlir::arith::AddFOp::create(builder, loc, a, b);
  };
  auto widen = [&](Value v) { return dialect->buildWiden(builder, loc, v); };
  if (!sum) {
    sum = gradient;
    return;
  }
  if (wide) {
    wide = plus(wide, widen(gradient));
    return;
  }
  if (!first) {
    first = sum;
    last = gradient;
  } else if (dialect) {
    Value third = widen(gradient);
    if (third != gradient) {
      wide = plus(plus(widen(first), widen(last)), third);
      return;
    }
  }
  sum = plus(sum, gradient);
}

Value GradientSum::get(OpBuilder &builder, Location loc,
                       const GradientDialectInterface *dialect) const {
  return wide ? dialect->buildNarrow(builder, loc, wide, sum.getType()) : sum;
}

const GradientDialectInterface *
getGradientDialectInterface(MLIRContext *context) {
  // `getLoadedDialects` is sorted by name, so the answer is stable.
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    if (auto *found =
            dialect->getRegisteredInterface<GradientDialectInterface>())
      return found;
  return nullptr;
}

} // namespace kiln
