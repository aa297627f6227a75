//===- Reductions.h - Sums and means that other operators use -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_REDUCTIONS_H
#define KILN_LIB_EAGER_REDUCTIONS_H

#include "Support.h"

namespace kiln::eager {

/// `dims` are sorted and wrapped, as `reducedDims` gives them.
Tensor sumOver(const Tensor &x, const Ints &dims, bool keepdim,
               std::optional<DType> asked = std::nullopt);
Tensor meanOver(const Tensor &x, const Ints &dims, bool keepdim,
                std::optional<DType> asked = std::nullopt);

/// The log of softmax along `dim`, in x's dtype.
Tensor logSoftmaxOf(const Tensor &x, int64_t dim);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_REDUCTIONS_H
