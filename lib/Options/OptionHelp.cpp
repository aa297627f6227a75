//===- OptionHelp.cpp - Options for people ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Options/CompileOptions.h"

using namespace kiln;
using namespace kiln::option;

static constexpr size_t kWidth = 80, kTextColumn = 25;

/// "  --flag=SHAPE" and the text beside it, or below where the flag is long.
static std::string wrap(const std::string &head, const std::string &text) {
  std::string lines = head;
  size_t column = head.size();
  auto newLine = [&] {
    lines += "\n" + std::string(kTextColumn, ' ');
    column = kTextColumn;
  };
  if (column + 1 > kTextColumn)
    newLine();
  else {
    lines += std::string(kTextColumn - column, ' ');
    column = kTextColumn;
  }
  for (const std::string &word : splitList(text, ' ')) {
    if (column != kTextColumn && column + 1 + word.size() > kWidth)
      newLine();
    bool isFirst = column == kTextColumn;
    lines += (isFirst ? "" : " ") + word;
    column += word.size() + !isFirst;
  }
  return lines + "\n";
}

static bool saysDefault(const OptionRow &row) {
  return !row.isSwitch && !row.fallback.empty() && row.fallback != "0";
}

std::string kiln::optionHelp(OptionTool tool) {
  std::string lines;
  for (const OptionRow &row : optionTable()) {
    if (!row.isFlagOf(tool))
      continue;
    std::string head = "  --" + row.flag;
    if (!row.isSwitch)
      head += "=" + row.shape;
    lines += wrap(head, row.help + (saysDefault(row)
                                        ? "; default " + row.fallback
                                        : ""));
  }
  return lines;
}

/// A text in a cell of a table.
static std::string cell(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string kiln::optionPage() {
  std::string page =
      "# Options of a compilation\n\n"
      "Made of `kiln/ABI/Options.def`. An option that changes graphs or code is "
      "part of the cache key of a program; one that changes graphs is part of "
      "that of a training step's graphs, too.\n\n"
      "| option | values | default | changes | flag of | variable | "
      "meaning |\n|---|---|---|---|---|---|---|\n";
  for (const OptionRow &row : optionTable()) {
    std::vector<std::string> tools;
    for (auto [tool, name] : {std::pair(OptionTool::Compile, "kiln-compile"),
                              std::pair(OptionTool::Run, "kiln-run"),
                              std::pair(OptionTool::Check, "kiln-check")})
      if (row.isFlagOf(tool))
        tools.push_back(name);
    std::string fallback = row.fallback.empty() ? "" : "`" + row.fallback + "`";
    page += "| `" + row.name + "` | " + cell(row.expected) + " | " + fallback +
            " | " + (row.changesGraph  ? "graphs"
                     : row.changesCode ? "code"
                                       : "") + " | " +
            joinWords(tools, ", ", ", ") + " | " + row.environment + " | " +
            cell(row.help) + " |\n";
  }
  return page;
}
