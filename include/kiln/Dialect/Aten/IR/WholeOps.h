//===- WholeOps.h - Ops that no decomposition takes -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `aten-decompose` tells the verifier of stage `core`.
//
//   op->setAttr(aten::kWholeAttrName, builder.getUnitAttr());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_WHOLEOPS_H
#define KILN_DIALECT_ATEN_IR_WHOLEOPS_H

#include "kiln/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"

namespace kiln::aten {

/// On an op outside of the core set whose decomposition does not take its
/// arguments (a sum of products that spells no operands): a unit. The op stays as
/// it is and becomes a call.
constexpr StringRef kWholeAttrName = "aten.whole";

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_WHOLEOPS_H
