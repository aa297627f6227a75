//===- GuardedOpInterface.h - What guards check the inputs of ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (auto guarded = llvm::dyn_cast<guard::GuardedOpInterface>(op))
//     types = guarded.getInputTypes();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDEDOPINTERFACE_H
#define KILN_DIALECT_GUARD_IR_GUARDEDOPINTERFACE_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

#include "kiln/Dialect/Guard/IR/GuardedOpInterface.h.inc"

#endif // KILN_DIALECT_GUARD_IR_GUARDEDOPINTERFACE_H
