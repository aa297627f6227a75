//===- CoverageGen.cpp - What each overload has, as a page ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::StringRef;

/// The ops that have a derivative: a record or a function.
static llvm::StringSet<> getDifferentiable(const llvm::RecordKeeper &records) {
  llvm::StringSet<> names;
  if (!records.getClass("VJP"))
    return names;
  for (const llvm::Record *def : records.getAllDerivedDefinitions("VJP"))
    names.insert(def->getValueAsDef("op")->getName());
  for (const llvm::Record *def : records.getAllDerivedDefinitions("VJPFunction"))
    for (const llvm::Record *op : def->getValueAsListOfDefs("ops"))
      names.insert(op->getName());
  return names;
}

static bool generate(const llvm::RecordKeeper &records, raw_ostream &os) {
  std::vector<AtenRecord> ops = getAtenRecords(records);
  llvm::StringSet<> differentiable = getDifferentiable(records);
  unsigned core = 0, decomposed = 0, bodies = 0;
  for (const AtenRecord &record : ops) {
    core += record.isCore;
    decomposed += !record.decomposition.empty();
    bodies += record.hasBody;
  }
  os << "# Overloads of the aten dialect\n\n"
     << ops.size() << " overloads: " << core << " in the core set, "
     << decomposed << " with a decomposition, " << bodies
     << " with a loop body, " << differentiable.size()
     << " with a derivative.\n\n"
     << "| overload | what it does | sizes | types | core | decomposition "
        "| loop body | derivative |\n"
     << "|---|---|---|---|---|---|---|---|\n";
  for (const AtenRecord &record : ops) {
    os << "| `" << record.name << "` | " << record.summary << " | "
       << record.shape << " | " << record.promotion << " | "
       << (record.isCore ? "yes" : "") << " | " << record.decomposition
       << " | ";
    if (record.hasBody)
      os << "`" << record.def->getValueAsDag("body")->getAsString() << "`";
    os << " | "
       << (differentiable.contains(record.def->getName()) ? "yes" : "")
       << " |\n";
  }
  return false;
}

static mlir::GenRegistration
    registration("gen-aten-coverage",
                 "Generate a page on what each overload has", generate);
