//===- ReasonTexts.h - Reasons as text --------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_PACKAGE_REASONTEXTS_H
#define KILN_LIB_PACKAGE_REASONTEXTS_H

#include "kiln/Package/Package.h"

namespace kiln::package {

/// The texts of the reasons that belong to `topic` ("dynamic", "fusion",
/// "memory", "partition" or "schedule"), one a function: those of the programs
/// in order, then those of other functions.
std::vector<std::string> describeReasons(const Package &package,
                                         std::string_view topic);

} // namespace kiln::package

#endif // KILN_LIB_PACKAGE_REASONTEXTS_H
