//===- Isolation.h - A tool's work in a process that may die ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IR can be written so that MLIR's parser, LLVM's code generator or the code of
// a kernel ends the process or never comes to an end. A tool does its work in a
// child, therefore, and its parent turns a signal or an internal error into one
// sentence, an exit code and a reproducer, and ends a compilation that is too
// long. The child is forked before anything else is done, when a process is
// small.
//
// `KILN_ISOLATE=0` in the environment does the work in the process itself, for
// a debugger.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_ISOLATION_H
#define KILN_TOOLS_COMMON_ISOLATION_H

#include <string>

namespace kiln::tools {

/// Runs `work` in a child and returns the exit code of the tool.
int runIsolated(const char *tool, int argc, char **argv,
                int (*work)(int argc, char **argv));

/// In the child: a stage of a compilation begins, which may take `seconds` in
/// all. The stage "package" is the last one.
void noteStage(const std::string &stage, double seconds);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_ISOLATION_H
