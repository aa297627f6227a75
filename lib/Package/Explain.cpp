//===- Explain.cpp - What a package says of itself ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/Explain.h"
#include "kiln/Package/GraphPlan.h"

#include "ReasonTexts.h"

#include "kiln/ABI/GuardABI.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Printer.h"

#include <map>

using namespace kiln;
using namespace kiln::package;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static std::string rangeText(const Symbol &symbol) {
  std::string text = std::to_string(symbol.min) + " <= " + symbol.name;
  if (symbol.max != std::numeric_limits<int64_t>::max())
    text += " <= " + std::to_string(symbol.max);
  return text;
}

std::string package::guardTable(const Package &package) {
  const Program &program = package.programs.front();
  std::string table;
  for (const Guard &guard : package.guards) {
    std::string check = printGuard(guard, program);
    table += check;
    if (!guard.text.empty() && guard.text != check)
      table += "   # " + guard.text;
    table += "\n";
  }
  for (const Symbol &symbol : program.symbols)
    if (symbol.source != Symbol::Source::Step)
      table += rangeText(symbol) + "\n";
  return table;
}

//===----------------------------------------------------------------------===//
// The other texts
//===----------------------------------------------------------------------===//

static std::string symbolTexts(const Program &program) {
  std::string text;
  for (const Symbol &symbol : program.symbols) {
    text += rangeText(symbol) + ": ";
    std::string input = symbol.slot < program.slots.size()
                            ? "'" + program.slots[symbol.slot].name + "'"
                            : "";
    std::string dim = std::to_string(symbol.dim);
    switch (symbol.source) {
    case Symbol::Source::InputSize:
      text += "size " + dim + " of " + input;
      break;
    case Symbol::Source::InputStride:
      text += "stride " + dim + " of " + input;
      break;
    case Symbol::Source::InputScalar:
      text += "the number " + input;
      break;
    case Symbol::Source::Step:
      text += "found while the program runs";
      break;
    }
    text += "\n";
  }
  return text.empty() ? "no symbols: every size is a number" : text;
}

/// Operators that run as functions although kernels were asked for.
static std::string hintTexts(const Package &package) {
  if (package.facts.backend != "inductor")
    return "performance hint: backend " + package.facts.backend +
           " calls a function for each operator; inductor makes kernels";
  std::map<std::pair<std::string, std::string>, unsigned> calls;
  for (const auto *programs : {&package.programs, &package.bodies})
    for (const Program &program : *programs)
      for (const Step &step : program.steps)
        if (const auto *call = std::get_if<ExternStep>(&step);
            call && !call->reason.empty())
          ++calls[{call->overload, call->reason}];
  std::string text;
  for (const auto &[call, count] : calls)
    text += "performance hint: " + call.first + " has no kernel, " +
            std::to_string(count) + (count == 1 ? " call: " : " calls: ") +
            call.second + "\n";
  return text.empty() ? "no performance hints: every operator is in a kernel"
                      : text;
}

static std::string codeText(const Package &package) {
  std::string text;
  for (const auto *programs : {&package.programs, &package.bodies})
    for (const Program &program : *programs)
      text += printProgram(program, &package.image);
  return text;
}

/// Why no pass decided anything about a topic.
static std::string emptyText(const Package &package,
                             const std::string &topic) {
  if (topic == "partition" && package.programs.size() == 1)
    return "no partition: the program was compiled without a backward";
  if (package.facts.backend != "inductor")
    return "no " + topic + ": backend " + package.facts.backend +
           " makes no kernels";
  if (!package.image.kernels.empty())
    return "no " + topic + ": the source was IR in which it is decided already";
  return "no " + topic + ": the program has no kernels";
}

std::vector<Explanation>
package::explain(const Package &package,
                 const std::function<bool(std::string_view)> &isWanted) {
  std::vector<Explanation> texts;
  auto addReasons = [&](const char *topic) {
    for (std::string &text : describeReasons(package, topic))
      texts.push_back({topic, std::move(text)});
  };
  for (const char *topic : {"fusion", "memory", "partition", "schedule"}) {
    if (!isWanted(topic))
      continue;
    size_t before = texts.size();
    addReasons(topic);
    if (texts.size() == before)
      texts.push_back({topic, emptyText(package, topic)});
  }
  auto add = [&](const char *topic, auto text) {
    if (isWanted(topic))
      texts.push_back({topic, text()});
  };
  add("guards", [&] { return "Guards:\n" + guardTable(package); });
  add("dynamic", [&] { return symbolTexts(package.programs.front()); });
  if (isWanted("dynamic"))
    addReasons("dynamic");
  add("perf_hints", [&] { return hintTexts(package); });
  add("output_code", [&] { return codeText(package); });
  add("graph_breaks", [] {
    return std::string("no graph breaks: an exported program is one graph");
  });
  add("cudagraphs", [&] { return graphText(package); });
  if (isWanted("autotuning")) {
    size_t before = texts.size();
    addReasons("autotuning");
    if (texts.size() == before)
      texts.push_back({"autotuning",
                       "no autotuning: a cost model chose the schedules of " +
                           std::to_string(package.image.kernels.size()) +
                           " kernels"});
  }
  return texts;
}
