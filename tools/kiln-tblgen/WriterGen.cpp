//===- WriterGen.cpp - Overloads that are others, or write what they give -===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-aten-writers. Writes the field `writers` of the aten ops as pairs
// of full names, the overload that writes and the one that gives a result:
//
//   {"aten.zero_.default", "aten.fill.Scalar"},
//
// Backend --gen-aten-aliases does so of the field `aliases`.
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <set>

using namespace kiln::tblgen;
using llvm::StringRef;

/// "mm.default" for "mm".
static std::string getFullName(StringRef overload) {
  return overload.contains('.') ? overload.str()
                                : (overload + ".default").str();
}

/// A line for each overload in a field of a record: its name, and the record's.
static bool printPairs(const llvm::RecordKeeper &records, llvm::raw_ostream &os,
                       StringRef field, StringRef complaint) {
  std::set<std::string> seen;
  for (const AtenRecord &record : getAtenRecords(records))
    for (StringRef other : record.def->getValueAsListOfStrings(field)) {
      if (!seen.insert(getFullName(other)).second)
        llvm::PrintFatalError(record.def->getLoc(),
                              "'" + other + "' " + complaint);
      os << "{\"" << record.library << "." << getFullName(other) << "\", \""
         << record.library << "." << getFullName(record.overload) << "\"},\n";
    }
  return false;
}

static mlir::GenRegistration
    writers("gen-aten-writers",
            "Write which overloads write what others give",
            [](const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
              os << "// Written by kiln-tblgen --gen-aten-writers.\n\n";
              return printPairs(records, os, "writers",
                                "writes what another op gives");
            });
static mlir::GenRegistration
    aliases("gen-aten-aliases", "Write which overloads are others by name",
            [](const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
              os << "// Written by kiln-tblgen --gen-aten-aliases.\n\n";
              return printPairs(records, os, "aliases",
                                "is the name of another op");
            });
