//===- PassedSymbols.cpp - What bodies must be told -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/PassedSymbols.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

using Symbols = llvm::SetVector<StringAttr>;

static void mention(guard::ExprAttr expr, Symbols &symbols) {
  SmallVector<StringAttr> names;
  guard::collectSymbols(expr, names);
  symbols.insert(names.begin(), names.end());
}

static void mention(Type type, Symbols &symbols) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto dims = tensor ? guard::getDims(tensor) : std::nullopt;
  if (dims)
    for (guard::ExprAttr size : *dims)
      mention(size, symbols);
}

/// What `op` itself says, not what stands in its bodies.
static void mention(Operation &op, Symbols &symbols) {
  for (Type type : op.getResultTypes())
    mention(type, symbols);
  for (NamedAttribute attribute : op.getAttrs())
    attribute.getValue().walk(
        [&](guard::ExprAttr expr) { mention(expr, symbols); });
  if (auto defined = op.getAttrOfType<StringAttr>("symbol"))
    symbols.insert(defined);
}

/// Symbols that have a value where `op` stands.
static Symbols getKnown(Operation *op, func::FuncOp function) {
  Symbols known;
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    if (DictionaryAttr attributes = function.getArgAttrDict(k))
      attributes.walk([&](guard::ExprAttr expr) { mention(expr, known); });
  for (Operation *at = op; at != function; at = at->getParentOp()) {
    Block *block = at->getBlock();
    for (Type type : block->getArgumentTypes())
      mention(type, known);
    for (Operation &earlier : llvm::make_range(block->begin(),
                                               at->getIterator()))
      mention(earlier, known);
  }
  return known;
}

SmallVector<StringAttr> analysis::getPassedSymbols(Operation *op,
                                                   func::FuncOp function) {
  Symbols known = getKnown(op, function);
  Symbols passed;
  for (Region &region : op->getRegions()) {
    Symbols needed;
    region.walk([&](Operation *inner) { mention(*inner, needed); });
    Symbols given;
    for (Type type : region.getArgumentTypes()) {
      mention(type, needed);
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (auto dims = tensor ? guard::getDims(tensor) : std::nullopt)
        for (guard::ExprAttr size : *dims)
          if (size.isSymbol())
            given.insert(size.getSymbol());
    }
    for (StringAttr symbol : needed)
      if (known.contains(symbol) && !given.contains(symbol))
        passed.insert(symbol);
  }
  return passed.takeVector();
}
