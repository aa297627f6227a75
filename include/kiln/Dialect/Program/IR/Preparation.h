//===- Preparation.h - Launches that are prepared first ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch that is worth its memory more than others, as that of panels which a
// product expects:
//
//   launch->setAttr(program::kPreparedFirstAttrName, b.getUnitAttr());
//
// and one that reads little of a weight:
//
//   launch->setAttr(program::kSparseAttrName, b.getDenseI64ArrayAttr({0}));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PREPARATION_H
#define KILN_DIALECT_PROGRAM_IR_PREPARATION_H

#include "llvm/ADT/StringRef.h"

namespace kiln::program {

/// Of a launch whose reader was compiled for what it makes of weights: it comes
/// before others where memory is short. `program-hoist-preparation` removes it.
inline constexpr llvm::StringLiteral kPreparedFirstAttrName =
    "program.prepared_first";

/// Of a launch: positions of buffers of which it reads a few elements, so that a weight which
/// else the preparation alone reads is not in memory. `program-hoist-preparation` removes it.
inline constexpr llvm::StringLiteral kSparseAttrName = "program.sparse";

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_IR_PREPARATION_H
