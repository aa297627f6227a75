//===- WriterGen.cpp - Which overloads write what others give -------------===//
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

static bool generate(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-writers.\n\n";
  std::set<std::string> seen;
  for (const AtenRecord &record : getAtenRecords(records))
    for (StringRef writer : record.def->getValueAsListOfStrings("writers")) {
      if (!seen.insert(getFullName(writer)).second)
        llvm::PrintFatalError(record.def->getLoc(),
                              "'" + writer + "' writes what another op gives");
      os << "{\"" << record.library << "." << getFullName(writer) << "\", \""
         << record.library << "." << getFullName(record.overload) << "\"},\n";
    }
  return false;
}

static mlir::GenRegistration
    registration("gen-aten-writers",
                 "Write which overloads write what others give", generate);
