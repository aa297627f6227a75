//===- main.cpp - Kiln's pipelines with a pass of one's own ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/InitAll.h"
#include "kiln/Pipelines/Pipelines.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

static const char kProgram[] = R"mlir(
  func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>)
      -> tensor<8xf32> {
    %sin = aten.sin(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %product = aten.mul.Tensor(%sin, %y)
        : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %sum = aten.sum.dim_IntList(%product, dim = [1])
        : (tensor<8x16xf32>) -> tensor<8xf32>
    return %sum : tensor<8xf32>
  }
)mlir";

namespace {
/// Tells about each fused kernel, between Kiln's loop and kernel stages.
struct DescribeKernels
    : mlir::PassWrapper<DescribeKernels, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DescribeKernels)

  void runOnOperation() override {
    getOperation().walk([](kiln::loop::KernelOp kernel) {
      llvm::outs() << "kernel: " << kernel->getNumOperands() << " inputs, "
                   << kernel->getNumResults() << " results\n";
    });
  }
};
} // namespace

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  kiln::registerAllDialects(registry);
  kiln::registerAllExtensions(registry);
  kiln::target::registerKernelDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kProgram, &context);
  if (!module)
    return 1;

  mlir::PassManager pm(&context);
  kiln::buildCorePipeline(pm, kiln::CorePipelineOptions());
  kiln::LoopPipelineOptions loop;
  loop.vectorBits = 256;
  kiln::buildLoopPipeline(pm, loop);
  pm.addPass(std::make_unique<DescribeKernels>());
  kiln::buildKernelPipeline(pm);
  if (mlir::failed(pm.run(*module)))
    return 1;

  auto kernels = module->lookupSymbol<mlir::ModuleOp>("kernels");
  for (mlir::Operation &function : *kernels.getBody())
    llvm::outs() << "function: "
                 << mlir::SymbolTable::getSymbolName(&function).getValue()
                 << "\n";
  return 0;
}
