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

/// A module of programs, code, constants, guards, facts and reasons; of several
/// variants one that has such a module for each, called by its target, which share
/// the resources of equal constants. Exporting them gives equal bytes, if the
/// package comes from an export. A package that verifies may still be more than IR
/// can say (values that are made twice, names that are used twice, a memory plan
/// that is broken): Malformed then, or Unsupported.
///
///   auto reader = package::PackageReader::open(bytes);
///   auto variants = reader->readAll();
///   auto module = target::importVariants(context, *variants);
///   (*module)->print(os);
Result<mlir::OwningOpRef<ModuleOp>>
importVariants(MLIRContext *context,
               const std::vector<package::Package> &variants);

/// The variants of such a module, in order; none if it is not of several.
SmallVector<ModuleOp> getVariants(ModuleOp module);

} // namespace kiln::target

#endif // KILN_TARGET_PROGRAMIMPORT_H
