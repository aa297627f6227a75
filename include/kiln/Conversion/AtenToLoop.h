//===- AtenToLoop.h - From aten operators to loop nests ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-aten-to-loop`; its description is in AtenToLoop/Passes.td.
// It asks ops for LoopLoweringOpInterface: those of ATen implement it by an
// external model, which the pass registers itself.
//
//   pm.addNestedPass<mlir::func::FuncOp>(createConvertAtenToLoopPass());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_ATENTOLOOP_H
#define KILN_CONVERSION_ATENTOLOOP_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/AtenToLoop/Passes.h.inc"

/// Lets every op of ATen whose record has a lowering or a loop body implement
/// LoopLoweringOpInterface.
void registerAtenLoopLowerings(mlir::DialectRegistry &registry);

} // namespace kiln

#endif // KILN_CONVERSION_ATENTOLOOP_H
