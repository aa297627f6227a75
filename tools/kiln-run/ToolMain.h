//===- ToolMain.h - What kiln-run does, in this process ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_RUN_TOOLMAIN_H
#define KILN_TOOLS_KILN_RUN_TOOLMAIN_H

namespace kiln::run {

/// The tool without the process around it; returns an exit code.
int toolMain(int argc, char **argv);

} // namespace kiln::run

#endif // KILN_TOOLS_KILN_RUN_TOOLMAIN_H
