//===- Differentiate.cpp - From a function to its joint graph -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse-mode differentiation of one block. Forward over the ops: which values
// depend on an argument that wants a gradient (they are active). Backward over
// the ops: ask each active op with a gradient for those of its operands, and
// add up what a value gets from its users.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::joint {
#define GEN_PASS_DEF_JOINTDIFFERENTIATEPASS
#include "kiln/Dialect/Joint/Transforms/Passes.h.inc"

namespace {

using mlir::BlockArgument;
using mlir::func::FuncOp;

/// True for tensors and numbers that can have a gradient.
bool isFloating(Type type) {
  Type element = mlir::getElementTypeOrSelf(type);
  return llvm::isa<mlir::FloatType, mlir::ComplexType>(element);
}

/// Differentiates the body of one function, in place.
class Differentiator {
public:
  Differentiator(FuncOp func, const GradientDialectInterface *dialect)
      : func(func), block(func.getBody().front()), dialect(dialect) {}

  /// Adds tangent arguments and builds the gradients of `wanted`.
  LogicalResult run(ArrayRef<BlockArgument> wanted);
  GraphOp makeGraph();

private:
  void findActive(ArrayRef<BlockArgument> wanted);
  void addTangents();
  LogicalResult visit(Operation *op);
  void accumulate(Value value, Value grad);
  /// What all users of a value gave it; null if that is nothing.
  Value gradientOf(Value value);
  void explainMissing(BlockArgument argument);

  FuncOp func;
  Block &block;
  const GradientDialectInterface *dialect;

  llvm::DenseSet<Value> active;
  DenseMap<Value, GradientSum> grads;
  SmallVector<DictionaryAttr> argAttrs, resultAttrs;
  SmallVector<Value> gradients;
  int64_t numPrimals = 0;
};

} // namespace

void Differentiator::findActive(ArrayRef<BlockArgument> wanted) {
  for (BlockArgument argument : wanted)
    active.insert(argument);
  for (Operation &op : block.without_terminator()) {
    bool isReached = llvm::any_of(
        op.getOperands(), [&](Value v) { return active.contains(v); });
    if (!isReached)
      continue;
    if (auto rule = llvm::dyn_cast<DifferentiableOpInterface>(op))
      if (rule.isStopGradient())
        continue;
    for (Value result : op.getResults())
      if (isFloating(result.getType()))
        active.insert(result);
  }
}

void Differentiator::addTangents() {
  numPrimals = block.getNumArguments();
  Operation *terminator = block.getTerminator();
  for (auto [i, output] : llvm::enumerate(terminator->getOperands())) {
    DictionaryAttr attrs = func.getResultAttrDict(i);
    bool takesTangent = dialect ? dialect->takesTangent(attrs, output.getType())
                                : isFloating(output.getType());
    if (!takesTangent || !active.contains(output))
      continue;
    Value tangent = block.addArgument(output.getType(), output.getLoc());
    argAttrs.push_back(dialect ? dialect->describeTangent(attrs, i)
                               : DictionaryAttr());
    accumulate(output, tangent);
  }
}

void Differentiator::accumulate(Value value, Value grad) {
  OpBuilder builder(block.getTerminator());
  grads[value].add(builder, value.getLoc(), dialect, grad);
}

Value Differentiator::gradientOf(Value value) {
  OpBuilder builder(block.getTerminator());
  return grads.lookup(value).get(builder, value.getLoc(), dialect);
}

LogicalResult Differentiator::visit(Operation *op) {
  SmallVector<Value> resultGrads;
  for (Value result : op->getResults())
    resultGrads.push_back(gradientOf(result));
  if (llvm::none_of(resultGrads, [](Value v) { return bool(v); }))
    return success();

  auto rule = llvm::dyn_cast<DifferentiableOpInterface>(op);
  if (!rule)
    return op->emitOpError(
        "has no derivative, and a gradient flows through it; expected an op "
        "that implements DifferentiableOpInterface");
  if (rule.isStopGradient())
    return success();
  SmallVector<Value> operandGrads(op->getNumOperands());
  OpBuilder builder(block.getTerminator());
  auto isWanted = [&](unsigned i) {
    return active.contains(op->getOperand(i));
  };
  if (failed(rule.buildVjp(builder, resultGrads, isWanted, operandGrads)))
    return failure();
  for (auto [i, grad] : llvm::enumerate(operandGrads)) {
    if (!grad || !isWanted(i))
      continue;
    Value operand = op->getOperand(i);
    if (grad.getType() != operand.getType())
      return op->emitOpError("derivative has type ")
             << grad.getType() << " for operand #" << i << ", expected "
             << operand.getType();
    accumulate(operand, grad);
  }
  return success();
}

void Differentiator::explainMissing(BlockArgument argument) {
  auto told = mlir::remark::missed(
      func.getLoc(), remarks::kNoGradient.function(func.getName()));
  if (!told)
    return;
  std::string reason = "no output depends on it";
  for (Operation *user : argument.getUsers())
    if (auto rule = llvm::dyn_cast<DifferentiableOpInterface>(user))
      if (rule.isStopGradient())
        reason = ("the gradient stops at '" + user->getName().getStringRef() +
                  "': " + rule.getStopReason())
                     .str();
  told << mlir::remark::metric("argument", argument.getArgNumber())
       << mlir::remark::reason("{0}", reason);
}

