//===- SymbolEffects.cpp - Who gives symbols their values -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/SymbolEffects.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "llvm/ADT/SetVector.h"

using namespace kiln;
using namespace kiln::guard;

using Symbols = llvm::SmallSetVector<StringAttr, 4>;
using Note = llvm::function_ref<void(StringAttr)>;

template <typename T> static void noteSymbols(T attributeOrType, Note note) {
  attributeOrType.walk([&](ExprAttr expr) {
    SmallVector<StringAttr> names;
    collectSymbols(expr, names);
    llvm::for_each(names, note);
  });
}

void guard::forEachSymbol(Operation *op, Note note) {
  noteSymbols(op->getAttrDictionary(), note);
  for (Type type : op->getResultTypes())
    noteSymbols(type, note);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        noteSymbols(type, note);
}

void guard::collectDefinedSymbols(Operation *op,
                                  SmallVectorImpl<StringAttr> &symbols) {
  if (auto name = op->getAttrOfType<StringAttr>("symbol"))
    symbols.push_back(name);
  // Most ops end here: their sizes are numbers.
  Symbols sizes;
  for (Type type : op->getResultTypes())
    if (auto tensor = llvm::dyn_cast<RankedTensorType>(type))
      if (tensor.getEncoding())
        for (ExprAttr size : getDims(tensor).value_or(SmallVector<ExprAttr>()))
          if (size.isSymbol())
            sizes.insert(size.getSymbol());
  if (sizes.empty())
    return;
  auto drop = [&](StringAttr name) { sizes.remove(name); };
  noteSymbols(op->getAttrDictionary(), drop);
  for (Value operand : op->getOperands()) {
    noteSymbols(operand.getType(), drop);
    if (auto number = operand.getDefiningOp<ValueOp>())
      noteSymbols(number.getExpr(), drop);
  }
  llvm::append_range(symbols, sizes);
}

void guard::addSymbolEffects(
    Operation *op,
    SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects) {
  SmallVector<StringAttr> symbols;
  collectDefinedSymbols(op, symbols);
  if (!symbols.empty())
    effects.emplace_back(mlir::MemoryEffects::Write::get(),
                         SymbolValues::get());
}

static SmallVector<mlir::MemoryEffects::EffectInstance>
getEffects(Operation *op) {
  SmallVector<mlir::MemoryEffects::EffectInstance> effects;
  if (auto known = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(op))
    known.getEffects(effects);
  return effects;
}

static bool isOnSymbols(const mlir::MemoryEffects::EffectInstance &effect) {
  return effect.getResource() == SymbolValues::get();
}

bool guard::hasSymbolEffect(Operation *op) {
  return llvm::any_of(getEffects(op), isOnSymbols);
}

/// True if defining symbols is all that `op` does besides its results.
static bool onlyDefinesSymbols(Operation *op) {
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (!mlir::isMemoryEffectFree(&inner))
        return false;
  return hasSymbolEffect(op) && llvm::all_of(getEffects(op), isOnSymbols);
}

void guard::eraseUnreadDefiners(Operation *root) {
  SmallVector<Operation *> definers;
  llvm::DenseMap<StringAttr, unsigned> numMentions; // by how many ops
  auto getMentions = [](Operation *op) {
    Symbols symbols;
    forEachSymbol(op, [&](StringAttr name) { symbols.insert(name); });
    if (auto name = op->getAttrOfType<StringAttr>("symbol"))
      symbols.insert(name);
    return symbols;
  };
  root->walk([&](Operation *op) {
    for (StringAttr name : getMentions(op))
      ++numMentions[name];
    if (onlyDefinesSymbols(op))
      definers.push_back(op);
  });
  // Later ones first: what they read may be unread then.
  for (Operation *op : llvm::reverse(definers)) {
    SmallVector<StringAttr> defined;
    collectDefinedSymbols(op, defined);
    if (!op->use_empty() || llvm::any_of(defined, [&](StringAttr name) {
          return numMentions.lookup(name) > 1;
        }))
      continue;
    for (StringAttr name : getMentions(op))
      --numMentions[name];
    op->erase();
  }
}

LogicalResult guard::verifyDeclaredSymbols(ModuleOp module) {
  Symbols declared;
  module.walk([&](SymbolOp symbol) { declared.insert(symbol.getSymNameAttr()); });
  mlir::WalkResult result = module.walk([&](Operation *op) {
    StringAttr unknown;
    forEachSymbol(op, [&](StringAttr name) {
      if (!declared.contains(name))
        unknown = name;
    });
    if (!unknown)
      return mlir::WalkResult::advance();
    op->emitOpError("names the symbol '")
        << unknown.getValue() << "', which no 'guard.symbol' declares";
    return mlir::WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}
