//===- ScalarInterpreter.h - What operations on numbers mean ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_SCALARINTERPRETER_H
#define KILN_TEST_UNITTESTS_CONVERSION_SCALARINTERPRETER_H

#include "LoopInterpreter.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace kiln::loop {

/// One operation on numbers; the result is rounded to its type by the caller.
Scalar evaluate(mlir::Operation &op, llvm::ArrayRef<Scalar> in,
                const SymbolValues &symbols);
/// A constant.
Scalar toScalar(mlir::Attribute value);
/// The bits of an integer of `type` as a number that is not negative.
int64_t asUnsigned(mlir::Type type, int64_t value);
/// NaN if one is.
double maximum(double x, double y);
double minimum(double x, double y);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_SCALARINTERPRETER_H
