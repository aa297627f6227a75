//===- ReadOnly.h - Tensors that are to be read alone -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a model returns of its own weights is not to be written to:
//
//   Tensor result = readOnlyView(weight);
//   result.storage()->readOnly(); // true
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_READONLY_H
#define KILN_RUNTIME_READONLY_H

#include "kiln/Runtime/Tensor.h"

namespace kiln::runtime {

/// The same elements in storage that no program writes to: what is made of weights
/// is kept between calls. Tensors of a device stay what they are.
Tensor readOnlyView(const Tensor &tensor);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_READONLY_H
