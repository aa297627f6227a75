//===- GuardText.h - Guards in words --------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_GUARDTEXT_H
#define KILN_TOOLS_COMMON_GUARDTEXT_H

#include "kiln/Package/Package.h"

#include <string>

namespace kiln::tools {

/// One line per guard in the order in which they are checked:
/// "L['x'] size[0] == s77   s77 >= 2".
std::string guardTable(const package::Package &package);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_GUARDTEXT_H
