//===- Seeds.h - What mutants are made of -----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeds: the cases of the lit tests, and what the compiler makes of exported
// programs at each stage, in the custom and the generic form, as bytecode and
// as a package. A text belongs to one stage: what the compiler wrote to the one
// whose name its file has, another to the one at which it stands.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZ_SEEDS_H
#define KILN_TEST_FUZZ_SEEDS_H

#include "kiln/Interfaces/Stages.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace kiln::fuzz {

struct Seeds {
  struct Text {
    Stage stage;
    std::string text;
  };
  std::vector<Text> texts;
  std::vector<std::string> bytecodes, archives, packages;
};

/// Everything below the folders or files of `paths` that is a program.
/// `scratch` receives what the compiler writes.
Seeds collectSeeds(mlir::MLIRContext &context,
                   const std::vector<std::string> &paths,
                   const std::string &scratch);

/// Calls a tool as a program would be, with standard output closed.
int callTool(int (*tool)(int, char **), std::vector<std::string> arguments);

void writeFile(const std::string &path, const std::string &bytes);
std::string readFile(const std::string &path);

} // namespace kiln::fuzz

#endif // KILN_TEST_FUZZ_SEEDS_H
