//===- MemoryFormat.h - Fresh tensors in a memory format ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_MEMORYFORMAT_H
#define KILN_LIB_EAGER_MEMORYFORMAT_H

#include "Support.h"

namespace kiln::eager {

/// An uninitialized tensor in "contiguous_format", "channels_last" (rank 4) or
/// "channels_last_3d" (rank 5). None and "preserve_format" are row-major: no
/// result's strides depend on its operands' strides.
Tensor emptyInFormat(DType dtype, const Ints &sizes,
                     const std::optional<std::string> &format);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_MEMORYFORMAT_H
