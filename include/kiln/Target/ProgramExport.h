//===- ProgramExport.h - Functions and guards as package data -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of every pipeline: a module of programs becomes a package, and a
// `program.func` a `package::Program`, op by op. What runs was decided before, by
// the conversion to the dialect and the passes on it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_PROGRAMEXPORT_H
#define KILN_TARGET_PROGRAMEXPORT_H

#include "kiln/Base/Result.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Package/Package.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::target {

/// What programs name, and its place in the package.
struct PackageIndex {
  llvm::StringMap<uint32_t> kernels;   ///< in the image
  llvm::StringMap<uint32_t> bodies;    ///< among the bodies
  llvm::StringMap<uint32_t> constants; ///< among the constants
};

/// Translates `function`, which is verified first: a program whose memory plan is
/// broken, or that reads a symbol before it has a value, is Malformed. Unsupported
/// if it launches a kernel that has no code.
///
///   auto program = target::exportProgram(function, index);
///   if (!program)
///     return program.takeError();
Result<package::Program> exportProgram(program::FuncOp function,
                                       const PackageIndex &index);

/// The package of a module: the program @main, or @forward and @backward, the
/// programs that they run, and the guards of the first. The code is `image`, or
/// `program.image` if the module has one; likewise facts and reasons are those
/// that the module states, and else left to who has compiled it (all but the bytes
/// that launches move).
///
///   auto package = target::exportPackage(module, std::move(image));
///   writeFile(path, package::encodePackage(*package));
Result<package::Package> exportPackage(ModuleOp module,
                                       package::KernelImage image = {});

/// Exports checks; expressions are added to `program`, whose symbols they use.
Result<std::vector<package::Guard>> exportGuards(guard::ProgramOp guards,
                                                 package::Program &program);

} // namespace kiln::target

#endif // KILN_TARGET_PROGRAMEXPORT_H
