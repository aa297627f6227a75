//===- Cases.cpp - Results of operator cases by overload ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"

#include "common/Output.h"

#include "kiln/Archive/JsonReader.h"
#include "kiln/Base/FileSystem.h"

#include <sstream>

using namespace kiln;
using namespace kiln::coverage;

Result<std::string> coverage::readText(const std::string &path) {
  auto bytes = tools::readInput(path, uint64_t(64) << 20);
  if (!bytes)
    return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}

std::string coverage::shortName(std::string overload) {
  static const std::string suffix = ".default";
  if (overload.size() > suffix.size() &&
      overload.compare(overload.size() - suffix.size(), suffix.size(),
                       suffix) == 0)
    overload.resize(overload.size() - suffix.size());
  return overload;
}

static Status addRun(const std::string &path, CaseTable &table) {
  auto text = readText(path);
  if (!text)
    return text.takeError();
  auto document = archive::parseJson(*text, path);
  if (!document)
    return document.takeError();
  archive::JsonView root = document->root();
  bool gradients = root.field("grad").asBool();
  bool compiled = root.field("backend").asString() == "inductor";
  archive::JsonView entries = root.field("entries");
  auto count = [](archive::JsonView entry, const char *name) {
    return static_cast<unsigned>(entry.field(name).asInt(0, 1 << 20));
  };
  for (size_t i = 0, n = entries.size(); i < n; ++i) {
    archive::JsonView entry = entries[i];
    Cases &cases = table[shortName(entry.field("name").asString())];
    Cases::Count &counts = gradients  ? cases.gradients
                           : compiled ? cases.inductor
                                      : cases.eager;
    counts.passed = count(entry, "passed");
    counts.others = count(entry, "failed") + count(entry, "unsupported");
    if (gradients || !compiled)
      continue;
    archive::JsonView left = entry.field("fallback_ops");
    for (size_t k = 0, m = left.size(); k < m; ++k)
      cases.left += (cases.left.empty() ? "" : "; ") + left.key(k);
  }
  return document->status();
}

Result<CaseTable>
coverage::summarize(const std::vector<std::string> &jsonFiles) {
  CaseTable table;
  for (const std::string &path : jsonFiles)
    if (Status s = addRun(path, table); !s)
      return s.takeError();
  return table;
}

std::string coverage::writeCases(const CaseTable &table) {
  std::ostringstream os;
  os << "# Cases by overload: passed and others on eager, on inductor, and "
        "gradients on\n# inductor; what compiled programs leave to functions. "
        "Made by kiln-coverage.\n";
  for (const auto &[name, cases] : table) {
    os << name;
    for (const Cases::Count &count :
         {cases.eager, cases.inductor, cases.gradients})
      os << '\t' << count.passed << '\t' << count.others;
    os << '\t' << cases.left << '\n';
  }
  return os.str();
}

Result<CaseTable> coverage::readCases(const std::string &path) {
  auto text = readText(path);
  if (!text)
    return text.takeError();
  CaseTable table;
  std::istringstream lines(*text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream fields(line);
    std::string name;
    Cases cases;
    fields >> name;
    for (Cases::Count *count :
         {&cases.eager, &cases.inductor, &cases.gradients})
      fields >> count->passed >> count->others;
    if (!fields)
      return Error::malformed(path + ":" + std::to_string(number) +
                              ": expected an overload and six counts");
    fields.get(); // the tab
    std::getline(fields, cases.left);
    table[name] = cases;
  }
  return table;
}
