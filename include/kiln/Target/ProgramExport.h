//===- ProgramExport.h - Functions and guards as package data -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of every pipeline: a `program.func` becomes a `package::Program`,
// op by op. What runs was decided before, by the conversion to the dialect and the
// passes on it.
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

/// Kernel name to its index in the package's image.
using KernelIndex = llvm::StringMap<uint32_t>;

/// Function name to its index in the package's bodies.
using BodyIndex = llvm::StringMap<uint32_t>;

/// Translates `function`, which is verified first: a program whose memory plan is
/// broken, or that reads a symbol before it has a value, is Malformed. Unsupported
/// if it launches a kernel that has no code.
///
///   auto program = target::exportProgram(function, kernels, bodies);
///   if (!program)
///     return program.takeError();
Result<package::Program> exportProgram(program::FuncOp function,
                                       const KernelIndex &kernels,
                                       const BodyIndex &bodies);

/// Exports checks; expressions are added to `program`, whose symbols they use.
Result<std::vector<package::Guard>> exportGuards(guard::ProgramOp guards,
                                                 package::Program &program);

} // namespace kiln::target

#endif // KILN_TARGET_PROGRAMEXPORT_H
