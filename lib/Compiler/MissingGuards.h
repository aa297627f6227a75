//===- MissingGuards.h - Guards of what somebody wrote ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An import makes guards; a module that is text may have none.
//
//   if (Status s = addMissingGuards(*module, "main"); !s)
//     return s;
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_MISSINGGUARDS_H
#define KILN_LIB_COMPILER_MISSINGGUARDS_H

#include "kiln/Base/Result.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::compiler {

/// Gives a function its guards, unless it has some or there is no such function. A
/// `@backward` runs behind `@forward`.
Status addMissingGuards(mlir::ModuleOp module, llvm::StringRef function);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_MISSINGGUARDS_H
