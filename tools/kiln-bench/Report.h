//===- Report.h - The tables of kiln-bench ----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_BENCH_REPORT_H
#define KILN_TOOLS_KILN_BENCH_REPORT_H

#include "common/Work.h"

#include <string>
#include <vector>

namespace kiln::bench {

/// A program, or a kernel of one.
struct Row {
  std::string name;
  double median = 0, least = 0; ///< seconds of a call
  double launches = 0;          ///< of a kernel in a call
  tools::Work work;             ///< of a call
  std::vector<Row> kernels;     ///< those that take longest first
};

/// Markdown, a table of programs and one of the kernels of each.
std::string printTables(const std::vector<Row> &rows,
                        const runtime::MachineLimits &machine);
/// One JSON object with "machine" and "programs".
std::string printJson(const std::vector<Row> &rows,
                      const runtime::MachineLimits &machine);

} // namespace kiln::bench

#endif // KILN_TOOLS_KILN_BENCH_REPORT_H
