//===- Preparation.h - What depends on weights alone ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_PACKAGE_PREPARATION_H
#define KILN_LIB_PACKAGE_PREPARATION_H

#include "kiln/Package/Program.h"

namespace kiln::package {

/// The part of `verifyProgram` that is about prepared values; all else holds.
Status verifyPreparation(const Program &program);

} // namespace kiln::package

#endif // KILN_LIB_PACKAGE_PREPARATION_H
