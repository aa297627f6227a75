//===- CompilerLibrary.h - Opening the compiler when it is needed ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_COMPILERLIBRARY_H
#define KILN_LIB_SESSION_COMPILERLIBRARY_H

#include "kiln/ABI/CompilerABI.h"
#include "kiln/Base/Result.h"

namespace kiln::session {

/// Opens libKilnCompiler.so beside libKilnRuntime.so, once per process; the
/// place never comes from the environment. Unsupported where it is missing:
/// then only cached and packaged programs run.
Result<const kiln_compiler_api *> openCompiler();

} // namespace kiln::session

#endif // KILN_LIB_SESSION_COMPILERLIBRARY_H
