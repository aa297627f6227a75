//===- SymbolEffects.h - Who gives symbols their values ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are attributes, so no operand ties an expression over `u0` to the op
// that counts `u0` elements:
//
//   %p = aten.nonzero(%m) : ... -> tensor<?x1xi64, #guard.shape<[u0, 1]>>
//   guard.assert <le(u0, 4)>, "..."       // reads u0, uses no value
//
// The definition is a use-def fact all the same. To MLIR it is an effect: such an
// op writes the resource of symbols, hence neither is removed for want of uses
// nor merged. What only passes know, whether anything reads the symbol, decides
// about its removal (`eraseUnreadDefiners`).
//
// Considered and left: an op that binds a symbol to a value, as an operand. It
// would keep the definer alive by itself, but every conversion, the derivative
// and the cut of the joint graph would have to carry it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_SYMBOLEFFECTS_H
#define KILN_DIALECT_GUARD_IR_SYMBOLEFFECTS_H

#include "kiln/Support/LLVM.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::guard {

/// The values of symbols, as what ops have effects on.
struct SymbolValues : mlir::SideEffects::Resource::Base<SymbolValues> {
  StringRef getName() final { return "symbols"; }
};

/// Calls `note` with the symbols of the expressions that `op` itself has, in
/// attributes, result types and arguments of its bodies; a symbol that occurs
/// twice may come twice.
void forEachSymbol(Operation *op, llvm::function_ref<void(StringAttr)> note);

/// Appends the symbols that have their values from `op`: those that its attribute
/// `symbol` names, and sizes of its results that no operand and no attribute of
/// it mentions.
void collectDefinedSymbols(Operation *op, SmallVectorImpl<StringAttr> &symbols);

/// A write of `SymbolValues` if `op` defines a symbol.
void addSymbolEffects(
    Operation *op,
    SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// True if `op` writes `SymbolValues`.
bool hasSymbolEffect(Operation *op);

/// Erases ops in `root` whose results nothing uses and whose only effect is to
/// define symbols that nothing reads.
void eraseUnreadDefiners(Operation *root);

/// Fails at the first op in `module` that names a symbol which the module does not
/// declare, in sizes of tensors or attributes.
LogicalResult verifyDeclaredSymbols(ModuleOp module);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_SYMBOLEFFECTS_H
