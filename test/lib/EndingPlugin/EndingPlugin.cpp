//===- EndingPlugin.cpp - A plugin that ends the compiler -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect plugin without a dialect. When a compilation loads it, it does what
// KILN_TEST_END says: `crash`, `abort`, `fatal` (LLVM's way to give up), `exit` or
// `hang`. For tests of what is left of the process that asked for the compilation.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

static void end(mlir::DialectRegistry *) {
  const char *variable = std::getenv("KILN_TEST_END");
  std::string_view way = variable ? variable : "";
  if (way == "crash")
    ::raise(SIGSEGV);
  if (way == "abort")
    std::abort();
  if (way == "fatal")
    llvm::report_fatal_error("the plugin gives up");
  if (way == "exit")
    std::exit(0);
  while (way == "hang")
    ::pause();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ending", "1", end};
}
