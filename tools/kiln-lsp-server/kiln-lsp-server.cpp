//===- kiln-lsp-server.cpp - IR in an editor -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlir-lsp-server` with the dialects of Kiln: diagnostics, hover, definitions
// and references in `.mlir` files, over standard input and output.
//
//===----------------------------------------------------------------------===//

#include "common/Output.h"

#include "kiln/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  kiln::registerAllDialects(registry);
  kiln::registerAllExtensions(registry);
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << kiln::tools::versionText("kiln-lsp-server");
  });
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

int main(int argc, char **argv) {
  return kiln::tools::runTool("kiln-lsp-server",
                              [&] { return serve(argc, argv); });
}
