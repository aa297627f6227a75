//===- LoweringGen.cpp - The functions that make loop nests ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the field `lowering` of the aten ops (AtenLoopBody.td).
//
//   let lowering = LowerBy<"lowerResampling", ["Filter::Cubic", "2"]>;
//
// --gen-aten-lowering-decls declares the function, unless it is a member of
// Converter, whose class does:
//
//   LogicalResult lowerResampling(Converter &converter, Filter, unsigned);
//
// --gen-aten-lowerings writes the table `kLowerings`, with
//
//   {&aten::UpsampleBicubic2dOp::getInfo, [](Converter &c) -> LogicalResult {
//      return lowerResampling(c, Filter::Cubic, 2);
//    }, false},
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <set>

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::StringRef;

static constexpr StringRef kMember = "Converter::";

/// What a record names; null if the op is not lowered by a function.
static const Record *getLowering(const AtenRecord &record) {
  const Record *lowering = record.def->getValueAsDef("lowering");
  if (!lowering->isSubClassOf("LowerBy"))
    return nullptr;
  StringRef function = lowering->getValueAsString("function");
  function.consume_front(kMember);
  if (function.empty())
    llvm::PrintFatalError(record.def->getLoc(),
                          "expected the name of a function");
  return lowering;
}

/// The type of an argument: that of an enumerator, or of a number.
static std::string getType(const AtenRecord &record, StringRef argument) {
  auto [type, enumerator] = argument.rsplit("::");
  if (!enumerator.empty())
    return type.str();
  if (unsigned number; !argument.getAsInteger(10, number))
    return "unsigned";
  llvm::PrintFatalError(record.def->getLoc(),
                        "expected an enumerator or a number as the argument of "
                        "a lowering, but found '" +
                            argument + "'");
}

static bool emitDeclarations(const llvm::RecordKeeper &records,
                             raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-lowering-decls.\n\n";
  std::set<std::string> seen;
  for (const AtenRecord &record : getAtenRecords(records)) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    std::string types;
    for (StringRef argument : lowering->getValueAsListOfStrings("arguments"))
      types += ", " + getType(record, argument);
    StringRef function = lowering->getValueAsString("function");
    if (!function.starts_with(kMember) &&
        seen.insert(function.str() + types).second)
      os << "LogicalResult " << function << "(Converter &converter" << types
         << ");\n";
  }
  return false;
}

static bool emitTable(const llvm::RecordKeeper &records, raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-lowerings.\n\n"
        "static const Lowering kLowerings[] = {\n";
  for (const AtenRecord &record : getAtenRecords(records)) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    auto arguments = lowering->getValueAsListOfStrings("arguments");
    StringRef function = lowering->getValueAsString("function");
    bool isMember = function.consume_front(kMember);
    os << "    {&" << record.cppSpace << "::" << record.className
       << "::getInfo, [](Converter &c) -> LogicalResult {\n       return "
       << (isMember ? "c." : "") << function << "(";
    if (!isMember)
      os << "c" << (arguments.empty() ? "" : ", ");
    llvm::interleaveComma(arguments, os);
    os << ");\n     }, "
       << (lowering->getValueAsBit("takesAnyElements") ? "true" : "false")
       << "},\n";
  }
  os << "};\n";
  return false;
}

static mlir::GenRegistration
    declarations("gen-aten-lowering-decls",
                 "Declare the functions that make loop nests of ATen ops",
                 emitDeclarations);
static mlir::GenRegistration
    table("gen-aten-lowerings",
          "Write the table of functions that make loop nests of ATen ops",
          emitTable);
