//===- SymbolVerifier.cpp - Symbols have values when they are read --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/IR/Program.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace {

/// Walks a program as the runtime does.
class SymbolVerifier {
public:
  explicit SymbolVerifier(FuncOp function) : function(function) {}
  LogicalResult run();

private:
  LogicalResult verifyStep(Operation &op);
  LogicalResult declare(SymbolOp symbol);
  LogicalResult define(DefineOp define);
  LogicalResult evaluate(Operation *op, guard::ExprAttr expr);
  LogicalResult mention(Operation *op, guard::ExprAttr expr);

  FuncOp function;
  /// Declared symbols, and whether they have a value by now.
  llvm::DenseMap<StringAttr, bool> isGiven;
  /// Expressions that were found in order before.
  llvm::DenseSet<guard::ExprAttr> mentioned, evaluated;
};

} // namespace

LogicalResult SymbolVerifier::declare(SymbolOp symbol) {
  bool isStep = symbol.getSource() == SymbolSource::Step;
  if (!isGiven.insert({symbol.getNameAttr(), !isStep}).second)
    return symbol.emitOpError("declares the symbol '")
           << symbol.getName() << "' a second time";
  return success();
}

LogicalResult SymbolVerifier::define(DefineOp define) {
  auto found = isGiven.find(define.getNameAttr());
  if (found == isGiven.end())
    return define.emitOpError("defines the symbol '")
           << define.getName() << "', which is not declared";
  for (auto symbol : function.getBody().getOps<SymbolOp>())
    if (symbol.getNameAttr() == define.getNameAttr() &&
        symbol.getSource() != SymbolSource::Step)
      return define.emitOpError("defines the symbol '")
             << define.getName() << "', which is read from an input";
  found->second = true;
  return success();
}

/// The symbols of `expr` are declared.
LogicalResult SymbolVerifier::mention(Operation *op, guard::ExprAttr expr) {
  if (!mentioned.insert(expr).second)
    return success();
  if (guard::hasDims(expr))
    return op->emitOpError("has a loop index in '") << expr.str() << "'";
  SmallVector<StringAttr> names;
  guard::collectSymbols(expr, names);
  for (StringAttr name : names)
    if (!isGiven.contains(name))
      return op->emitOpError("names the symbol '")
             << name.getValue() << "', which is not declared";
  return success();
}

/// They have values, too.
LogicalResult SymbolVerifier::evaluate(Operation *op, guard::ExprAttr expr) {
  if (evaluated.contains(expr))
    return success();
  if (failed(mention(op, expr)))
    return failure();
  SmallVector<StringAttr> names;
  guard::collectSymbols(expr, names);
  for (StringAttr name : names)
    if (!isGiven.lookup(name))
      return op->emitError("the symbol '")
             << name.getValue() << "' is read in '" << function.getSymName()
             << "' before an operation gives it a value";
  evaluated.insert(expr);
  return success();
}

LogicalResult SymbolVerifier::verifyStep(Operation &op) {
  if (auto symbol = dyn_cast<SymbolOp>(op))
    return declare(symbol);
  if (auto step = dyn_cast<DefineOp>(op))
    return define(step);
  bool makesLayout = isa<AllocOp, ViewOp>(op);
  // Slots come before the symbols that their types name.
  if (!isa<SlotOp>(op))
    for (Type type : op.getResultTypes())
      if (auto buffer = dyn_cast<BufferType>(type))
        for (auto list : {buffer.getSizes(), buffer.getStrides()})
          for (guard::ExprAttr expr : list)
            if (failed(makesLayout ? evaluate(&op, expr) : mention(&op, expr)))
              return failure();
  WalkResult result = op.getAttrDictionary().walk([&](guard::ExprAttr expr) {
    LogicalResult verified =
        isa<SlotOp>(op) ? success() : evaluate(&op, expr);
    return failed(verified) ? WalkResult::interrupt() : WalkResult::skip();
  });
  return success(!result.wasInterrupted());
}

LogicalResult SymbolVerifier::run() {
  for (Operation &op : function.getBody().front())
    if (failed(verifyStep(op)))
      return failure();
  for (auto slot : function.getBody().getOps<SlotOp>()) {
    if (auto buffer = dyn_cast<BufferType>(slot.getResult().getType()))
      for (auto list : {buffer.getSizes(), buffer.getStrides()})
        for (guard::ExprAttr expr : list)
          if (failed(mention(slot, expr)))
            return failure();
    if (auto expr = dyn_cast_if_present<guard::ExprAttr>(slot.getValueAttr()))
      if (failed(mention(slot, expr)))
        return failure();
  }
  if (guard::ExprAttr arena = function.getArenaAttr()) {
    for (auto symbol : function.getBody().getOps<SymbolOp>())
      isGiven[symbol.getNameAttr()] =
          symbol.getSource() != SymbolSource::Step;
    evaluated.clear();
    if (failed(evaluate(function, arena)))
      return failure();
  }
  return success();
}

LogicalResult program::verifySymbols(FuncOp function) {
  return SymbolVerifier(function).run();
}
