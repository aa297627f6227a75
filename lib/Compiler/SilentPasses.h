//===- SilentPasses.h - Passes that tell nobody of errors -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is only tried may fail: while an object of this lives, errors are kept instead of
// printed, and the first one is what a failure says.
//
//   SilentPasses passes(module.getContext());
//   Status lowered = passes.run(module, [](mlir::PassManager &pm) { ... });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_SILENTPASSES_H
#define KILN_LIB_COMPILER_SILENTPASSES_H

#include "kiln/Base/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::compiler {

class SilentPasses {
public:
  explicit SilentPasses(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
              complaint.empty())
            complaint = diagnostic.str();
          return mlir::success();
        }) {}

  /// Runs, without the verifier, the passes that `build` adds.
  Status run(mlir::ModuleOp module,
             llvm::function_ref<void(mlir::PassManager &)> build) {
    mlir::PassManager pm(module.getContext(), "builtin.module",
                         mlir::OpPassManager::Nesting::Explicit);
    pm.enableVerifier(false);
    build(pm);
    if (failed(pm.run(module)))
      return Error::unsupported(complaint.empty() ? "cannot be lowered"
                                                  : complaint);
    return Status::success();
  }

private:
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_SILENTPASSES_H
