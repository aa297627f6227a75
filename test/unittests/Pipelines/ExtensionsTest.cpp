//===- ExtensionsTest.cpp - Dialects and what is attached to them ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialects alone read IR; passes want the extensions, in whatever order and
// however often both are registered.
//
//===----------------------------------------------------------------------===//

#include "kiln/InitAll.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace kiln;

namespace {

constexpr char kForeignProgram[] = R"(
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %0 = aten.softmax.int(%w, dim = 0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.mul.Tensor(%0, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.sum(%1) : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
)";

using Register = void (*)(mlir::DialectRegistry &);

class Compiled {
public:
  explicit Compiled(std::initializer_list<Register> steps) {
    registry_.insert<mlir::func::FuncDialect>();
    for (Register step : steps)
      step(registry_);
    context_.appendDialectRegistry(registry_);
    mlir::ScopedDiagnosticHandler collect(
        &context_, [&](mlir::Diagnostic &diagnostic) {
          errors += diagnostic.str() + "\n";
          return mlir::success();
        });
    module = mlir::parseSourceString<ModuleOp>(kForeignProgram, &context_);
    if (!module)
      return;
    module->walk([&](DifferentiableOpInterface) { ++differentiable; });
    mlir::PassManager pm(&context_);
    CorePipelineOptions core;
    core.training = true;
    buildCorePipeline(pm, core);
    buildJointPipeline(pm, {});
    if (mlir::failed(pm.run(*module)))
      return;
    if (auto backward = module->lookupSymbol<mlir::func::FuncOp>("backward"))
      gradients = backward.getNumResults();
  }

private:
  mlir::DialectRegistry registry_;
  MLIRContext context_{MLIRContext::Threading::DISABLED};

public:
  mlir::OwningOpRef<ModuleOp> module;
  std::string errors;
  unsigned differentiable = 0, gradients = 0;
};

TEST(ExtensionsTest, DialectsAloneReadIR) {
  Compiled alone({registerAllDialects});
  ASSERT_TRUE(alone.module) << alone.errors;
  EXPECT_EQ(alone.differentiable, 0u);
  EXPECT_EQ(alone.gradients, 0u);
}

TEST(ExtensionsTest, OrderAndNumberDoNotMatter) {
  const std::initializer_list<Register> orders[] = {
      {registerAllDialects, registerAllExtensions},
      {registerAllExtensions, registerAllDialects},
      {registerAllDialects, registerAllExtensions, registerAllExtensions,
       registerAllDialects}};
  for (const auto &order : orders) {
    Compiled compiled(order);
    ASSERT_TRUE(compiled.module) << compiled.errors;
    EXPECT_GE(compiled.differentiable, 2u);
    EXPECT_EQ(compiled.gradients, 1u) << compiled.errors;
  }
}

} // namespace
