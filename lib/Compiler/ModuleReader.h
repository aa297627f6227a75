//===- ModuleReader.h - Foreign IR, kept at a distance --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parsers are not a security boundary: text can crash them. So a file
// passes limits of size and nesting first and is parsed in a child process;
// only what the child survived, and what it found not to be too large, is parsed
// here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_MODULEREADER_H
#define KILN_LIB_COMPILER_MODULEREADER_H

#include "kiln/Base/Result.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::compiler {

struct CompileLimits;

constexpr uint64_t kMaxTextBytes = uint64_t(256) << 20;
constexpr unsigned kMaxNesting = 512;

/// Reads the contents of `.mlir` or `.mlirbc` into `context`, within limits of
/// operations, time and memory. Malformed errors carry the parser's message and
/// place, in which `path` stands for the file.
Result<mlir::OwningOpRef<ModuleOp>>
readModule(MLIRContext *context, StringRef contents, const std::string &path,
           const CompileLimits &limits);

/// Reads bytecode that this compiler has written and somebody who is trusted has
/// signed, `what` in messages: within the same limits, but not in a child first, which
/// takes longer than the parser.
Result<mlir::OwningOpRef<ModuleOp>>
readSignedModule(MLIRContext *context, StringRef bytecode,
                 const std::string &what, const CompileLimits &limits);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_MODULEREADER_H
