//===- ProgramImport.h - Package data as IR ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of ProgramExport.h: what a package holds, as a module that can be
// read, changed and exported again.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_PROGRAMIMPORT_H
#define KILN_TARGET_PROGRAMIMPORT_H

#include "kiln/Base/Result.h"
#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Package/Package.h"

#include "mlir/IR/OwningOpRef.h"

namespace kiln::target {

/// A module of programs, code, constants, guards, facts and reasons. Exporting it
/// gives equal bytes, if the package comes from an export. A package that verifies
/// may still be more than IR can say (values that are made twice, names that are
/// used twice, a memory plan that is broken): Malformed then, or Unsupported.
///
///   auto package = package::decodePackage(data, size);
///   auto module = target::importPackage(context, *package);
///   (*module)->print(os);
Result<mlir::OwningOpRef<ModuleOp>>
importPackage(MLIRContext *context, const package::Package &package);

} // namespace kiln::target

#endif // KILN_TARGET_PROGRAMIMPORT_H
