//===- VariantLog.cpp - What a session tells of its variants ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariantLog.h"

#include "kiln/Base/Log.h"
#include "kiln/Package/Explain.h"

#include <cstdio>

using namespace kiln;

void session::logCache(const std::string &text) {
  log::write("cache", log::Level::Info, text);
}

void session::logMiss(const std::string &reason, bool isWarning) {
  log::write("cache", isWarning ? log::Level::Warning : log::Level::Info,
             reason);
}

void session::logRecompilation(const std::string &text) {
  log::write("recompiles", log::Level::Info, text);
}

void session::logGraphSkip(const std::string &reason) {
  log::write("cudagraphs", log::Level::Info,
             "skipping cudagraphs in this call: " + reason);
}

void session::logLibrarySkip(const std::string &reason) {
  log::write("autotuning", log::Level::Warning,
             "kernels compute what a library was faster for: " + reason);
}

void session::logTime(const std::string &what, const Stopwatch &watch,
                      const std::string &parts) {
  char number[32];
  std::snprintf(number, sizeof(number), "%.3f ms", watch.seconds() * 1e3);
  log::write("timing", log::Level::Info, what + number + parts);
}

/// Why there is no graph to show; empty where the compiler has shown it.
static std::string whyNoGraph(const package::Package &package, bool isJoint,
                              bool isCompiledNow) {
  if (package.facts.backend == "eager")
    return "no AOT graph: backend eager runs what was captured";
  if (isJoint && package.programs.size() != 2)
    return "no joint graph: the program was compiled without a backward";
  if (!isCompiledNow)
    return "no AOT graph to show: the program was compiled earlier; expected a "
           "run without the cache";
  return "";
}

void session::logReasons(const package::Package &package, bool isCompiledNow) {
  auto isWanted = [](std::string_view category) {
    return log::isEnabled(category, log::Level::Info);
  };
  for (const package::Explanation &explanation :
       package::explain(package, isWanted))
    log::write(explanation.topic, log::Level::Info, explanation.text);
  for (const char *category : {"aot_graphs", "aot_joint_graph"}) {
    bool isJoint = std::string_view(category) == "aot_joint_graph";
    std::string text = whyNoGraph(package, isJoint, isCompiledNow);
    if (!text.empty())
      log::write(category, log::Level::Info, text);
  }
}
