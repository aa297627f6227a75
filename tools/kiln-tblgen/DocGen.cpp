//===- DocGen.cpp - The reference of overloads ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-aten-doc. Writes a page of Markdown with a section for each record
// of class Aten_OverloadOp, in the form of mlir-tblgen's -gen-dialect-doc: what the
// schema says of operands, attributes and results, and what they are in the IR.
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/Support/IndentedOstream.h"
#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::StringRef;

/// What a value of an argument's kind is in the IR.
static StringRef describe(StringRef kind) {
  return llvm::StringSwitch<StringRef>(kind)
      .Case("Tensor", "a ranked tensor")
      .Case("TensorOrNumber", "a ranked tensor or a number")
      .Case("Number", "a number (`i1`, `i64`, `f64` or `complex<f64>`)")
      .Case("TensorList", "ranked tensors")
      .Case("OptionalTensorList", "ranked tensors, of which any may be absent")
      .Case("Int", "`i64`")
      .Case("Bool", "`true` or `false`")
      .Case("Float", "`f64`")
      .Case("DType", "an element type")
      .Case("SymInt", "`#guard.expr`")
      .Case("SymIntList", "`#guard.shape`")
      .Case("IntList", "`array<i64>`")
      .Case("BoolList", "`array<i1>`")
      .Case("FloatList", "`array<f64>`")
      .Case("Layout", "text, such as \"strided\"")
      .Case("Device", "text, such as \"cuda:0\"")
      .Case("MemoryFormat", "text, such as \"contiguous_format\"")
      .Default("text");
}

static void printArgument(raw_ostream &os, const SchemaArg &arg) {
  os << "| `" << arg.name << "` | "
     << (arg.isOptional ? "optional " : "")
     << (arg.isOperand() ? "operand" : "attribute") << " | "
     << describe(arg.kind);
  for (auto [i, word] : llvm::enumerate(arg.words)) {
    os << (i ? ", " : ": ");
    if (arg.kind == "Int")
      os << i << " is ";
    os << "\"" << word << "\"";
  }
  os << " | " << (arg.hasDefault ? arg.defaultText : "") << " |\n";
}

static void printArguments(raw_ostream &os, const AtenRecord &record) {
  if (record.args.empty() && record.attributes.empty())
    return;
  os << "| Argument | In the IR | Value | Default |\n"
        "| :------- | :-------- | :---- | :------ |\n";
  for (const SchemaArg &arg : record.args)
    if (arg.kind != "Generator")
      printArgument(os, arg);
  // What has a place in the IR and none among the arguments.
  for (const StoredAttribute &stored : record.attributes) {
    bool isArgument = llvm::any_of(record.args, [&](const SchemaArg &arg) {
      return arg.declared == stored.name;
    });
    if (!isArgument)
      os << "| | " << (stored.isOptional ? "optional " : "") << "attribute `"
         << stored.name << "` | " << describe(stored.kind) << " | |\n";
  }
  os << "\n";
}

static void printResultTypes(raw_ostream &os, const AtenRecord &record) {
  if (record.results.empty())
    return;
  os << "| Result | Value |\n| :----- | :---- |\n";
  for (auto [name, kind] : llvm::zip(record.resultNames, record.results))
    os << "| `" << name << "` | " << describe(kind) << " |\n";
  os << "\n";
}

static void printSection(raw_ostream &os, const AtenRecord &record) {
  os << "## `" << record.name << "` (::" << record.cppSpace
     << "::" << record.className << ")\n\n_" << record.summary << "_\n\n```\n"
     << record.schema << "\n```\n\n";
  StringRef text = record.def->getValueAsString("description");
  if (!text.trim().empty())
    mlir::raw_indented_ostream(os).printReindented(text.rtrim());
  os << (text.trim().empty() ? "" : "\n\n");
  const llvm::Record *promotion = record.def->getValueAsDef("promotion");
  os << (record.isComposite ? "Composite" : record.isCore ? "Core" : "Not core")
     << ", "
     << record.def->getValueAsDef("effects")->getValueAsString("description");
  if (record.isView)
    os << (record.mayCopy ? ", a view or a copy" : ", a view");
  if (record.isRandom)
    os << ", draws random numbers";
  os << ". Type of the results: "
     << promotion->getValueAsString("description") << ".\n\n";
  printArguments(os, record);
  printResultTypes(os, record);
}

static bool generateReference(const llvm::RecordKeeper &records, raw_ostream &os) {
  os << "<!-- Written by kiln-tblgen --gen-aten-doc -->\n\n"
        "# Overloads\n\n"
        "_Each operator overload of PyTorch that is an op, by its schema_\n\n"
        "An op's attributes with a default are always there, and its text "
        "leaves them out.\nAn optional operand or attribute is absent for "
        "None. All implement `AtenOpInterface`.\n\n"
        "[TOC]\n\n";
  for (const AtenRecord &record : getAtenRecords(records))
    printSection(os, record);
  return false;
}

static mlir::GenRegistration
    referenceRegistration("gen-aten-doc", "Write the reference of overloads", generateReference);
