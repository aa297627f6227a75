//===- PartitionGraph.cpp - The pass joint-partition ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Partition.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace kiln::joint {
#define GEN_PASS_DEF_JOINTPARTITIONPASS
#include "kiln/Dialect/Joint/Transforms/Passes.h.inc"

namespace {

using guard::ExprAttr;
using mlir::func::FuncOp;

/// The values and ops of a graph by the numbers of its problem.
struct Numbering {
  explicit Numbering(GraphOp graph) {
    for (Value argument : graph.getBody().getArguments())
      values.push_back(argument);
    for (Operation &op : graph.getBody().front().without_terminator()) {
      ops.push_back(&op);
      values.append(op.result_begin(), op.result_end());
    }
  }

  SmallVector<Value> values;
  SmallVector<Operation *> ops;
};

/// Writes the two functions of one graph.
class Cutter {
public:
  Cutter(GraphOp graph, const Numbering &numbering, const PartitionResult &cut)
      : graph(graph), values(numbering.values), ops(numbering.ops), cut(cut),
        builder(graph),
        dialect(getGradientDialectInterface(graph.getContext())) {}

  /// The backward comes first: what it says of sizes is known then, and the
  /// forward hands it those that none of its tensors has.
  FuncOp buildBackward(StringRef name);
  FuncOp buildForward(StringRef name);

private:
  FuncOp makeFunction(StringRef name, ArrayRef<Type> inputs,
                      ArrayRef<Type> results, ArrayRef<DictionaryAttr> argAttrs,
                      ArrayRef<DictionaryAttr> resultAttrs);
  DictionaryAttr describeSaved(unsigned index, bool isResult,
                               ExprAttr size = {}) {
    if (!dialect)
      return DictionaryAttr();
    return isResult ? dialect->describeSavedResult(index)
                    : dialect->describeSavedArgument(index, size);
  }
  Type getNumberType(ExprAttr symbol) {
    return symbol.isFloatTyped() ? Type(builder.getF64Type())
                                 : builder.getI64Type();
  }
  void addSizes(FuncOp backward);
  /// The copy of `value` in the backward; its op is cloned on demand, with the
  /// ops that it needs, so that recomputation stands before its first use.
  void require(Value value, OpBuilder &body, IRMapping &map);
  void cloneAll(Operation *root, OpBuilder &body, IRMapping &map);

  GraphOp graph;
  ArrayRef<Value> values;
  ArrayRef<Operation *> ops;
  const PartitionResult &cut;
  OpBuilder builder;
  const GradientDialectInterface *dialect;
  SmallVector<ExprAttr> sizes;   ///< symbols that the forward hands over
};

/// Tells what was decided.
class Report {
public:
  Report(GraphOp graph, const Numbering &numbering, const PartitionResult &cut)
      : graph(graph), numbering(numbering), cut(cut) {}

  /// Remarks of `forward`. They may be kept for as long as the context, and its
  /// name with them.
  void tell(FuncOp forward);
  InFlightDiagnostic emitUncut();

private:
  void tell(const PartitionReason &reason);
  /// "%5" or "%x"; values are only named where somebody asks.
  std::string getName(int value);

  GraphOp graph;
  const Numbering &numbering;
  const PartitionResult &cut;
  StringRef function; ///< of the remarks
  std::optional<mlir::AsmState> names;
};

/// Identities that have done their work and are left out of both functions.
bool isMark(Operation *op) {
  return llvm::isa<SaveOp, RecomputeOp, DetachOp>(op);
}

} // namespace

FuncOp Cutter::makeFunction(StringRef name, ArrayRef<Type> inputs,
                            ArrayRef<Type> results,
                            ArrayRef<DictionaryAttr> argAttrs,
                            ArrayRef<DictionaryAttr> resultAttrs) {
  auto func = FuncOp::create(builder, graph.getLoc(), name,
                             builder.getFunctionType(inputs, results));
  func.addEntryBlock();
  func.setAllArgAttrs(argAttrs);
  func.setAllResultAttrs(resultAttrs);
  return func;
}

