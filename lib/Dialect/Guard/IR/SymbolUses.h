//===- SymbolUses.h - What guards speak of exists ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_GUARD_IR_SYMBOLUSES_H
#define KILN_LIB_DIALECT_GUARD_IR_SYMBOLUSES_H

#include "kiln/Support/LLVM.h"

namespace kiln::guard {

/// Gives the ops that use symbols a verifier that looks beyond the op: the
/// function of a `guard.program` exists and has the inputs that are checked, and
/// the symbols of expressions are declared.
void attachSymbolUses(MLIRContext *context);

} // namespace kiln::guard

#endif // KILN_LIB_DIALECT_GUARD_IR_SYMBOLUSES_H
