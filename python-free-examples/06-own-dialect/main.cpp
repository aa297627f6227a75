//===- main.cpp - Gradients of a dialect that Kiln does not know ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wave.h"

#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

// f(x, y) = sin(x * y) * cos(x): x is used twice, its gradients are added.
static const char kProgram[] = R"mlir(
  func.func @main(%x: tensor<f64> {joint.requires_grad},
                  %y: tensor<f64> {joint.requires_grad}) -> tensor<f64> {
    %product = wave.mul %x, %y : tensor<f64>
    %sin = wave.sin %product : tensor<f64>
    %cos = wave.cos %x : tensor<f64>
    %result = wave.mul %sin, %cos : tensor<f64>
    return %result : tensor<f64>
  }
)mlir";

static double f(double x, double y) { return std::sin(x * y) * std::cos(x); }

/// The outputs and then the gradients of `graph`.
static SmallVector<double> evaluate(kiln::joint::GraphOp graph,
                                    ArrayRef<double> inputs) {
  llvm::DenseMap<Value, double> values;
  Block &block = graph.getBody().front();
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), inputs))
    values[argument] = input;
  for (Operation &op : block.without_terminator()) {
    auto at = [&](unsigned i) { return values.at(op.getOperand(i)); };
    values[op.getResult(0)] =
        llvm::TypeSwitch<Operation *, double>(&op)
            .Case([&](wave::SinOp) { return std::sin(at(0)); })
            .Case([&](wave::CosOp) { return std::cos(at(0)); })
            .Case([&](wave::NegOp) { return -at(0); })
            .Case([&](wave::MulOp) { return at(0) * at(1); })
            .Case([&](arith::AddFOp) { return at(0) + at(1); });
  }
  SmallVector<double> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(values.at(operand));
  return results;
}

int main() {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, wave::WaveDialect,
                      kiln::joint::JointDialect>();
  auto module = parseSourceString<ModuleOp>(kProgram, &context);
  PassManager differentiate(&context);
  differentiate.addPass(kiln::joint::createJointDifferentiatePass());
  if (!module || failed(differentiate.run(*module)))
    return 1;
  module->print(llvm::outs());

  auto graph = *module->getOps<kiln::joint::GraphOp>().begin();
  const double x = 0.7, y = -1.3, h = 1e-6;
  SmallVector<double> found = evaluate(graph, {x, y, /*tangent=*/1.0});
  double expected[] = {f(x, y), (f(x + h, y) - f(x - h, y)) / (2 * h),
                       (f(x, y + h) - f(x, y - h)) / (2 * h)};
  if (found.size() != 3)
    return 1;
  for (unsigned i = 0; i < 3; ++i) {
    llvm::outs() << llvm::formatv("{0,9:f6} expected {1,9:f6}\n", found[i],
                                  expected[i]);
    if (!(std::fabs(found[i] - expected[i]) < 1e-8))
      return 1;
  }

  // Cut into two functions, with little saved in between.
  PassManager partition(&context);
  partition.addPass(kiln::joint::createJointPartitionPass());
  if (failed(partition.run(*module)))
    return 1;
  module->print(llvm::outs());
  return module->lookupSymbol<func::FuncOp>("forward") &&
                 module->lookupSymbol<func::FuncOp>("backward")
             ? 0
             : 1;
}
