//===- ReduceGraph.cpp - The pass kiln-reduce-graph -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Tester.h"

#include <array>

using namespace mlir;

/// What shrinks, the most important first: ops, results, arguments.
using Size = std::array<size_t, 3>;

/// The functions that are graphs, in order.
static SmallVector<func::FuncOp> getGraphs(ModuleOp module) {
  SmallVector<func::FuncOp> graphs;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.getBody().hasOneBlock() &&
        isa<func::ReturnOp>(function.getBody().front().back()))
      graphs.push_back(function);
  return graphs;
}

static Size getSize(ModuleOp module) {
  Size size = {};
  for (func::FuncOp graph : getGraphs(module)) {
    size[0] += graph.getBody().front().getOperations().size();
    size[1] += graph.getNumResults();
    size[2] += graph.getNumArguments();
  }
  return size;
}

//===----------------------------------------------------------------------===//
// What is tried on an op
//===----------------------------------------------------------------------===//

/// Returns one value less than the op does, or its makers' operands instead.
static bool returnLess(func::FuncOp graph, Operation *op, bool operands) {
  if (!isa<func::ReturnOp>(op) || op->getNumOperands() == 0)
    return false;
  Value dropped = op->getOperands().back();
  SmallVector<Value> values(op->getOperands().drop_back());
  if (operands) {
    if (!dropped.getDefiningOp())
      return false;
    for (Value operand : dropped.getDefiningOp()->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          operand.getDefiningOp() && !llvm::is_contained(values, operand))
        values.push_back(operand);
  }
  op->setOperands(values);
  // What was said of the results is no longer true of these.
  graph.removeResAttrsAttr();
  return true;
}

static bool replaceByOperand(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(operand);
      return true;
    }
  return false;
}

static bool replaceByArguments(func::FuncOp graph, Operation *op) {
  if (op->getNumResults() == 0 || op->use_empty())
    return false;
  for (Value result : op->getResults()) {
    if (failed(graph.insertArgument(graph.getNumArguments(), result.getType(),
                                    {}, op->getLoc())))
      return false;
    result.replaceAllUsesWith(graph.getArguments().back());
  }
  return true;
}

/// Tries edit `kind` on an op; false if there is nothing to do.
static constexpr unsigned kEdits = 4;
static bool edit(func::FuncOp graph, Operation *op, unsigned kind) {
  switch (kind) {
  case 0:
    return returnLess(graph, op, /*operands=*/false);
  case 1:
    return returnLess(graph, op, /*operands=*/true);
  case 2:
    return replaceByOperand(op);
  default:
    return replaceByArguments(graph, op);
  }
}

/// Leaves out what nobody reads, and states the function's type again.
static void cleanUp(func::FuncOp graph) {
  Block &block = graph.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  graph.setFunctionType(
      FunctionType::get(graph.getContext(), block.getArgumentTypes(),
                        block.getTerminator()->getOperandTypes()));
  BitVector unread(graph.getNumArguments());
  for (BlockArgument argument : graph.getArguments())
    if (argument.use_empty())
      unread.set(argument.getArgNumber());
  (void)graph.eraseArguments(unread);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isInteresting(const Tester &tester, ModuleOp module) {
  return tester.isInteresting(module).first == Tester::Interestingness::True;
}

namespace {

class ReduceGraph : public PassWrapper<ReduceGraph, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceGraph)
  ReduceGraph() = default;
  ReduceGraph(const ReduceGraph &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "kiln-reduce-graph"; }
  StringRef getDescription() const final {
    return "Cut graphs as long as a tester finds them interesting";
  }

  void runOnOperation() override {
    Tester tester(test, testArguments);
    if (!isInteresting(tester, getOperation())) {
      getOperation()->emitError()
          << "the tester '" << test
          << "' does not find this interesting, expected exit code 1 for it";
      return signalPassFailure();
    }
    while (reduceOnce(tester)) {
    }
  }

private:
  /// One round over all ops; true if something became smaller.
  bool reduceOnce(const Tester &tester) {
    bool changed = false;
    for (unsigned g = 0; g < getGraphs(getOperation()).size(); ++g) {
      auto count = [&] {
        func::FuncOp graph = getGraphs(getOperation())[g];
        return graph.getBody().front().getOperations().size();
      };
      // An edit may take others along: what is left is looked at again.
      for (size_t i = count(); i > 0; i = std::min(i - 1, count()))
        for (unsigned kind = 0; kind < kEdits; ++kind)
          if (i <= count() && tryEdit(tester, g, i - 1, kind))
            changed = true;
    }
    return changed;
  }

  /// Edits a copy, which becomes the module if it is smaller and interesting.
  bool tryEdit(const Tester &tester, unsigned g, size_t i, unsigned kind) {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> copy(module.clone());
    func::FuncOp graph = getGraphs(*copy)[g];
    Operation *op = &*std::next(graph.getBody().front().begin(), i);
    if (!edit(graph, op, kind))
      return false;
    cleanUp(graph);
    if (getSize(*copy) >= getSize(module))
      return false;
    {
      // That an attempt is wrong is none of the user's business.
      ScopedDiagnosticHandler quiet(&getContext(),
                                    [](Diagnostic &) { return success(); });
      if (failed(verify(*copy)))
        return false;
    }
    if (!isInteresting(tester, *copy))
      return false;
    module.getBodyRegion().takeBody(copy->getBodyRegion());
    return true;
  }

  Option<std::string> test{
      *this, "test",
      llvm::cl::desc("A program that is run with a file and exits with 1 if that "
                     "is interesting.")};
  ListOption<std::string> testArguments{
      *this, "test-arg", llvm::cl::desc("Arguments before the file.")};
};

} // namespace

void kiln::tools::registerReduceGraphPass() { PassRegistration<ReduceGraph>(); }
