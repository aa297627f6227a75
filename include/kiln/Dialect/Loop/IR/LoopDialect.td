//===- LoopDialect.td - The loop dialect -------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPDIALECT
#define KILN_DIALECT_LOOP_IR_LOOPDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Loop_Dialect : Dialect {
  let name = "loop";
  let cppNamespace = "::kiln::loop";
  let summary = "Loop nests over tensors with visible bodies";
  let description = [{
    A program in this dialect is a function of loop nests on builtin tensors.
    A tensor has a logical shape and no layout. A nest states its iteration
    domain (extents) and a body: a function of the index values that reads
    other tensors with `loop.load` and yields the element.

    Extents, load indices and masks are `#guard.expr` attributes. In an extent
    only symbols occur; in a load index the leaf `d<k>` stands for the k-th
    index operand. Symbols are referred to by name, so no op needs to be handed
    the sizes it depends on, and rewriting an index is arithmetic on attributes.

    Views are not ops here: they are index expressions of the loads that read
    through them. See `lib/Dialect/Loop/Rationale.md` for what was weighed.
  }];
  let dependentDialects = [
    "::kiln::guard::GuardDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Called once, by the constructor.
    void registerLoopAttributes();
  }];
}

class Loop_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Loop_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // KILN_DIALECT_LOOP_IR_LOOPDIALECT
