//===- RunMain.h - Walk the launches of a function ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_RUNMAIN_H
#define KILN_TEST_UNITTESTS_CONVERSION_RUNMAIN_H

#include "ElementBytes.h"
#include "LoopInterpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "gtest/gtest.h"

namespace kiln::loop {

/// Does what a runtime does with the function `main`, which is launches alone:
/// `runner.give(argument, number, array, strides)` for each argument, with the strides
/// that it states, or else dense ones, `runner.launch(op)` for each launch, and
/// `runner.read(value)` for what it returns. A launch that gives false, and any other
/// op, fails the test and gives nothing.
template <typename Launch, typename Runner>
std::vector<Array> runMain(mlir::ModuleOp module, Runner &runner,
                           llvm::ArrayRef<Array> arguments,
                           const SymbolValues &symbols) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  mlir::Block &block = function.getBody().front();
  for (auto [k, argument] : llvm::enumerate(block.getArguments())) {
    std::vector<int64_t> strides = denseStrides(arguments[k].sizes);
    if (auto stated = function.template getArgAttrOfType<guard::ShapeAttr>(
            k, kStridesAttrName))
      for (auto [n, stride] : llvm::enumerate(stated))
        strides[n] = evaluateExpr(stride, symbols);
    runner.give(argument, k, arguments[k], std::move(strides));
  }
  for (mlir::Operation &op : block.without_terminator()) {
    if (llvm::isa<AssembleOp>(op)) // its parts are where it has them
      continue;
    auto launch = llvm::dyn_cast<Launch>(op);
    if (!launch) {
      ADD_FAILURE() << "found " << op.getName().getStringRef().str()
                    << " beside the launches";
      return {};
    }
    if (!runner.launch(launch))
      return {};
  }
  std::vector<Array> results;
  for (mlir::Value value : block.getTerminator()->getOperands())
    results.push_back(runner.read(value));
  return results;
}

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_RUNMAIN_H
