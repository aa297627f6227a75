//===- OperatorLibrary.h - Operators from shared libraries ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the operators of a library that speaks kiln/ABI/OperatorABI.h to a
// registry, so that programs call them like Kiln's own.
//
//   OperatorRegistry registry;
//   auto names = loadOperatorLibrary("libmylib.so", registry);
//   // {"mylib.swish.default"}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_OPERATORLIBRARY_H
#define KILN_RUNTIME_OPERATORLIBRARY_H

#include "kiln/ABI/OperatorABI.h"
#include "kiln/Runtime/Operator.h"

namespace kiln::runtime {

/// Adds what `library` lists and returns the names in its order. Malformed error
/// for another version or an entry without name, library or function; usage
/// error for a name that is taken. The library must stay in memory.
Result<std::vector<std::string>>
addOperators(const kiln_operator_library &library, OperatorRegistry &registry);

/// Opens a shared library, which then stays loaded, and adds its operators. Io
/// error if it cannot be opened or exports no `kiln_operators`.
Result<std::vector<std::string>>
loadOperatorLibrary(const std::string &path, OperatorRegistry &registry);

/// How a dialect plugin with records of such operators is named to the compiler:
/// "<SHA-256 of the file>:<path>", so that another file is another plugin. Usage
/// error for a path with a comma or a line break, which lists of them cannot hold.
Result<std::string> describePlugin(const std::string &path);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_OPERATORLIBRARY_H
