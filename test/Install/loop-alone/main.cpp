//===- main.cpp - One dialect of Kiln and its fusion ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler that has its own way to loop nests and takes Kiln's fusion alone.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

static const char kProgram[] = R"mlir(
  func.func @f(%x: tensor<8x16xf32>) -> tensor<8xf32> {
    %e = loop.pointwise (%i, %j) in [8, 16] : tensor<8x16xf32> {
      %v = loop.load %x[%i, %j] : tensor<8x16xf32>
      %w = math.exp %v : f32
      loop.yield %w : f32
    }
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [16] <sum>
        : tensor<8xf32> {
      %v = loop.load %e[%i, %j] : tensor<8x16xf32>
      loop.yield %v : f32
    }
    return %s : tensor<8xf32>
  }
)mlir";

int main() {
  mlir::MLIRContext context;
  context.loadDialect<kiln::loop::LoopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kProgram, &context);
  if (!module)
    return 1;
  mlir::PassManager pm(&context);
  mlir::OpPassManager &functions = pm.nest<mlir::func::FuncOp>();
  functions.addPass(kiln::loop::createInlineVirtualPass());
  functions.addPass(kiln::loop::createFusePass());
  if (mlir::failed(pm.run(*module)))
    return 1;
  unsigned kernels = 0;
  module->walk([&](kiln::loop::KernelOp) { ++kernels; });
  llvm::outs() << kernels << " kernel\n";
  return kernels == 1 ? 0 : 1;
}
