//===- MissingGuards.cpp - Guards of what somebody wrote ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MissingGuards.h"

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Import/PT2Importer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace kiln;
using namespace kiln::compiler;
using mlir::func::FuncOp;

Status compiler::addMissingGuards(mlir::ModuleOp module,
                                  llvm::StringRef function) {
  auto found = module.lookupSymbol<FuncOp>(function);
  if (!found)
    return Status::success();
  for (auto guards : module.getOps<guard::ProgramOp>())
    if (guards.getFunction() == function)
      return Status::success();
  return pt2::addGuardProgram(found, {},
                              function == "forward"
                                  ? module.lookupSymbol<FuncOp>("backward")
                                  : FuncOp());
}
