//===- CompileOptions.cpp - The options record ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Interfaces/OptimizerConfig.h"
#include "kiln/Target/CPU/CPUTarget.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln;
using namespace kiln::compiler;

static Error badLine(StringRef line, StringRef expected) {
  return Error::usage("option '" + line.str() + "': expected " +
                      expected.str());
}

static Result<bool> parseFlag(StringRef line, StringRef value) {
  if (value == "0" || value == "1")
    return value == "1";
  return badLine(line, "0 or 1");
}

static std::vector<std::string> parseList(StringRef value) {
  std::vector<std::string> result;
  SmallVector<StringRef> entries;
  value.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries)
    result.push_back(entry.str());
  return result;
}

Result<CompileOptions> CompileOptions::parse(StringRef options,
                                             StringRef specialization) {
  CompileOptions result;
  SmallVector<StringRef> lines;
  options.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [key, value] = line.split('=');
    if (key == "backend") {
      if (value == "eager")
        result.backend = Backend::Eager;
      else if (value == "aot_eager")
        result.backend = Backend::AotEager;
      else if (value == "inductor")
        result.backend = Backend::Inductor;
      else
        return badLine(line, "eager, aot_eager or inductor");
    } else if (key == "training") {
      auto flag = parseFlag(line, value);
      if (!flag)
        return flag.takeError();
      result.training = *flag;
    } else if (key == "input_gradients") {
      result.inputGradients = parseList(value);
    } else if (key == "target") {
      // Before the work that ends in code for it.
      if (auto target = target::CPUTarget::parse(value); !target)
        return target.takeError();
      result.target = value.str();
    } else if (key == "threads") {
      if (value.getAsInteger(10, result.threads) || result.threads == 0 ||
          result.threads > 1024)
        return badLine(line, "1 to 1024 threads");
    } else if (key == "lowering") {
      if (value != "direct" && value != "linalg")
        return badLine(line, "direct or linalg");
      result.throughLinalg = value == "linalg";
    } else if (key == "memory_budget") {
      if (value.getAsDouble(result.memoryBudget) || result.memoryBudget < 0 ||
          result.memoryBudget > 1)
        return badLine(line, "a number from 0 to 1");
    } else if (key == "operators") {
      result.operators = parseList(value);
    } else if (key == "plugins") {
      result.plugins = parseList(value);
    } else if (key == "optimizer") {
      std::string problem;
      if (!OptimizerConfig::parse(value, problem))
        return Error::usage("option '" + line.str() + "': " + problem);
      result.optimizer = value.str();
    } else if (key == "dynamic") {
      // Whether symbols are specialized the caller has decided.
      if (value != "auto" && value != "true" && value != "false" &&
          value != "first")
        return badLine(line, "auto, true, false or first");
      result.sizes.all = value == "true";
    } else if (key == "mark_dynamic") {
      result.sizes.dynamic = parseList(value);
    } else if (key == "mark_static") {
      result.sizes.fixed = parseList(value);
    } else if (key == "mark_unbacked") {
      result.sizes.unbacked = parseList(value);
    } else {
      return badLine(line, "one of backend, training, input_gradients, target, "
                           "threads, lowering, memory_budget, operators, "
                           "optimizer, plugins, dynamic, mark_dynamic, mark_static, "
                           "mark_unbacked");
    }
  }
  if (!result.optimizer.empty() && !result.training)
    return Error::usage("option 'optimizer' needs training=1");
  lines.clear();
  specialization.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [symbol, value] = line.split('=');
    bool isBound = value.consume_back("..");
    int64_t number;
    if (symbol.empty() || value.getAsInteger(10, number))
      return badLine(line, "symbol=integer or symbol=integer..");
    (isBound ? result.lowerBounds : result.specialization)[symbol.str()] =
        number;
  }
  return result;
}
