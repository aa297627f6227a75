//===- Views.h - Views that several operators use -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each returns a view of the tensor's storage and checks its arguments as
// PyTorch does. The `_scatter` and `_backward` operators write through them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_VIEWS_H
#define KILN_LIB_EAGER_VIEWS_H

#include "Support.h"

namespace kiln::eager {

Tensor sliced(const Tensor &x, int64_t dim, std::optional<int64_t> start,
              std::optional<int64_t> end, int64_t step);
/// `length` elements from `start`, both already in range.
Tensor narrowed(const Tensor &x, int64_t dim, int64_t start, int64_t length);
Tensor selected(const Tensor &x, int64_t dim, int64_t index);
Tensor diagonalOf(const Tensor &x, int64_t offset, int64_t dim1, int64_t dim2);
Tensor unfolded(const Tensor &x, int64_t dim, int64_t size, int64_t step);
Tensor stridedView(const Tensor &x, const Ints &sizes, const Ints &strides,
                   std::optional<int64_t> offset);
Tensor transposed(const Tensor &x, int64_t dim0, int64_t dim1);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_VIEWS_H
