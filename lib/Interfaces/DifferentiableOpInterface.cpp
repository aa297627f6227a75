//===- DifferentiableOpInterface.cpp - Ops with a gradient ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/DifferentiableOpInterface.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"

#include "kiln/Interfaces/DifferentiableOpInterface.cpp.inc"

namespace kiln {

const GradientDialectInterface *
getGradientDialectInterface(MLIRContext *context) {
  // `getLoadedDialects` is sorted by name, so the answer is stable.
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    if (auto *found =
            dialect->getRegisteredInterface<GradientDialectInterface>())
      return found;
  return nullptr;
}

} // namespace kiln
