//===- kiln-coverage.cpp - What each overload has, as a page --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"

#include "common/Output.h"

#include "llvm/Config/llvm-config.h"

#include <cstdio>
#include <sstream>

using namespace kiln;
using namespace kiln::coverage;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-coverage: what each operator overload has, and how it was tested

usage: kiln-coverage --records=TSV --cases=TSV --required=FILE [--compare=PAGE]
       kiln-coverage --summarize EAGER.json INDUCTOR.json GRAD.json

Prints lib/Dialect/Aten/Coverage.md: shape rule, evaluator, decomposition or
loop body, derivative and results of PyTorch's cases.

  --records=TSV     what 'kiln-tblgen --gen-aten-coverage' wrote
  --cases=TSV       what --summarize wrote (test/Inputs/op-cases.tsv)
  --required=FILE   overloads that must be there, one a line; a reason behind a
                    tab excuses one
  --compare=PAGE    print nothing; fail if this page differs
  --summarize       join the JSON files of three runs of kiln-check over the
                    same packs: --backend=eager, inductor, and inductor --grad
  --version         of Kiln and LLVM, and the build id

A file named - is standard input. Exit codes: 0 done; 1 the page differs, or an
overload that must be there is missing or has no inference, evaluator, loop form
or tests; 2 wrong command line; 3 malformed or unreadable input, or a result that
cannot be written.

example:
  kiln-check ops --backend=eager --json=e.json
  kiln-check ops --backend=inductor --json=i.json
  kiln-check ops --backend=inductor --grad --json=g.json
  kiln-coverage --summarize e.json i.json g.json > test/Inputs/op-cases.tsv
)";

/// Says where two texts differ first; false if they do not.
static bool reportDifference(const std::string &have, const std::string &want,
                             const std::string &path) {
  std::istringstream left(have), right(want);
  std::string a, b;
  for (unsigned line = 1;; ++line) {
    bool more = static_cast<bool>(std::getline(left, a));
    bool other = static_cast<bool>(std::getline(right, b));
    if (!more && !other)
      return false;
    if (more == other && a == b)
      continue;
    std::fprintf(stderr,
                 "kiln-coverage: error: %s:%u is out of date\n  found    %s\n"
                 "  expected %s\n",
                 path.c_str(), line, other ? b.c_str() : "the end",
                 more ? a.c_str() : "the end");
    return true;
  }
}

static int cover(int argc, char **argv) {
  std::string records, cases, required, compare;
  bool summarizes = false;
  CommandLine line;
  line.value("records", records);
  line.value("cases", cases);
  line.value("required", required);
  line.value("compare", compare);
  line.flag("summarize", summarizes);
  auto fail = [](const Error &error) {
    return reportError("kiln-coverage", error);
  };
  if (Status s = line.parse(argc, argv); !s)
    return fail(s.error());
  if (printAbout(line, "kiln-coverage", kHelp, LLVM_VERSION_STRING))
    return 0;
  if (summarizes) {
    auto table = summarize(line.positional());
    if (!table)
      return fail(table.error());
    print(writeCases(*table));
    return 0;
  }
  if (records.empty() || cases.empty() || required.empty() ||
      !line.positional().empty())
    return fail(Error::usage("expected --records, --cases and --required, or "
                             "--summarize; see --help"));
  auto table = readCases(cases);
  if (!table)
    return fail(table.error());
  auto page = writePage(records, *table, required);
  if (!page)
    return fail(page.error());
  if (compare.empty()) {
    print(page->text);
  } else {
    auto current = readText(compare);
    if (!current)
      return fail(current.error());
    if (reportDifference(page->text, *current, compare))
      return 1;
  }
  for (const std::string &gap : page->gaps)
    std::fprintf(stderr, "kiln-coverage: error: %s\n", gap.c_str());
  return page->gaps.empty() ? 0 : 1;
}

int main(int argc, char **argv) {
  return runTool("kiln-coverage", [&] { return cover(argc, argv); });
}
