//===- Guarded.h - Calls that let no exception pass -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Above the line nobody throws, but what is used of below may run out of memory.
// Guarded.cpp alone is compiled with exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CAPI_COMPILER_GUARDED_H
#define KILN_LIB_CAPI_COMPILER_GUARDED_H

#include "kiln/Base/Result.h"

#include <functional>

namespace kiln::capi {

/// What `body` returns, or an Internal error for what it throws.
Status callGuarded(const std::function<Status()> &body) noexcept;

} // namespace kiln::capi

#endif // KILN_LIB_CAPI_COMPILER_GUARDED_H
