//===- VerifyStage.cpp - The pass kiln-verify-stage -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"

namespace kiln {
#define GEN_PASS_DEF_KILNVERIFYSTAGEPASS
#include "kiln/Transforms/Passes.h.inc"
} // namespace kiln

using namespace kiln;

namespace {

struct VerifyStage : kiln::impl::KilnVerifyStagePassBase<VerifyStage> {
  using KilnVerifyStagePassBase::KilnVerifyStagePassBase;

  void runOnOperation() override {
    std::optional<Stage> wanted = parseStage(stage);
    if (!wanted) {
      mlir::emitError(getOperation()->getLoc())
          << "option 'stage' is '" << stage << "', expected one of "
          << llvm::join(stageNames(), ", ");
      return signalPassFailure();
    }
    // Nests need the names alone, and programs verify their own symbols.
    if (auto module = llvm::dyn_cast<ModuleOp>(getOperation());
        module && *wanted <= Stage::Joint &&
        failed(guard::verifyDeclaredSymbols(module)))
      return signalPassFailure();
    if (failed(verifyStage(getOperation(), *wanted, keepsDerivatives)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

void kiln::addStageVerifier(mlir::OpPassManager &pm, Stage stage,
                            bool keepsDerivatives) {
  KilnVerifyStagePassOptions options;
  options.stage = stageName(stage).str();
  options.keepsDerivatives = keepsDerivatives;
  pm.addPass(createKilnVerifyStagePass(options));
}
