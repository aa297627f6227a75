//===- Records.cpp - The table of decompositions --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is generated from the records of the ops, and how formulas read
// arguments and return results.
//
//===----------------------------------------------------------------------===//

#include "FormulaArguments.h"
#include "Formulas.h"

#include "kiln/Dialect/Aten/IR/Composites.h"
#include "kiln/Dialect/Aten/IR/FamilyFields.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln::aten {

using namespace formula;

/// An operand in the type in which elements of the first result are computed.
static Value widen(Operation *op, FormulaBuilder &c, Value operand) {
  // The real result of complex operands is another type, not a wider one.
  if (!operand || !FormulaBuilder::isTensor(operand) ||
      llvm::isa<mlir::ComplexType>(FormulaBuilder::elementTypeOf(operand)))
    return operand;
  Type element = mlir::getElementTypeOrSelf(op->getResult(0));
  return c.cast(operand, FormulaBuilder::computeType(element));
}

/// The values in the element types of the results; none if one is null.
static SmallVector<Value> finish(Operation *op, FormulaBuilder &c,
                                 ArrayRef<Value> values) {
  if (llvm::is_contained(values, Value()))
    return {};
  SmallVector<Value> results;
  for (auto [value, result] : llvm::zip_equal(values, op->getResults()))
    results.push_back(c.cast(value, mlir::getElementTypeOrSelf(result)));
  return results;
}

/// The values that a function of one result returns, or of many.
static SmallVector<Value> toList(Value value) {
  if (!value)
    return {};
  return {value};
}
static SmallVector<Value> toList(SmallVector<Value> values) { return values; }

namespace {
struct DecompositionEntry {
  const OpInfo &(*getInfo)();
  Decomposition function;
};
} // namespace

#include "kiln/Dialect/Aten/Transforms/AtenDecompositions.cpp.inc"

/// What a composite stands for; if it is nothing, says why.
static SmallVector<Value> decomposeComposite(Operation *op, FormulaBuilder &c) {
  OpenedComposite opened = openComposite(op, c.getBuilder());
  if (opened)
    return opened.values;
  op->emitOpError() << (opened.complaint.empty() ? opened.refusal
                                                 : opened.complaint);
  return {};
}

Decomposition lookUpDecomposition(Operation *op) {
  static const auto *table = [] {
    auto *map = new llvm::DenseMap<const OpInfo *, Decomposition>();
    for (const DecompositionEntry &entry : kDecompositions)
      map->try_emplace(&entry.getInfo(), entry.function);
    return map;
  }();
  const OpInfo *info = getOpInfo(op);
  if (info && info->isComposite)
    return decomposeComposite;
  return info ? table->lookup(info) : nullptr;
}

} // namespace kiln::aten
