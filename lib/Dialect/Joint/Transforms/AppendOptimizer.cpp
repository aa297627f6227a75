//===- AppendOptimizer.cpp - The pass joint-append-optimizer --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::joint {
#define GEN_PASS_DEF_JOINTAPPENDOPTIMIZERPASS
#include "kiln/Dialect/Joint/Transforms/Passes.h.inc"

namespace {

namespace func_impl = mlir::function_interface_impl;

/// Rewrites one graph, whose dialect labels arguments and results.
class Appender {
public:
  Appender(GraphOp graph, const GradientDialectInterface &dialect,
           const OptimizerConfig &config)
      : graph(graph), dialect(dialect), config(config),
        block(graph.getBody().front()) {}

  LogicalResult run();

private:
  void collect();
  Value addPrimal(Type type, DictionaryAttr attrs);
  void setSignature();
  void guardWhatIsWritten();

  GraphOp graph;
  const GradientDialectInterface &dialect;
  const OptimizerConfig &config;
  Block &block;
  SmallVector<DictionaryAttr> argAttrs, resultAttrs;
  SmallVector<ParameterUpdate> updates;
  SmallVector<DictionaryAttr> paramAttrs;          ///< of each update
  SmallVector<Value> results;                      ///< new second results
  int64_t numPrimals = 0;
};

} // namespace

/// Pairs gradients with their parameters by the labels that
/// `joint-differentiate` gave them; gradients of inputs stay results.
void Appender::collect() {
  numPrimals = graph.getNumPrimals();
  for (unsigned i = 0; i < block.getNumArguments(); ++i)
    argAttrs.push_back(func_impl::getArgAttrDict(graph, i));
  unsigned numOutputs = graph.getNumOutputs();
  for (unsigned i = 0; i < numOutputs; ++i)
    resultAttrs.push_back(func_impl::getResultAttrDict(graph, i));
  SmallVector<DictionaryAttr> inputAttrs;
  auto terminator = llvm::cast<ReturnOp>(block.getTerminator());
  for (auto [i, gradient] : llvm::enumerate(terminator.getGradients())) {
    DictionaryAttr label = func_impl::getResultAttrDict(graph, numOutputs + i);
    mlir::BlockArgument found;
    for (mlir::BlockArgument primal : graph.getPrimals()) {
      DictionaryAttr attrs = argAttrs[primal.getArgNumber()];
      if (!dialect.isUserInput(attrs) &&
          dialect.describeGradient(attrs) == label)
        found = primal;
    }
    if (!found) {
      results.push_back(gradient);
      inputAttrs.push_back(label);
      continue;
    }
    ParameterUpdate update;
    update.parameter = found;
    update.gradient = gradient;
    updates.push_back(std::move(update));
    paramAttrs.push_back(argAttrs[found.getArgNumber()]);
  }
  llvm::append_range(resultAttrs, inputAttrs);
}

Value Appender::addPrimal(Type type, DictionaryAttr attrs) {
  argAttrs.insert(argAttrs.begin() + numPrimals, attrs);
  return block.insertArgument(numPrimals++, type, graph.getLoc());
}

void Appender::setSignature() {
  auto terminator = llvm::cast<ReturnOp>(block.getTerminator());
  SmallVector<Type> types(terminator.getOutputs().getTypes());
  for (Value result : results)
    types.push_back(result.getType());
  OpBuilder builder(terminator);
  ReturnOp::create(builder, terminator.getLoc(), terminator.getOutputs(),
                   results);
  terminator.erase();
  auto toArray = [&](ArrayRef<DictionaryAttr> dictionaries) {
    SmallVector<Attribute> attrs;
    for (DictionaryAttr attr : dictionaries)
      attrs.push_back(attr ? attr : builder.getDictionaryAttr({}));
    return builder.getArrayAttr(attrs);
  };
  graph.setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), types));
  graph.setNumPrimals(numPrimals);
  graph.setArgAttrsAttr(toArray(argAttrs));
  graph.setResAttrsAttr(toArray(resultAttrs));
}

