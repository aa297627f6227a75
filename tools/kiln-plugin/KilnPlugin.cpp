//===- KilnPlugin.cpp - Kiln in stock MLIR tools --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All dialects, passes and pipelines of Kiln for `mlir-opt` and every other
// tool that loads plugins:
//
//   mlir-opt --load-dialect-plugin=KilnPlugin.so \
//       --load-pass-plugin=KilnPlugin.so \
//       --pass-pipeline='builtin.module(convert-loop-to-linalg)' in.mlir
//
// A tool may ask for dialects, passes or both, in any order and more than once;
// each entry point registers everything. The plugin needs the very libMLIR it
// was built for, which the tool checks.
//
//===----------------------------------------------------------------------===//

#include "kiln/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

#include <mutex>

/// Passes have one registry for the process.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] { kiln::registerAllPasses(); });
}

static void registerDialects(mlir::DialectRegistry *registry) {
  kiln::registerAllDialects(*registry);
  kiln::registerAllExtensions(*registry);
  registerPassesOnce();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Kiln", LLVM_VERSION_STRING,
          registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Kiln", LLVM_VERSION_STRING,
          registerPassesOnce};
}
