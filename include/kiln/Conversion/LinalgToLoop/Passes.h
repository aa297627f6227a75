//===- Passes.h - From linalg to loop nests ---------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-linalg-to-loop`; Passes.td says what it takes. A compiler that
// has `linalg` gets Kiln's kernels by
//
//   pm.addNestedPass<mlir::func::FuncOp>(createConvertLinalgToLoopPass());
//   buildFusionPipeline(pm, options); // kiln/Pipelines/Pipelines.h
//   buildKernelPipeline(pm);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LINALGTOLOOP_PASSES_H
#define KILN_CONVERSION_LINALGTOLOOP_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Conversion/LinalgToLoop/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/LinalgToLoop/Passes.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_LINALGTOLOOP_PASSES_H
