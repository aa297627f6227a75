//===- Routes.h - Where mutants are taken -----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZ_ROUTES_H
#define KILN_TEST_FUZZ_ROUTES_H

#include "ForkServer.h"
#include "Seeds.h"

#include <string>
#include <vector>

namespace kiln::fuzz {

/// All routes of IR: each pass and pipeline of kiln-opt, and the tools.
class IrRoutes {
public:
  explicit IrRoutes(mlir::MLIRContext &context);

  void run(const std::string &text, size_t job, JobContext &process) const;
  std::string name(size_t route) const { return names_[route]; }

private:
  mlir::MLIRContext &context_;
  std::vector<std::string> names_;
  size_t firstTool_ = 0;
  size_t firstRun_ = 0; ///< of the tools: the first that runs what it reads
};

/// The tools on a file with this extension.
void runTools(const std::string &bytes, const std::string &extension,
              size_t job, JobContext &process);
std::string toolRouteName(const std::string &extension, size_t job,
                          size_t route);

/// Opens a package through kiln-c/Runtime.h, for each target, asks it everything
/// and runs it; the arguments and the exit code are those of a tool.
int packageFromC(int argc, char **argv);

} // namespace kiln::fuzz

#endif // KILN_TEST_FUZZ_ROUTES_H