LogicalResult Differentiator::run(ArrayRef<BlockArgument> wanted) {
  findActive(wanted);
  for (unsigned i = 0; i < block.getNumArguments(); ++i)
    argAttrs.push_back(func.getArgAttrDict(i));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    resultAttrs.push_back(func.getResultAttrDict(i));
  addTangents();

  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (failed(visit(op)))
      return failure();

  for (BlockArgument argument : wanted) {
    Value grad = gradientOf(argument);
    if (!grad) {
      explainMissing(argument);
      continue;
    }
    gradients.push_back(grad);
    DictionaryAttr attrs = func.getArgAttrDict(argument.getArgNumber());
    resultAttrs.push_back(dialect ? dialect->describeGradient(attrs)
                                  : DictionaryAttr());
  }
  return success();
}

GraphOp Differentiator::makeGraph() {
  OpBuilder builder(func);
  Operation *terminator = block.getTerminator();
  SmallVector<Value> outputs(terminator->getOperands());
  SmallVector<Type> results(func.getResultTypes());
  for (Value gradient : gradients)
    results.push_back(gradient.getType());
  auto toArray = [&](ArrayRef<DictionaryAttr> dictionaries) {
    SmallVector<Attribute> attrs;
    for (DictionaryAttr attr : dictionaries)
      attrs.push_back(attr ? attr : builder.getDictionaryAttr({}));
    return builder.getArrayAttr(attrs);
  };
  auto type = builder.getFunctionType(block.getArgumentTypes(), results);
  auto graph = GraphOp::create(
      builder, func.getLoc(), func.getSymNameAttr(), mlir::TypeAttr::get(type),
      builder.getI64IntegerAttr(numPrimals),
      builder.getI64IntegerAttr(outputs.size()), toArray(argAttrs),
      toArray(resultAttrs));
  graph.getBody().takeBody(func.getBody());
  builder.setInsertionPoint(terminator);
  ReturnOp::create(builder, terminator->getLoc(), outputs, gradients);
  terminator->erase();
  func.erase();
  return graph;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct JointDifferentiatePass
    : impl::JointDifferentiatePassBase<JointDifferentiatePass> {
  using JointDifferentiatePassBase::JointDifferentiatePassBase;

  FailureOr<SmallVector<BlockArgument>>
  selectArguments(FuncOp func, const GradientDialectInterface *dialect);
  void runOnOperation() override;
};

} // namespace

/// The arguments whose gradients are asked for by options and flags.
FailureOr<SmallVector<BlockArgument>> JointDifferentiatePass::selectArguments(
    FuncOp func, const GradientDialectInterface *dialect) {
  bool all = inputGradients == "all", none = inputGradients == "none";
  if (!all && !none && inputGradients != "flagged")
    return func.emitError("option 'input-gradients' is '")
           << inputGradients << "', expected 'flagged', 'all' or 'none'";
  SmallVector<StringRef> names;
  for (const std::string &name : wrt)
    names.push_back(name);
  SmallVector<BlockArgument> wanted;
  for (BlockArgument argument : func.getArguments()) {
    if (!isFloating(argument.getType()))
      continue;
    DictionaryAttr attrs = func.getArgAttrDict(argument.getArgNumber());
    bool isFlagged = attrs && attrs.contains(kRequiresGradAttrName);
    bool isUser = true;
    std::string name = ("arg" + Twine(argument.getArgNumber())).str();
    if (dialect) {
      isFlagged |= dialect->wantsGradient(attrs, argument.getType());
      isUser = dialect->isUserInput(attrs);
      if (std::string given = dialect->getName(attrs); !given.empty())
        name = given;
    }
    bool isNamed = llvm::is_contained(names, name);
    if (isNamed)
      names.erase(llvm::find(names, StringRef(name)));
    bool isWanted = isFlagged;
    if (isUser)
      isWanted = all || (isFlagged && !none);
    if (!wrt.empty())
      isWanted = isNamed;
    if (isWanted)
      wanted.push_back(argument);
  }
  if (!names.empty())
    return func.emitError("option 'wrt' names '")
           << names.front()
           << "', expected the name of a floating-point argument";
  return wanted;
}

void JointDifferentiatePass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  auto func = getOperation().lookupSymbol<FuncOp>(function);
  if (!func) {
    getOperation().emitError("no function '")
        << function << "' to differentiate";
    return signalPassFailure();
  }
  if (!func.getBody().hasOneBlock()) {
    func.emitError("has ") << func.getBody().getBlocks().size()
                           << " blocks, expected 1 to differentiate it";
    return signalPassFailure();
  }
  const GradientDialectInterface *dialect =
      getGradientDialectInterface(&getContext());
  auto wanted = selectArguments(func, dialect);
  if (failed(wanted))
    return signalPassFailure();
  Differentiator differentiator(func, dialect);
  if (failed(differentiator.run(*wanted)))
    return signalPassFailure();
  differentiator.makeGraph();
}

} // namespace kiln::joint
