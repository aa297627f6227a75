//===- LoopLoweringOpInterface.h - Ops that make loop nests -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of LoopLoweringOpInterface.td. Who implements it includes
// kiln/Lowering/LoopBuilder.h, whose head shows an example; who
// only asks for it needs no more than this.
//
//   if (auto lowering = llvm::dyn_cast<loop::LoopLoweringOpInterface>(op))
//     return lowering.lowerToLoops(loops);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_LOOPLOWERINGOPINTERFACE_H
#define KILN_INTERFACES_LOOPLOWERINGOPINTERFACE_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/OpDefinition.h"

namespace kiln::loop {
class LoopBuilder;
} // namespace kiln::loop

#include "kiln/Interfaces/LoopLoweringOpInterface.h.inc"

#endif // KILN_INTERFACES_LOOPLOWERINGOPINTERFACE_H
