//===- Report.cpp - The tables of kiln-bench ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "common/JsonWriter.h"

#include "kiln/Session/MachineText.h"
#include <cstdio>

using namespace kiln;
using namespace kiln::bench;
using kiln::tools::JsonWriter;

/// The part of the limit that a row reaches, 0 if its work is not known.
static double getShare(const Row &row, double seconds,
                       const runtime::MachineLimits &machine) {
  return seconds > 0 ? machine.secondsFor(row.work.bytes, row.work.operations) /
                           seconds
                     : 0;
}

static std::string printLine(const Row &row, bool isKernel,
                             const runtime::MachineLimits &machine) {
  double seconds = isKernel ? row.least : row.median;
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers),
                " | %.1f | %.1f | %.2f | %.2f | %.0f %% |\n",
                isKernel ? row.launches : row.median * 1e6,
                row.least * 1e6, row.work.bytes / seconds / 1e9,
                row.work.operations / seconds / 1e9,
                100 * getShare(row, seconds, machine));
  return "| " + row.name + numbers;
}

std::string bench::printTables(const std::vector<Row> &rows,
                               const runtime::MachineLimits &machine) {
  const char *line = "|---|--:|--:|--:|--:|--:|\n";
  std::string text =
      "| program | median us | minimum us | GB/s | Gflop/s | of the limit |\n";
  text += line;
  for (const Row &row : rows)
    text += printLine(row, /*isKernel=*/false, machine);
  for (const Row &row : rows) {
    if (row.kernels.empty())
      continue;
    text += "\n| kernel of " + row.name +
            " | launches | minimum us | GB/s | Gflop/s | of the limit |\n" + line;
    for (const Row &kernel : row.kernels)
      text += printLine(kernel, /*isKernel=*/true, machine);
  }
  return text;
}

static void write(JsonWriter &json, const Row &row, bool isKernel,
                  const runtime::MachineLimits &machine) {
  json.beginObject().key("name").text(row.name);
  json.key("median_s").real(row.median);
  if (isKernel)
    json.key("launches").real(row.launches);
  json.key("minimum_s").real(row.least);
  json.key("bytes").real(row.work.bytes);
  json.key("flops").real(row.work.operations);
  json.key("share_of_limit")
      .real(getShare(row, isKernel ? row.least : row.median, machine));
  if (!isKernel) {
    json.key("kernels").beginArray();
    for (const Row &kernel : row.kernels)
      write(json, kernel, /*isKernel=*/true, machine);
    json.endArray();
  }
  json.endObject();
}

std::string bench::printJson(const std::vector<Row> &rows,
                             const runtime::MachineLimits &machine) {
  JsonWriter json;
  json.beginArray();
  for (const Row &row : rows)
    write(json, row, /*isKernel=*/false, machine);
  json.endArray();
  return "{\"machine\":" + session::printLimits(machine) +
         ",\"programs\":" + json.str() + "}\n";
}
