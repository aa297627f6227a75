//===- Main.cpp - kiln-compile ------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolMain.h"

#include "common/Isolation.h"

int main(int argc, char **argv) {
  return kiln::tools::runIsolated("kiln-compile", argc, argv,
                                  kiln::compiler::toolMain);
}
