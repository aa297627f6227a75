//===- kiln-opt.cpp - Run passes on IR ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlir-opt` with the dialects and passes of Kiln beside all of upstream's.
//
//===----------------------------------------------------------------------===//

#include "common/Output.h"

#include "kiln/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

static int optimize(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  kiln::registerAllDialects(registry);
  kiln::registerAllExtensions(registry);
  kiln::registerAllPasses();
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << kiln::tools::versionText("kiln-opt");
  });
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Kiln's optimizer driver\n", registry);
  // MLIR's remarks are written without a lock and in the order of arrival.
  if (mlir::MlirOptMainConfig::createFromCLOptions().shouldEmitRemarks())
    llvm::cl::getRegisteredOptions()["mlir-disable-threading"]->addOccurrence(
        0, "mlir-disable-threading", "true");
  int code = mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
  // LLVM's stream ends the process when it is destroyed with an error.
  llvm::outs().flush();
  std::error_code failed = llvm::outs().error();
  llvm::outs().clear_error();
  if (!failed)
    return code;
  return kiln::tools::reportError(
      "kiln-opt", kiln::Error::io("cannot write standard output: " +
                                  kiln::systemMessage(failed.value())));
}

int main(int argc, char **argv) {
  return kiln::tools::runTool("kiln-opt", [&] { return optimize(argc, argv); });
}
