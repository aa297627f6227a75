//===- KernelModule.cpp - The module that holds emitted kernels -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/KernelModule.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kiln;
using mlir::ModuleOp;

static constexpr llvm::StringLiteral kModuleName = "kernels";

ModuleOp loop::getKernelModule(ModuleOp program) {
  return program.lookupSymbol<ModuleOp>(kModuleName);
}

ModuleOp loop::getOrCreateKernelModule(ModuleOp program) {
  if (ModuleOp home = getKernelModule(program))
    return home;
  auto builder = mlir::OpBuilder::atBlockEnd(program.getBody());
  return ModuleOp::create(builder, program.getLoc(), kModuleName);
}

llvm::LogicalResult loop::verifyNestsInKernels(ModuleOp program) {
  bool isRight = true;
  program.walk([&](NestOpInterface nest) {
    if (llvm::isa<KernelOp>(nest->getParentOp()))
      return;
    nest->emitOpError("stands in no 'loop.kernel', of which code is made; run "
                    "'loop-fuse' first");
    isRight = false;
  });
  return llvm::success(isRight);
}

llvm::LogicalResult loop::verifyElements(KernelOp kernel) {
  auto result = kernel.walk([](mlir::Operation *op) {
    for (mlir::Value value : op->getResults()) {
      mlir::Type type = mlir::getElementTypeOrSelf(value.getType());
      if (type.isIntOrIndexOrFloat())
        continue;
      op->emitOpError() << "gives elements of type " << type
                        << ", expected integers or floats, of which code is made";
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return llvm::failure(result.wasInterrupted());
}

std::string loop::getFreeName(mlir::Operation *home, llvm::StringRef name) {
  std::string free = name.str();
  for (unsigned k = 1; mlir::SymbolTable::lookupSymbolIn(home, free); ++k)
    free = (name + "_" + llvm::Twine(k)).str();
  return free;
}