/// Guards were made of what the program alone writes. From now on a step writes
/// the parameters and their state too, while it still reads what the caller
/// passed.
void Appender::guardWhatIsWritten() {
  for (auto guards :
       graph->getParentOfType<mlir::ModuleOp>().getOps<guard::ProgramOp>()) {
    if (guards.getFunction() != graph.getSymName())
      continue;
    Block &checks = guards.getBody().front();
    llvm::SmallDenseSet<uint64_t> alone;
    for (auto check : checks.getOps<guard::CheckNoAliasOp>())
      alone.insert(check.getSlot());
    // Relations between sizes stand last, as they read worst.
    auto relation = llvm::find_if(checks, llvm::IsaPred<guard::CheckExprOp>);
    OpBuilder builder(&checks, relation);
    auto add = [&](Value written) {
      unsigned slot = llvm::cast<mlir::BlockArgument>(written).getArgNumber();
      if (alone.insert(slot).second)
        guard::CheckNoAliasOp::create(builder, graph.getLoc(), slot,
                                      dialect.getName(argAttrs[slot]));
    };
    for (const ParameterUpdate &update : updates) {
      add(update.parameter);
      llvm::for_each(update.state, add);
    }
  }
}

LogicalResult Appender::run() {
  collect();
  if (updates.empty())
    return graph.emitError("has no gradient of a parameter, expected one for "
                           "an optimizer to use");
  OpBuilder builder(block.getTerminator());
  auto number = RankedTensorType::get({}, builder.getF64Type());
  Value rate = addPrimal(number, dialect.describeState("lr", {}));
  Value step = addPrimal(number, dialect.describeState("step", {}));
  SmallVector<StringRef> names = config.getStateNames();
  SmallVector<SmallVector<DictionaryAttr>> stateAttrs(updates.size());
  for (auto [i, update] : llvm::enumerate(updates))
    for (StringRef name : names) {
      stateAttrs[i].push_back(dialect.describeState(name, paramAttrs[i]));
      update.state.push_back(
          addPrimal(update.parameter.getType(), stateAttrs[i].back()));
    }
  guardWhatIsWritten();
  if (failed(dialect.buildUpdates(builder, graph.getLoc(), config, rate, step,
                                  updates)))
    return graph.emitError("the optimizer's updates could not be built");
  for (auto [i, update] : llvm::enumerate(updates)) {
    auto add = [&](Value contents, Value target,
                   DictionaryAttr attrs) -> LogicalResult {
      if (contents.getType() != target.getType())
        return graph.emitError("an optimizer's update has type ")
               << contents.getType() << ", expected " << target.getType();
      results.push_back(contents);
      resultAttrs.push_back(dialect.describeUpdate(attrs));
      return success();
    };
    if (failed(add(update.newParameter, update.parameter, paramAttrs[i])))
      return failure();
    for (auto [k, state] : llvm::enumerate(update.newState))
      if (failed(add(state, update.state[k], stateAttrs[i][k])))
        return failure();
  }
  setSignature();
  return success();
}

namespace {

struct JointAppendOptimizerPass
    : impl::JointAppendOptimizerPassBase<JointAppendOptimizerPass> {
  using JointAppendOptimizerPassBase::JointAppendOptimizerPassBase;
  void runOnOperation() override;
};

} // namespace

void JointAppendOptimizerPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Joint, Stage::Joint})))
    return signalPassFailure();
  std::string problem;
  auto config = OptimizerConfig::parse(optimizer, problem);
  if (!config) {
    getOperation().emitError("option 'optimizer': ") << problem;
    return signalPassFailure();
  }
  if (getOperation().getOps<GraphOp>().empty()) {
    getOperation().emitError("has no 'joint.graph' to end with an optimizer; "
                             "run 'joint-differentiate' first");
    return signalPassFailure();
  }
  const GradientDialectInterface *dialect =
      getGradientDialectInterface(&getContext());
  for (GraphOp graph : getOperation().getOps<GraphOp>()) {
    if (!dialect) {
      graph.emitError("no loaded dialect says which arguments are parameters");
      return signalPassFailure();
    }
    if (failed(Appender(graph, *dialect, *config).run()))
      return signalPassFailure();
  }
}

} // namespace kiln::joint
