//===- main.cpp - From linalg to kernels ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   linalg-compiler IN.mlir OUT.mlir
//
// Writes fused kernels to OUT.mlir, and makes code of them to show the rest of the
// way.
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/LinalgToLoop/Passes.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/InitAll.h"
#include "kiln/Pipelines/Pipelines.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: linalg-compiler IN.mlir OUT.mlir\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<func::FuncDialect, linalg::LinalgDialect,
                  tensor::TensorDialect>();
  kiln::registerAllDialects(registry);
  kiln::registerAllExtensions(registry);
  kiln::target::registerKernelDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 3;
  unsigned structured = 0, kernels = 0;
  module->walk([&](linalg::LinalgOp) { ++structured; });

  PassManager fusion(&context);
  fusion.addNestedPass<func::FuncOp>(kiln::createConvertLinalgToLoopPass());
  kiln::buildFusionPipeline(fusion, kiln::LoopPipelineOptions());
  if (failed(fusion.run(*module)))
    return 4;
  module->walk([&](kiln::loop::KernelOp) { ++kernels; });
  llvm::outs() << structured << " structured ops became " << kernels
               << " kernels\n";
  auto out = openOutputFile(argv[2]);
  if (!out)
    return 3;
  module->print(out->os());
  out->keep();

  PassManager code(&context);
  kiln::buildKernelPipeline(code);
  kiln::buildProgramPipeline(code);
  kiln::buildNativePipeline(code);
  return failed(code.run(*module));
}