FuncOp Cutter::buildForward(StringRef name) {
  SmallVector<Type> inputs, results;
  SmallVector<DictionaryAttr> argAttrs, resultAttrs;
  for (mlir::BlockArgument primal : graph.getPrimals()) {
    inputs.push_back(primal.getType());
    argAttrs.push_back(mlir::function_interface_impl::getArgAttrDict(
        graph, primal.getArgNumber()));
  }
  auto terminator =
      llvm::cast<ReturnOp>(graph.getBody().front().getTerminator());
  for (auto [i, output] : llvm::enumerate(terminator.getOutputs())) {
    results.push_back(output.getType());
    resultAttrs.push_back(
        mlir::function_interface_impl::getResultAttrDict(graph, i));
  }
  for (auto [i, saved] : llvm::enumerate(cut.saved)) {
    results.push_back(values[saved].getType());
    resultAttrs.push_back(describeSaved(i, /*isResult=*/true));
  }
  for (auto [i, size] : llvm::enumerate(sizes)) {
    results.push_back(getNumberType(size));
    resultAttrs.push_back(
        describeSaved(cut.saved.size() + i, /*isResult=*/true));
  }
  FuncOp func = makeFunction(name, inputs, results, argAttrs, resultAttrs);

  IRMapping map;
  map.map(graph.getPrimals(), func.getArguments());
  OpBuilder body = OpBuilder::atBlockEnd(&func.getBody().front());
  for (int op : cut.forwardOps) {
    if (isMark(ops[op]))
      map.map(ops[op]->getResult(0), map.lookup(ops[op]->getOperand(0)));
    else
      body.clone(*ops[op], map);
  }
  SmallVector<Value> returned;
  for (Value output : terminator.getOutputs())
    returned.push_back(map.lookup(output));
  for (int saved : cut.saved)
    returned.push_back(map.lookup(values[saved]));
  for (ExprAttr size : sizes)
    returned.push_back(guard::ValueOp::create(body, graph.getLoc(),
                                              getNumberType(size), size));
  mlir::func::ReturnOp::create(body, terminator.getLoc(), returned);
  return func;
}

void Cutter::cloneAll(Operation *root, OpBuilder &body, IRMapping &map) {
  // An explicit stack: chains of recomputation may be long.
  SmallVector<Operation *> work = {root};
  while (!work.empty()) {
    Operation *op = work.back();
    if (llvm::all_of(op->getResults(),
                     [&](Value v) { return map.contains(v); })) {
      work.pop_back();
      continue;
    }
    size_t before = work.size();
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == op->getBlock() &&
            !map.contains(operand))
          work.push_back(operand.getDefiningOp());
    });
    if (work.size() != before)
      continue;
    work.pop_back();
    if (isMark(op)) {
      map.map(op->getResult(0), map.lookup(op->getOperand(0)));
      continue;
    }
    // A result that was saved keeps the saved value.
    SmallVector<Value> known;
    for (Value result : op->getResults())
      known.push_back(map.lookupOrNull(result));
    body.clone(*op, map);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), known))
      if (value)
        map.map(result, value);
  }
}

void Cutter::require(Value value, OpBuilder &body, IRMapping &map) {
  if (!map.contains(value))
    cloneAll(value.getDefiningOp(), body, map);
}

