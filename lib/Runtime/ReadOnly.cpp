//===- ReadOnly.cpp - Tensors that are to be read alone -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/ReadOnly.h"

namespace kiln::runtime {

Tensor readOnlyView(const Tensor &tensor) {
  if (!tensor.defined() || tensor.isOnDevice() || tensor.storage()->readOnly())
    return tensor;
  const auto &storage = tensor.storage();
  auto view = Tensor::view(Storage::borrow(storage->data(), storage->bytes(),
                                           storage, /*readOnly=*/true),
                           tensor.dtype(), tensor.sizes(), tensor.strides(),
                           tensor.storageOffset());
  return view ? *view : Tensor();
}

} // namespace kiln::runtime
