//===- Options.h - The command line of kiln-run ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_RUN_OPTIONS_H
#define KILN_TOOLS_KILN_RUN_OPTIONS_H

#include "kiln/Session/Session.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::run {

struct Options {
  std::string path;
  std::string model; ///< of an archive with several programs
  std::vector<std::string> inputs;
  bool alt = false;
  std::string outputs;
  bool check = false;
  std::optional<double> rtol, atol;
  std::string mode = "default";
  bool timing = false;
  bool stats = false;
  std::string statsFile = "-"; ///< of --stats
  unsigned benchmark = 0; ///< iterations; 0: none
  bool serve = false;
  unsigned steps = 0; ///< of training; 0: no optimizer
  double learningRate = 1e-3;
  std::string checkpoint;
  std::string weightFile; ///< safetensors, instead of the model's weights
  std::optional<uint64_t> weightSeed; ///< of weights that a module lacks
  bool printedAbout = false; ///< --help or --version; there is nothing to do
  session::SessionOptions session;
};

/// Reads flags and environment. Usage errors for what means nothing,
/// Unsupported errors for what PyTorch has and this does not.
Result<Options> parseOptions(int argc, char **argv);

} // namespace kiln::run

#endif // KILN_TOOLS_KILN_RUN_OPTIONS_H
