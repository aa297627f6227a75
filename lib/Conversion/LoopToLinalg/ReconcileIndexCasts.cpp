//===- ReconcileIndexCasts.cpp - Casts between index and i64 --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Support/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln {
#define GEN_PASS_DEF_KILNRECONCILEINDEXCASTSPASS
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace mlir;

namespace {
class KilnReconcileIndexCasts
    : public kiln::impl::KilnReconcileIndexCastsPassBase<
          KilnReconcileIndexCasts> {
  using KilnReconcileIndexCastsPassBase::KilnReconcileIndexCastsPassBase;

  void runOnOperation() override {
    getOperation().walk([](UnrealizedConversionCastOp op) {
      if (op.getNumOperands() != 1 || op.getNumResults() != 1)
        return;
      Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
      if (!(from.isIndex() && to.isInteger(64)) &&
          !(from.isInteger(64) && to.isIndex()))
        return;
      OpBuilder b(op);
      Value value =
          arith::IndexCastOp::create(b, op.getLoc(), to, op.getOperand(0));
      op.getResult(0).replaceAllUsesWith(value);
      op.erase();
    });
  }
};
} // namespace
