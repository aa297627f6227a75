//===- ViewGen.cpp - The rules of views and their arguments ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-aten-views. Writes the field `view` of the aten ops, the name of
// a function of kiln/Base/ViewRules.h, as a call that reads the arguments from a
// world `w` by their place:
//
//   let view = "transpose";
//
//   KILN_VIEW(TransposeIntOp, "transpose.int", Shares,
//             ::kiln::views::transpose(w, w.sizes(0), w.integer(1), w.integer(2)))
//
// The third word says if the result shares memory with the operand: Shares, Copies
// or MayCopy, or Own if lib/Eager has its own function. Arguments that are not about
// sizes (`dtype`, `copy`) are left out.
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace kiln::tblgen;
using llvm::StringRef;

/// How argument `i` is read; empty if it is not about sizes.
static std::string readArgument(const AtenRecord &record, unsigned i) {
  const SchemaArg &arg = record.args[i];
  std::string place = std::to_string(i), otherwise;
  if (int64_t value;
      arg.hasDefault && !StringRef(arg.defaultText).getAsInteger(10, value))
    otherwise = ", " + arg.defaultText;
  StringRef kind = arg.kind;
  if (kind == "Tensor")
    return "w.sizes(" + place + ")";
  if (kind == "TensorList")
    return "w.allSizes(" + place + ")";
  if (kind == "Int")
    return "w.integer(" + place + otherwise + ")";
  if (kind == "IntList")
    return "w.integers(" + place + ")";
  if (kind == "SymIntList")
    return "w.numbers(" + place + ")";
  if (kind == "SymInt")
    return (arg.isOptional ? "w.optional(" + place
                           : "w.number(" + place + otherwise) +
           ")";
  return "";
}

static bool generateViews(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-views.\n\n";
  for (const AtenRecord &record : getAtenRecords(records)) {
    if (record.view.empty())
      continue;
    os << "KILN_VIEW(" << record.className << ", \"" << record.overload
       << "\", "
       << (record.hasOwnKernel ? "Own"
           : record.mayCopy    ? "MayCopy"
           : record.isView || record.isSilentView ? "Shares"
                                                  : "Copies")
       << ",\n          ::kiln::views::" << record.view << "(w";
    for (unsigned i = 0; i < record.args.size(); ++i)
      if (std::string text = readArgument(record, i); !text.empty())
        os << ", " << text;
    os << "))\n";
  }
  os << "#undef KILN_VIEW\n";
  return false;
}

static mlir::GenRegistration
    viewsRegistration("gen-aten-views",
                 "Write the rules of views with their arguments", generateViews);
