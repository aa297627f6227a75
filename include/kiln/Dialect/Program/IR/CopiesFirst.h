//===- CopiesFirst.h - A launch that begins with a copy ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter changes some elements of what it starts from. Its kernel, or on a GPU
// its first step, gives its result the others:
//
//   launch->setAttr(program::kCopiesFirstAttrName, b.getUnitAttr());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_COPIESFIRST_H
#define KILN_DIALECT_PROGRAM_IR_COPIESFIRST_H

#include "llvm/ADT/StringRef.h"

namespace kiln::program {

/// Of a launch that copies what its results may overwrite to them, where they lie
/// elsewhere, before all else: the kernel, or the first of several steps.
/// `program-plan-memory` removes it, and such a step where each result lies where that
/// lies.
inline constexpr llvm::StringLiteral kCopiesFirstAttrName =
    "program.copies_first";

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_IR_COPIESFIRST_H
