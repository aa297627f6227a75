//===- Miscompile.cpp - A pass that is wrong ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is looked for when numbers come out wrong, with a cause that is known: the
// test of kiln-reduce finds it. In a difference whose second operand is an exponential
// the operands are exchanged.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace {
struct Miscompile
    : mlir::PassWrapper<Miscompile, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Miscompile)

  llvm::StringRef getArgument() const final { return "test-miscompile"; }
  llvm::StringRef getDescription() const final {
    return "Exchange the operands of differences that take an exponential away";
  }

  void runOnOperation() override {
    getOperation().walk([](mlir::Operation *op) {
      if (op->getName().getStringRef() != "aten.sub.Tensor")
        return;
      mlir::Value left = op->getOperand(0), right = op->getOperand(1);
      mlir::Operation *maker = right.getDefiningOp();
      if (!maker || maker->getName().getStringRef() != "aten.exp")
        return;
      op->setOperand(0, right);
      op->setOperand(1, left);
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "KilnTestExternalModels", "1",
          [] { mlir::PassRegistration<Miscompile>(); }};
}
