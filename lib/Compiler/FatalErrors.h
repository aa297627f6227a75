//===- FatalErrors.h - When LLVM gives up -----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_FATALERRORS_H
#define KILN_LIB_COMPILER_FATALERRORS_H

namespace kiln::compiler {

/// From here on, what LLVM calls a fatal error ends the process with the exit
/// code of an internal error and one line, rather than with a signal; a lack of
/// memory ends it with that of something not supported. Takes effect once.
void handleFatalErrors();

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_FATALERRORS_H
