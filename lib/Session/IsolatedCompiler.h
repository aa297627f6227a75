//===- IsolatedCompiler.h - A compilation in a process of its own *- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_ISOLATEDCOMPILER_H
#define KILN_LIB_SESSION_ISOLATEDCOMPILER_H

#include "CompilerLibrary.h"

namespace kiln::session {

/// Calls `compile` in a copy of this process, whose kernels, progress and log come
/// from and go to this one. An end of the copy is an Internal error; it is ended
/// when it takes so much longer than it may take by its own count. Io where the system
/// has no process more: nothing is compiled in this one, which might end with it.
LibraryResult compileInChild(
    const LibraryRequest &wanted,
    const std::function<LibraryResult(const LibraryRequest &)> &compile,
    double graceSeconds);

} // namespace kiln::session

#endif // KILN_LIB_SESSION_ISOLATEDCOMPILER_H
