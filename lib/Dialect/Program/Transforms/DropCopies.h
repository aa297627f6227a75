//===- DropCopies.h - Copies of memory to itself ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_PROGRAM_TRANSFORMS_DROPCOPIES_H
#define KILN_LIB_DIALECT_PROGRAM_TRANSFORMS_DROPCOPIES_H

#include "kiln/Dialect/Program/IR/Program.h"

namespace kiln::program {

/// Launches that begin with a copy (`program.copies_first`) do not where that is one of
/// memory to itself: behind a plan, which places both.
void dropCopies(FuncOp function);

} // namespace kiln::program

#endif // KILN_LIB_DIALECT_PROGRAM_TRANSFORMS_DROPCOPIES_H