FuncOp Cutter::buildBackward(StringRef name) {
  SmallVector<Type> inputs, results;
  SmallVector<DictionaryAttr> argAttrs, resultAttrs;
  SmallVector<Value> sources;
  auto addArgument = [&](Value value, DictionaryAttr attrs) {
    sources.push_back(value);
    inputs.push_back(value.getType());
    argAttrs.push_back(attrs);
  };
  auto getAttrs = [&](Value argument) {
    return mlir::function_interface_impl::getArgAttrDict(
        graph, llvm::cast<mlir::BlockArgument>(argument).getArgNumber());
  };
  for (auto [i, saved] : llvm::enumerate(cut.saved))
    addArgument(values[saved], describeSaved(i, /*isResult=*/false));
  for (int input : cut.keptInputs)
    addArgument(values[input], getAttrs(values[input]));
  for (Value tangent : graph.getTangents())
    addArgument(tangent, getAttrs(tangent));
  auto terminator =
      llvm::cast<ReturnOp>(graph.getBody().front().getTerminator());
  for (auto [i, gradient] : llvm::enumerate(terminator.getGradients())) {
    results.push_back(gradient.getType());
    resultAttrs.push_back(mlir::function_interface_impl::getResultAttrDict(
        graph, graph.getNumOutputs() + i));
  }
  FuncOp func = makeFunction(name, inputs, results, argAttrs, resultAttrs);

  IRMapping map;
  map.map(sources, func.getArguments());
  OpBuilder body = OpBuilder::atBlockEnd(&func.getBody().front());
  std::vector<bool> isRecomputed(ops.size(), false);
  for (int op : cut.recomputedOps)
    isRecomputed[op] = true;
  for (int op : cut.backwardOps)
    if (!isRecomputed[op])
      cloneAll(ops[op], body, map);
  SmallVector<Value> returned;
  for (Value gradient : terminator.getGradients()) {
    require(gradient, body, map);
    returned.push_back(map.lookup(gradient));
  }
  mlir::func::ReturnOp::create(body, terminator.getLoc(), returned);
  addSizes(func);
  return func;
}

/// True if the size of an argument tells what its only symbol is.
static bool tells(ExprAttr size, ExprAttr symbol) {
  std::optional<ExprAttr> factor = guard::getCoefficient(size, symbol);
  return factor && factor->isConstant() && !factor->isConstant(0) &&
         (size - symbol * *factor).isConstant();
}

/// A gradient of a sum has the sizes of what was summed, which no tensor of the
/// backward may have: such sizes are arguments too.
void Cutter::addSizes(FuncOp backward) {
  llvm::SetVector<ExprAttr> mentioned;
  auto mention = [&](ExprAttr expr) {
    SmallVector<StringAttr> names;
    guard::collectSymbols(expr, names);
    for (StringAttr name : names)
      mentioned.insert(guard::getSymbol(expr.getContext(), name.getValue()));
  };
  auto getSizes = [](Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    return (tensor ? guard::getDims(tensor) : std::nullopt)
        .value_or(SmallVector<ExprAttr>());
  };
  for (Type type : backward.getArgumentTypes())
    llvm::for_each(getSizes(type), mention);
  backward.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      llvm::for_each(getSizes(type), mention);
    for (mlir::NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk(mention);
  });
  for (Type type : backward.getArgumentTypes())
    for (ExprAttr size : getSizes(type))
      mentioned.remove_if(
          [&](ExprAttr symbol) { return tells(size, symbol); });
  for (ExprAttr symbol : mentioned) {
    DictionaryAttr attrs = describeSaved(cut.saved.size() + sizes.size(),
                                         /*isResult=*/false, symbol);
    // The caller hands over saved values in order, wherever they stand.
    (void)backward.insertArgument(backward.getNumArguments(),
                                  getNumberType(symbol), attrs,
                                  graph.getLoc());
    sizes.push_back(symbol);
  }
}

namespace {

struct JointPartitionPass : impl::JointPartitionPassBase<JointPartitionPass> {
  using JointPartitionPassBase::JointPartitionPassBase;

  LogicalResult cutGraph(GraphOp graph);
  void runOnOperation() override;
};

} // namespace

std::string Report::getName(int value) {
  if (!names)
    names.emplace(graph, mlir::OpPrintingFlags().useLocalScope());
  std::string name;
  llvm::raw_string_ostream os(name);
  Value(numbering.values[value]).printAsOperand(os, *names);
  return name;
}

InFlightDiagnostic Report::emitUncut() {
  InFlightDiagnostic error =
      graph.emitError("no cut separates forward and backward: ");
  llvm::interleave(
      cut.uncut, [&](int value) { error << "'" << getName(value) << "'"; },
      [&] { error << " -> "; });
  return error;
}

