//===- Coverage.h - What each overload has and how it was tested -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_COVERAGE_COVERAGE_H
#define KILN_TOOLS_KILN_COVERAGE_COVERAGE_H

#include "kiln/Base/Result.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::coverage {

/// What PyTorch's cases of an overload gave, by backend.
struct Cases {
  struct Count {
    unsigned passed = 0;
    unsigned others = 0; ///< failed or not supported
  };
  Count eager, inductor, gradients;
  /// What compiled programs left to functions: "overload: reason; ...".
  std::string left;
};
/// By overload without ".default".
using CaseTable = std::map<std::string, Cases>;

/// Joins the JSON files of three runs of kiln-check, on eager, on inductor and
/// on inductor with --grad.
Result<CaseTable> summarize(const std::vector<std::string> &jsonFiles);
/// The table as text, and back.
std::string writeCases(const CaseTable &table);
Result<CaseTable> readCases(const std::string &path);

struct Page {
  std::string text;
  /// Overloads that must be there and lack something: "overload: what".
  std::vector<std::string> gaps;
};

/// The page from the records' table (`kiln-tblgen --gen-aten-coverage`), the
/// cases, and the overloads that must be there, one a line; a reason behind a
/// tab says why one need not.
Result<Page> writePage(const std::string &recordsPath, const CaseTable &cases,
                       const std::string &requiredPath);

/// The text of a file of at most 64 MiB.
Result<std::string> readText(const std::string &path);
/// "aten.mm" for "aten.mm.default".
std::string shortName(std::string overload);

} // namespace kiln::coverage

#endif // KILN_TOOLS_KILN_COVERAGE_COVERAGE_H
