//===- NarrowResults.h - Results as narrow as what they are made of - -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_NARROWRESULTS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_NARROWRESULTS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::loop {

/// Lets operand `isLeft` of `op`, which has elements of type `narrow` now, be
/// extended to `wide` before all else that its prologue does.
void extendOperand(ContractOp op, bool isLeft, Type narrow, Type wide,
                   Location location);

/// Stores elements that are extended last as they are before that: half the
/// memory, and what a matrix unit takes. Who reads them extends them.
///
///   pointwise { ... extf %x : bf16 to f32; yield }    load : f32
///   pointwise { ... yield %x }                        load : bf16, extf
///
/// Results of which others than loads and contractions are users stay as they
/// are, and factors of products whose other factor is of another type, or for
/// whose type the target has no units: wide ones are multiplied where they lie.
void narrowResults(mlir::func::FuncOp function,
                   llvm::function_ref<bool(mlir::Type)> hasUnits);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_NARROWRESULTS_H
