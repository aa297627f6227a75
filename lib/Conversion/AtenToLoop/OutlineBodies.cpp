//===- OutlineBodies.cpp - The pass outline-aten-bodies -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/AtenToLoop.h"

#include "kiln/Analysis/PassedSymbols.h"
#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln {
#define GEN_PASS_DEF_OUTLINEATENBODIESPASS
#include "kiln/Conversion/AtenToLoop/Passes.h.inc"
} // namespace kiln

namespace {

class OutlineAtenBodies
    : public kiln::impl::OutlineAtenBodiesPassBase<OutlineAtenBodies> {
public:
  void runOnOperation() override;

private:
  void outline(Operation *op, func::FuncOp function, SymbolTable &table);
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Type getNumberType(Builder &builder, StringAttr symbol) {
  if (guard::isFloatSymbolName(symbol.getValue()))
    return builder.getF64Type();
  return builder.getI64Type();
}

/// Moves `region` to a function of its own, which also takes `symbols`.
static func::FuncOp makeFunction(Region &region, ArrayRef<StringAttr> symbols,
                                 const Twine &name, Location loc) {
  MLIRContext *context = region.getContext();
  OpBuilder builder(context);
  Block &block = region.front();
  SmallVector<DictionaryAttr> attributes(block.getNumArguments());
  for (StringAttr symbol : symbols) {
    guard::ExprAttr expr = guard::getSymbol(context, symbol.getValue());
    block.addArgument(getNumberType(builder, symbol), loc);
    auto input =
        aten::InputAttr::get(context, aten::InputKind::UserInput, symbol, {},
                             false, {}, expr, {});
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(aten::kInputAttrName, input)));
  }
  Operation *yield = block.getTerminator();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  auto type = builder.getFunctionType(block.getArgumentTypes(),
                                      yield->getOperandTypes());
  yield->erase();
  builder.clearInsertionPoint();
  auto function = func::FuncOp::create(builder, loc, name.str(), type,
                                       ArrayRef<NamedAttribute>());
  function.setPrivate();
  for (auto [k, attribute] : llvm::enumerate(attributes))
    if (attribute)
      function.setArgAttrs(k, attribute);
  function.getBody().takeBody(region);
  return function;
}

void OutlineAtenBodies::outline(Operation *op, func::FuncOp function,
                                SymbolTable &table) {
  OpBuilder builder(op);
  SmallVector<StringAttr> symbols = analysis::getPassedSymbols(op, function);
  SmallVector<Value> inputs(op->getOperands());
  for (StringAttr symbol : symbols)
    inputs.push_back(guard::ValueOp::create(
        builder, op->getLoc(), getNumberType(builder, symbol),
        guard::getSymbol(&getContext(), symbol.getValue())));

  InvokeKind kind = InvokeKind::Scan;
  size_t carried = 0, scanned = 0;
  SmallVector<StringRef, 2> parts = {"body"};
  TypeSwitch<Operation *>(op)
      .Case([&](aten::CondOp) {
        kind = InvokeKind::Branch;
        parts = {"then", "else"};
      })
      .Case([&](aten::WhileLoopOp loop) {
        kind = InvokeKind::While;
        carried = loop.getCarried().size();
        parts = {"cond", "body"};
      })
      .Case([&](aten::ScanOp loop) {
        carried = loop.getCarried().size();
        scanned = loop.getScanned().size();
      })
      .Case([&](aten::MapOp loop) { scanned = loop.getScanned().size(); });

  SmallVector<Attribute> callees;
  // Functions are named after the op, without its dialect.
  StringRef name = op->getName().getStringRef();
  name.consume_front("aten.");
  Block::iterator behind = std::next(function->getIterator());
  for (auto [part, region] : llvm::zip_equal(parts, op->getRegions())) {
    func::FuncOp body =
        makeFunction(region, symbols,
                     function.getName() + "_" + name + "_" + part,
                     op->getLoc());
    // Makes the name unique.
    table.insert(body, behind);
    callees.push_back(FlatSymbolRefAttr::get(body));
  }
  auto invoke = InvokeOp::create(builder, op->getLoc(), op->getResultTypes(),
                                 kind, builder.getArrayAttr(callees), inputs,
                                 carried, scanned);
  op->replaceAllUsesWith(invoke);
  op->erase();
}

void OutlineAtenBodies::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  SymbolTable table(getOperation());
  SmallVector<func::FuncOp> functions(
      getOperation().getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    // Inner ones first: an outer body then holds calls.
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa<aten::CondOp, aten::WhileLoopOp, aten::ScanOp, aten::MapOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      outline(op, function, table);
  }
}
