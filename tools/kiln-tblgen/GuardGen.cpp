//===- GuardGen.cpp - The table of kinds of guards ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-guard-kinds. Writes the field `kind` of the checks of the guard
// dialect as a file for inclusion, by number:
//
//   KILN_GUARD(RANK, 3, "{slot}.dim() == {value}")
//
//===----------------------------------------------------------------------===//

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using llvm::Record;

static bool generateGuardKinds(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  os << "/* Written by kiln-tblgen --gen-guard-kinds. */\n\n"
        "#ifndef KILN_GUARD\n"
        "#error define KILN_GUARD before this file is included\n"
        "#endif\n\n";
  std::vector<const Record *> checks =
      records.getAllDerivedDefinitions("Guard_CheckOpBase");
  auto number = [](const Record *check) {
    return check->getValueAsDef("kind")->getValueAsInt("number");
  };
  llvm::sort(checks, [&](const Record *a, const Record *b) {
    return std::pair(number(a), a->getName()) < std::pair(number(b), b->getName());
  });
  for (auto [i, check] : llvm::enumerate(checks)) {
    if (number(check) != int64_t(i) + 1)
      llvm::PrintFatalError(check->getLoc(),
                            "expected the number " + llvm::Twine(i + 1) +
                                " for this kind of guard, but found " +
                                llvm::Twine(number(check)));
    const Record *kind = check->getValueAsDef("kind");
    os << "KILN_GUARD(" << kind->getValueAsString("name") << ", " << i + 1
       << ", \"";
    os.write_escaped(kind->getValueAsString("text")) << "\")\n";
  }
  os << "\n#undef KILN_GUARD\n";
  return false;
}

static mlir::GenRegistration
    guardKindsRegistration("gen-guard-kinds", "Write the table of kinds of guards",
                 generateGuardKinds);
