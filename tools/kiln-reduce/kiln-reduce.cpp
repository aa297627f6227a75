//===- kiln-reduce.cpp - Make a failing program small ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlir-reduce` with the dialects and passes of Kiln, and a pass that cuts graphs
// (ReduceGraph.h):
//
//   kiln-reduce failing.mlir --kiln-reduce-graph='test=check.sh'
//
// `check.sh FILE` exits with 1 while FILE still shows what is looked for.
//
//===----------------------------------------------------------------------===//

#include "ReduceGraph.h"
#include "common/Output.h"

#include "kiln/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

static int reduce(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  kiln::registerAllDialects(registry);
  kiln::registerAllExtensions(registry);
  kiln::registerAllPasses();
  kiln::tools::registerReduceGraphPass();
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << kiln::tools::versionText("kiln-reduce");
  });
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}

int main(int argc, char **argv) {
  return kiln::tools::runTool("kiln-reduce", [&] { return reduce(argc, argv); });
}
