//===- SymbolCheck.h - Symbols of a program against its hints ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ARCHIVE_SYMBOLCHECK_H
#define KILN_LIB_ARCHIVE_SYMBOLCHECK_H

#include "kiln/Archive/ExportedProgram.h"

namespace kiln::archive {

/// Collects the hints of plain symbols into `program.hints`, then checks that
/// every expression reproduces its recorded hint, that hints lie in the ranges,
/// and that every symbol that is not data-dependent occurs in an input.
Status checkSymbols(ExportedProgram &program);

} // namespace kiln::archive

#endif // KILN_LIB_ARCHIVE_SYMBOLCHECK_H
