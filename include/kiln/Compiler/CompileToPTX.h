//===- CompileToPTX.h - A GPU's kernels as text ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto source = archive::Source::open("gpu.mlir");  // of kiln-opt --kiln-gpu
//   auto ptx = compiler::compileToPTX(**source, "kernels", CompileOptions());
//   if (!ptx)
//     return ptx.takeError();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_COMPILETOPTX_H
#define KILN_COMPILER_COMPILETOPTX_H

#include "kiln/Base/Result.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kiln {
struct CompileOptions;
namespace archive {
struct Source;
} // namespace archive
} // namespace kiln

namespace kiln::compiler {

/// The PTX of one `gpu.module` of a module in text or bytecode, for the GPU that the
/// module names as its `loop.target`: what `kiln-opt --kiln-gpu` prints. Malformed and
/// usage errors say what was expected, unsupported ones what a GPU cannot do, or which
/// of the limits `maxSeconds`, `maxMemory` and `maxOperations` of `options` was reached.
Result<std::string> compileToPTX(const archive::Source &source,
                                 llvm::StringRef kernels,
                                 const CompileOptions &options);

} // namespace kiln::compiler

#endif // KILN_COMPILER_COMPILETOPTX_H