void Report::tell(FuncOp forward) {
  function = forward.getName();
  bool isKept = cut.savedBytes <= cut.budgetBytes;
  if (auto told = mlir::remark::passed(
          graph.getLoc(), remarks::kPartitioned.function(function))) {
    told << mlir::remark::metric("saved_bytes", cut.savedBytes)
         << mlir::remark::metric("storages", cut.saved.size())
         << mlir::remark::metric("recomputed", cut.recomputedOps.size());
    if (isKept)
      told << mlir::remark::metric("budget_bytes", cut.budgetBytes);
  }
  if (cut.budgetBytes >= 0 && !isKept)
    if (auto told = mlir::remark::missed(
            graph.getLoc(), remarks::kOverBudget.function(function)))
      told << mlir::remark::metric("budget_bytes", cut.budgetBytes);
  for (const PartitionReason &reason : cut.reasons)
    tell(reason);
}

void Report::tell(const PartitionReason &reason) {
  using Action = PartitionReason::Action;
  Operation *op = reason.op < 0 ? nullptr : numbering.ops[reason.op];
  Location location =
      op ? op->getLoc() : numbering.values[reason.value].getLoc();
  bool isSaved = reason.action == Action::Save;
  auto told =
      reason.action == Action::KeepInput
          ? mlir::remark::analysis(location,
                                   remarks::kKeptInput.function(function))
          : mlir::remark::passed(
                location, (isSaved ? remarks::kSaved : remarks::kRecomputed)
                              .function(function));
  if (!told)
    return;
  if (op)
    told << mlir::remark::metric("op", op->getName().getStringRef());
  if (reason.value >= 0)
    told << mlir::remark::metric("value", getName(reason.value));
  if (isSaved)
    told << mlir::remark::metric("bytes", reason.bytes);
  else if (reason.bytes > 0)
    told << mlir::remark::metric("cost", reason.bytes);
  told << mlir::remark::reason("{0}", reason.reason);
}

LogicalResult JointPartitionPass::cutGraph(GraphOp graph) {
  PartitionOptions options;
  options.memoryBudget = memoryBudget;
  options.saveAll = saveAll;
  PartitionProblem problem = buildPartitionProblem(graph);
  problem.operandsInMemory = operandsInMemory;
  PartitionResult cut = partition(problem, options);
  Numbering numbering(graph);
  Report report(graph, numbering, cut);
  if (!cut.uncut.empty())
    return report.emitUncut();

  Cutter cutter(graph, numbering, cut);
  FuncOp backward = cutter.buildBackward(backwardName);
  FuncOp forward = cutter.buildForward(forwardName);
  forward->moveBefore(backward);
  OpBuilder builder(graph);
  forward->setAttr(kSavedBytesAttrName,
                   builder.getI64IntegerAttr(cut.savedBytes));
  report.tell(forward);
  // Whoever spoke of the graph, as its guards do, now speaks of the forward,
  // whose inputs begin as the graph's.
  if (failed(mlir::SymbolTable::replaceAllSymbolUses(
          graph, forward.getSymNameAttr(),
          graph->getParentOfType<ModuleOp>())))
    return graph.emitError("is used where its name is not known");
  graph.erase();
  return success();
}

void JointPartitionPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Joint, Stage::Joint})))
    return signalPassFailure();
  SmallVector<GraphOp> graphs(getOperation().getOps<GraphOp>());
  if (graphs.empty()) {
    getOperation().emitError("has no 'joint.graph' to cut in two; run "
                             "'joint-differentiate' first");
    return signalPassFailure();
  }
  if (graphs.size() > 1) {
    graphs[1].emitError("is a second 'joint.graph', expected 1 in a module");
    return signalPassFailure();
  }
  if (forwardName == backwardName) {
    getOperation().emitError("options 'forward-name' and 'backward-name' are "
                             "both '")
        << forwardName << "', expected two names";
    return signalPassFailure();
  }
  for (StringRef name : {StringRef(forwardName), StringRef(backwardName)})
    if (!graphs.empty() && getOperation().lookupSymbol(name)) {
      graphs.front().emitError("cannot be cut: the module has a symbol '")
          << name << "' already";
      return signalPassFailure();
    }
  for (GraphOp graph : graphs)
    if (failed(cutGraph(graph)))
      return signalPassFailure();
}

} // namespace kiln::joint
