//===- CompileOptions.cpp - Options as text and as a table -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Options/CompileOptions.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

using namespace kiln;
using namespace kiln::option;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// The words of Options.def.
namespace {
enum Effect { KeepsCode, ChangesCode, ChangesGraph };
constexpr unsigned None = 0, Compile = unsigned(OptionTool::Compile),
                   Run = unsigned(OptionTool::Run),
                   Check = unsigned(OptionTool::Check);

template <typename T> void assign(T &field, T value) {
  field = std::move(value);
}
void assign(Names::Value &list, Names::Value more) {
  list.insert(list.end(), more.begin(), more.end());
}
} // namespace

template <typename Kind, auto Field>
static OptionRow makeRow(const char *field, Effect effect, unsigned tools,
                         const char *environment, const char *help) {
  OptionRow row;
  row.name = row.flag = snakeCase(field);
  std::replace(row.flag.begin(), row.flag.end(), '_', '-');
  row.shape = Kind::shape();
  row.expected = Kind::expected();
  row.fallback = Kind::print(CompileOptions().*Field);
  row.environment = environment;
  row.help = help;
  row.changesCode = effect != KeepsCode;
  row.changesGraph = effect == ChangesGraph;
  row.tools = tools;
  row.isSwitch = std::is_same_v<Kind, Switch>;
  row.isFolder = std::is_same_v<Kind, Folder>;
  row.set = [](CompileOptions &options, const std::string &text) {
    auto value = Kind::parse(text);
    if (value)
      assign(options.*Field, std::move(*value));
    return value.has_value();
  };
  row.get = [](const CompileOptions &options) -> std::string {
    return Kind::print(options.*Field);
  };
  row.isEqual = [](const CompileOptions &a, const CompileOptions &b) {
    return a.*Field == b.*Field;
  };
  return row;
}

const std::vector<OptionRow> &kiln::optionTable() {
  static const std::vector<OptionRow> table = {
#define KILN_OPTION(field, Kind, fallback, effect, tools, environment, help)   \
  makeRow<Kind, &CompileOptions::field>(#field, effect, tools, environment,    \
                                        help),
#define KILN_CHOICE(field, Type, effect, tools, environment, help, ...)        \
  makeRow<Choice<Type>, &CompileOptions::field>(#field, effect, tools,         \
                                                environment, help),
#include "kiln/ABI/Options.def"
  };
  return table;
}

const OptionRow *kiln::findOption(const std::string &name) {
  for (const OptionRow &row : optionTable())
    if (row.name == name)
      return &row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The lines of the options that are `wanted`.
static Result<std::string> write(const CompileOptions &options,
                                 bool (*wanted)(const OptionRow &)) {
  std::string record;
  for (const OptionRow &row : optionTable()) {
    if (row.isEqual(options, CompileOptions()) || !wanted(row))
      continue;
    std::string text = row.get(options);
    CompileOptions again;
    if (text.find('\n') != std::string::npos || !row.set(again, text) ||
        !row.isEqual(again, options))
      return Error::usage("option '" + row.name + "=" + text +
                          "' cannot be written in a line; expected " +
                          row.expected);
    record += row.name + "=" + text + "\n";
  }
  return record;
}

Result<std::string> CompileOptions::record() const {
  return write(*this, [](const OptionRow &) { return true; });
}

Result<std::string> CompileOptions::keyRecord() const {
  return write(*this, [](const OptionRow &row) { return row.changesCode; });
}

static constexpr char kSumsOfHost[] = "f32";

/// Of a GPU, where attention of f32 is several kernels, those have not been measured.
std::string CompileOptions::savedSums() const {
  return target.rfind("sm_", 0) == std::string::npos ? kSumsOfHost : "bf16,f16";
}

Result<std::string> CompileOptions::graphRecord() const {
  auto record =
      write(*this, [](const OptionRow &row) { return row.changesGraph; });
  // Whose target is a GPU has other sums, and operands in memory.
  if (std::string sums = savedSums(); record && sums != kSumsOfHost)
    *record += "saves_sums=" + sums + "\n";
  return record;
}

static Error badLine(const std::string &line, const std::string &expected) {
  return Error::usage("option '" + line + "': expected " + expected);
}

static std::string optionNames() {
  std::vector<std::string> names;
  for (const OptionRow &row : optionTable())
    names.push_back(row.name);
  return joinWords(names, ", ", ", ");
}

Result<CompileOptions>
CompileOptions::parse(const std::string &record,
                      const std::string &specialization) {
  CompileOptions options;
  std::vector<const OptionRow *> seen;
  for (size_t begin = 0; begin < record.size();) {
    size_t end = std::min(record.find('\n', begin), record.size());
    std::string line = record.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty())
      continue;
    size_t equals = line.find('=');
    const OptionRow *row = findOption(line.substr(0, equals));
    if (!row)
      return badLine(line, "one of " + optionNames());
    if (std::find(seen.begin(), seen.end(), row) != seen.end())
      return badLine(line, "each option once");
    seen.push_back(row);
    if (equals == std::string::npos ||
        !row->set(options, line.substr(equals + 1)))
      return badLine(line, row->expected);
  }
  auto symbols = Specialization::parse(specialization);
  if (!symbols)
    return symbols.takeError();
  options.specialization = std::move(*symbols);
  if (Status s = options.verify(); !s)
    return s.takeError();
  return options;
}

Status CompileOptions::verify() const {
  if (training && backend == Backend::Eager)
    return Error::usage("training: backend eager has no backward; expected "
                        "aot_eager or inductor");
  auto isOfTraining = [&](const char *what, bool isGiven) {
    return isGiven && !training
               ? Status(Error::usage(std::string(what) +
                                     " is about training; expected training"))
               : Status::success();
  };
  for (auto [what, isGiven] : {std::pair("optimizer", !optimizer.empty()),
                               std::pair("memory_budget", memoryBudget != 1),
                               std::pair("input_gradients",
                                         !inputGradients.empty())})
    if (Status s = isOfTraining(what, isGiven); !s)
      return s;
  if (memoryLimit != 0 && backend != Backend::Inductor)
    return Error::usage("memory_limit: backends without kernels keep what "
                        "operators allocate; expected inductor");
  if (dynamic == Dynamic::False &&
      !(markDynamic.empty() && markUnbacked.empty()))
    return Error::usage("dynamic=false and marks of dynamic sizes exclude each "
                        "other");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Specialization
//===----------------------------------------------------------------------===//

std::string Specialization::text() const {
  std::string lines;
  for (const auto &[symbol, value] : values)
    lines += symbol + "=" + std::to_string(value) + "\n";
  for (const auto &[symbol, bound] : lowerBounds)
    lines += symbol + "=" + std::to_string(bound) + "..\n";
  return lines;
}

Result<Specialization> Specialization::parse(const std::string &text) {
  Specialization result;
  for (const std::string &line : splitList(text, '\n')) {
    size_t equals = line.find('=');
    char *end = nullptr;
    const char *begin =
        equals == std::string::npos ? "" : line.c_str() + equals + 1;
    errno = 0;
    long long value = std::strtoll(begin, &end, 10);
    std::string rest = end;
    if (equals == 0 || end == begin || errno != 0 ||
        !(rest.empty() || rest == ".."))
      return badLine(line, "symbol=integer or symbol=integer..");
    (rest.empty() ? result.values : result.lowerBounds)[line.substr(
        0, equals)] = value;
  }
  return result;
}
