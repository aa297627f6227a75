//===- LibraryVerifier.h - What a library may do in a program -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_PACKAGE_LIBRARYVERIFIER_H
#define KILN_LIB_PACKAGE_LIBRARYVERIFIER_H

#include "kiln/Package/Program.h"

#include <functional>

namespace kiln::package {

/// Malformed if what a library may do in place of a grid, whose buffers have been checked, names
/// others or says what none does. `expr` checks a number.
Status verifyLibrary(const GridStep &grid, const Program &program,
                     const std::function<Status(ExprId)> &expr);

} // namespace kiln::package

#endif // KILN_LIB_PACKAGE_LIBRARYVERIFIER_H
