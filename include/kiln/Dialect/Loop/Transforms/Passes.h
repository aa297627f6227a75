//===- Passes.h - Passes on loop nests --------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and registration of the passes of Passes.td, where each is
// described.
//
//   loop::FusePassOptions options;
//   options.maxNests = 16;
//   pm.addNestedPass<mlir::func::FuncOp>(loop::createFusePass(options));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_PASSES_H
#define KILN_DIALECT_LOOP_TRANSFORMS_PASSES_H

#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Support/BoundedOption.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln::loop {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_PASSES_H
