//===- OptionFlags.cpp - Options of a compilation as flags ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionFlags.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

using namespace kiln;
using namespace kiln::tools;

static Status set(CompileOptions &options, const OptionRow &row,
                  const std::string &text) {
  if (row.set(options, text))
    return Status::success();
  return Error::usage("--" + row.flag + "=" + text + ": expected " +
                      row.expected);
}

Status tools::setOption(CompileOptions &options, const std::string &name,
                        const std::string &text) {
  if (const OptionRow *row = findOption(name))
    return set(options, *row, text);
  return Error::usage("there is no option '" + name + "' of a compilation");
}

Status tools::setMode(CompileOptions &options, const std::string &mode) {
  if (mode == "default" || mode == "reduce-overhead")
    return Status::success();
  if (mode != "max-autotune" && mode != "max-autotune-no-cudagraphs")
    return Error::usage("--mode=" + mode +
                        ": expected default, reduce-overhead, max-autotune "
                        "or max-autotune-no-cudagraphs");
  options.maxAutotune = options.coordinateDescentTuning = true;
  return Status::success();
}

void tools::addOptionFlags(CommandLine &line, OptionTool tool,
                           CompileOptions &options) {
  for (const OptionRow &row : optionTable()) {
    if (!row.isFlagOf(tool))
      continue;
    if (row.isSwitch)
      line.flag(row.flag, [&] { return set(options, row, "1"); });
    else
      line.value(row.flag, [&](const std::string &text) {
        return set(options, row, text);
      });
  }
}

/// "torch_compile_debug/run_<time>-pid_<id>", as PyTorch names it.
static std::string debugFolder() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts = {};
  ::localtime_r(&now.tv_sec, &parts);
  char time[64], folder[128];
  std::strftime(time, sizeof(time), "%Y_%m_%d_%H_%M_%S", &parts);
  std::snprintf(folder, sizeof(folder),
                "torch_compile_debug/run_%s_%06ld-pid_%ld", time,
                now.tv_nsec / 1000, static_cast<long>(::getpid()));
  return folder;
}

/// What PyTorch's users say of kernels that Kiln does not have to choose from: of
/// libraries, and how many of Triton's are tried. Ignored with one warning where
/// something is tuned, as elsewhere PyTorch does not read them.
static void warnOfIgnored(const std::string &tool) {
  std::vector<std::string> names;
  for (const char *name : {"TORCHINDUCTOR_MAX_AUTOTUNE_CONV_BACKENDS",
                           "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS",
                           "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_SEARCH_SPACE"})
    if (const char *value = std::getenv(name); value && *value)
      names.push_back(name);
  if (!names.empty())
    std::fprintf(
        stderr,
        "%s: warning: %s ignored, %s has one kind of kernels, of which "
        "a cost model says what is tried\n",
        tool.c_str(), option::joinWords(names, ", ", ", ").c_str(),
        tool.c_str());
}

Status tools::readOptionVariables(const std::string &name, OptionTool tool,
                                  CompileOptions &options) {
  for (const OptionRow &row : optionTable()) {
    if (row.environment.empty() || !row.isFlagOf(tool) ||
        !row.isEqual(options, CompileOptions()))
      continue;
    const char *value = std::getenv(row.environment.c_str());
    if (!value)
      continue;
    std::string text = value;
    // As PyTorch's switches: any other value is off.
    if ((row.isFolder || row.isSwitch) && text != "1")
      continue;
    if (row.isFolder) {
      text = debugFolder();
      std::fprintf(stderr, "%s: %s: a file for each stage in %s\n",
                   name.c_str(), row.environment.c_str(), text.c_str());
    }
    if (!row.set(options, text))
      return Error::usage(row.environment + "=" + text + ": expected " +
                          row.expected);
  }
  if (options.isTuned())
    warnOfIgnored(name);
  return Status::success();
}
