//===- CoverageGen.cpp - What the record of each overload has -------------===//
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

/// The ops that have a derivative: a record or a function, or the map of a view
/// that no gradient is stopped at or refused by.
static llvm::StringSet<> getDifferentiable(const llvm::RecordKeeper &records) {
  llvm::StringSet<> names;
  if (!records.getClass("VJP"))
    return names;
  for (const llvm::Record *def : records.getAllDerivedDefinitions("VJP"))
    names.insert(def->getValueAsDef("op")->getName());
  for (const llvm::Record *def : records.getAllDerivedDefinitions("VJPFunction"))
    for (const llvm::Record *op : def->getValueAsListOfDefs("ops"))
      names.insert(op->getName());
  for (const AtenRecord &record : getAtenRecords(records))
    if (!record.view.empty())
      names.insert(record.def->getName());
  for (StringRef none : {"StopGradient", "NoDerivative"})
    for (const llvm::Record *def : records.getAllDerivedDefinitions(none))
      for (const llvm::Record *op : def->getValueAsListOfDefs("ops"))
        names.erase(op->getName());
  return names;
}

/// A dag as it stands in its record.
static std::string getText(const llvm::Init *dag) {
  std::string text = dag->getAsString();
  for (size_t at; (at = text.find("?:$")) != std::string::npos;)
    text.erase(at, 2);
  return text;
}

/// What an op is rewritten as: the name of a function, or formulas.
static std::string describeDecomposition(const AtenRecord &record) {
  if (!record.decomposition)
    return "";
  if (record.decomposition->isSubClassOf("DecomposeBy"))
    return record.decomposition->getValueAsString("function").str();
  if (record.decomposition->getName() == "DecomposeView")
    return "by its map";
  std::string text;
  for (const llvm::Init *value :
       *record.decomposition->getValueAsListInit("values"))
    text += (text.empty() ? "" : ", ") + getText(value);
  return text;
}

/// What makes loop nests of an op: the name of a function, and its arguments.
static std::string describeLowering(const AtenRecord &record) {
  const llvm::Record *lowering = record.def->getValueAsDef("lowering");
  if (!lowering->isSubClassOf("LowerBy") || lowering->isSubClassOf("RefuseBy"))
    return "";
  StringRef function = lowering->getValueAsString("function");
  std::string text = function.str();
  for (StringRef argument : lowering->getValueAsListOfStrings("arguments"))
    text += " " + argument.str();
  return text;
}

/// One line an overload, its columns separated by tabs; `kiln-coverage` makes a
/// page of them.
static bool generateCoverage(const llvm::RecordKeeper &records, raw_ostream &os) {
  llvm::StringSet<> differentiable = getDifferentiable(records);
  os << "# overload, what it does, sizes, types, core, decomposition, "
        "lowering, loop body, derivative\n";
  for (const AtenRecord &record : getAtenRecords(records)) {
    std::string body;
    if (record.hasBody)
      body = getText(record.def->getValueAsDag("body"));
    os << record.name << '\t' << record.summary << '\t' << record.shape << '\t'
       << record.promotion << '\t' << (record.isCore ? "core" : "") << '\t'
       << describeDecomposition(record) << '\t' << describeLowering(record) << '\t' << body << '\t'
       << (differentiable.contains(record.def->getName()) ? "yes" : "") << '\n';
  }
  return false;
}

static mlir::GenRegistration
    coverageRegistration("gen-aten-coverage",
                 "Generate a table of what each overload's record has", generateCoverage);
