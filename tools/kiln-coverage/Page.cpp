//===- Page.cpp - The page on what each overload has ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"

#include "kiln/Eager/Registry.h"
#include "kiln/Import/InPlace.h"

#include <sstream>

using namespace kiln;
using namespace kiln::coverage;

namespace {
/// A line of the records' table.
struct Record {
  std::string summary, sizes, types, core, decomposition, lowering, body,
      derivative;
};

struct Row {
  std::string summary, inference, types, core, evaluator, compiled, derivative,
      tests;
};
} // namespace

static Result<std::map<std::string, Record>>
readRecords(const std::string &path) {
  auto text = readText(path);
  if (!text)
    return text.takeError();
  std::map<std::string, Record> records;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream fields(line);
    std::string name;
    Record record;
    std::getline(fields, name, '\t');
    for (std::string *field :
         {&record.summary, &record.sizes, &record.types, &record.core,
          &record.decomposition, &record.lowering, &record.body,
          &record.derivative})
      if (!std::getline(fields, *field, '\t') && field != &record.derivative)
        return Error::malformed(path + ": '" + name +
                                "' has too few columns, expected 9");
    records[name] = record;
  }
  return records;
}

/// What makes kernels of an overload, by its record; of one that has none, what
/// shows in its cases.
static std::string howCompiled(const Record *record, const Cases *cases) {
  if (record && !record->decomposition.empty()) {
    bool isFormula = record->decomposition[0] == '(';
    const char *quote = isFormula ? "`" : "";
    return "decomposes: " + (quote + record->decomposition) + quote;
  }
  std::string left =
      cases && !cases->left.empty() ? "left out: " + cases->left : "";
  if (record && !record->lowering.empty())
    return "lowered: " + record->lowering + (left.empty() ? "" : "; ") + left;
  if (record && !record->body.empty())
    return "`" + record->body + "`";
  if (!cases || cases->inductor.passed == 0)
    return "";
  return left.empty() ? "lowered" : left;
}

static std::string howTested(const Cases &cases) {
  auto text = [](const Cases::Count &count, const char *what) {
    if (count.passed + count.others == 0)
      return std::string();
    return std::to_string(count.passed) + " of " +
           std::to_string(count.passed + count.others) + " " + what;
  };
  std::string all = text(cases.eager, "eager");
  for (std::string part :
       {text(cases.inductor, "compiled"), text(cases.gradients, "gradients")})
    if (!part.empty())
      all += (all.empty() ? "" : ", ") + part;
  return all;
}

static void findGaps(const std::string &name, const Row &row,
                     std::vector<std::string> &gaps) {
  std::pair<const char *, const std::string *> cells[] = {
      {"inference", &row.inference},
      {"an evaluator", &row.evaluator},
      {"a decomposition or loop body", &row.compiled},
      {"tests", &row.tests}};
  for (auto [what, cell] : cells)
    if (cell->empty())
      gaps.push_back(name + ": lacks " + what);
}

Result<Page> coverage::writePage(const std::string &recordsPath,
                                 const CaseTable &cases,
                                 const std::string &requiredPath) {
  auto records = readRecords(recordsPath);
  if (!records)
    return records.takeError();
  auto required = readText(requiredPath);
  if (!required)
    return required.takeError();
  runtime::OperatorRegistry registry;
  if (Status s = eager::registerAll(registry); !s)
    return s.takeError();

  std::map<std::string, Row> rows;
  for (const auto &[name, record] : *records)
    rows[name];
  for (const auto &[name, tested] : cases)
    rows[name];
  for (auto &[name, row] : rows) {
    auto found = records->find(name);
    const Record *record = found == records->end() ? nullptr : &found->second;
    auto tested = cases.find(name);
    const Cases *counts = tested == cases.end() ? nullptr : &tested->second;
    std::string full = registry.find(name) ? name : name + ".default";
    // A form in place has the record of the functional form.
    std::string functional = shortName(pt2::functionalName(full));
    if (record) {
      row.summary = record->summary;
      row.inference = record->sizes;
      row.types = record->types;
      row.core = record->core.empty() ? "" : "yes";
      row.derivative = record->derivative;
    } else if (records->count(functional)) {
      row.summary = "In place: `" + functional + "`";
      row.inference = "of `" + functional + "`";
      row.derivative = records->at(functional).derivative;
      record = &records->at(functional);
    }
    // What is composed of others is opened before anything runs.
    bool isComposed = record && record->sizes == "composed";
    row.evaluator = registry.find(full) ? "yes" : isComposed ? "its parts'" : "";
    row.compiled = howCompiled(record, counts);
    if (counts)
      row.tests = howTested(*counts);
  }

  Page page;
  std::string others;
  std::istringstream lines(*required);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (size_t tab = line.find('\t'); tab != std::string::npos) {
      others += "| `" + shortName(line.substr(0, tab)) + "` | " +
                line.substr(tab + 1) + " |\n";
      continue;
    }
    auto row = rows.find(shortName(line));
    if (row == rows.end())
      page.gaps.push_back(line + ": is missing");
    else
      findGaps(line, row->second, page.gaps);
  }

  std::ostringstream os;
  os << "# Overloads of the aten dialect\n\n"
        "What each overload has, from its record "
        "(`include/kiln/Dialect/Aten/IR`), the eager functions and\n"
        "the results of PyTorch's cases (`test/Inputs/op-cases.tsv`). Written "
        "by `kiln-coverage`; a test compares.\n\n"
     << rows.size() << " overloads, " << records->size()
     << " with a record of their own.\n\n"
        "| overload | what it does | inference | types | core | evaluator | "
        "decomposition or loop body | derivative | tests |\n"
        "|---|---|---|---|---|---|---|---|---|\n";
  for (const auto &[name, row] : rows)
    os << "| `" << name << "` | " << row.summary << " | " << row.inference
       << " | " << row.types << " | " << row.core << " | " << row.evaluator
       << " | " << row.compiled << " | " << row.derivative << " | "
       << row.tests << " |\n";
  os << "\n## Without a record\n\n| overload | why |\n|---|---|\n" << others;
  page.text = os.str();
  return page;
}
