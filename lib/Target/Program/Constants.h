//===- Constants.h - Attributes as constants of a package -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_PROGRAM_CONSTANTS_H
#define KILN_LIB_TARGET_PROGRAM_CONSTANTS_H

#include "kiln/Package/Program.h"
#include "kiln/Support/LLVM.h"

namespace kiln::target {

/// A number or a text as the package has it; nothing for `unit`, expressions and
/// whatever else is no constant.
package::Constant toConstant(Attribute value);

/// The inverse; `unit` for nothing.
Attribute toAttribute(MLIRContext *context, const package::Constant &constant);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_PROGRAM_CONSTANTS_H
