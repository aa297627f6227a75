//===- ProgramExport.h - Functions and guards as package data -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of every pipeline: a function whose ops are calls becomes a
// `package::Program`. What a call is depends on how far it was compiled:
//
//   aten ops, `aten.operator`   an extern call of the eager operator
//   `loop.extern`               the same, with the reason it was not compiled
//   `loop.launch`               a kernel of the image
//   `loop.invoke`               a branch or loop over bodies of the package
//
// So the reference evaluator (`--backend=eager`) is this export of a captured
// graph, and a compiled program with a fallback needs nothing special.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_PROGRAMEXPORT_H
#define KILN_TARGET_PROGRAMEXPORT_H

#include "kiln/Base/Result.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Package/Package.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::target {

/// Kernel name to its index in the package's image.
using KernelIndex = llvm::StringMap<uint32_t>;

/// Function name to its index in the package's bodies.
using BodyIndex = llvm::StringMap<uint32_t>;

/// Exports `function` under `name`. Its arguments and results say what they are
/// by `aten.input` and `aten.output`; without them they are user inputs and
/// outputs. Symbols are declared by `guard.symbol` in the enclosing module and
/// must be readable from the sizes of some argument, by a linear expression, or
/// be defined by an op. Unsupported errors name the op and its location.
Result<package::Program> exportProgram(mlir::func::FuncOp function,
                                       llvm::StringRef name,
                                       const KernelIndex &kernels,
                                       const BodyIndex &bodies);

/// Exports checks; expressions are added to `program`, whose symbols they use.
Result<std::vector<package::Guard>> exportGuards(guard::ProgramOp guards,
                                                 package::Program &program);

/// Tells the tangent slots of a backward program which outputs of the forward
/// program they belong to: the n-th tangent is that of the n-th output that has
/// one, by the name the partition gave it.
Status connectTangents(const package::Program &forward,
                       package::Program &backward);

} // namespace kiln::target

#endif // KILN_TARGET_PROGRAMEXPORT_H
