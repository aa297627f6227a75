//===- Element.h - Single elements of tensors ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one element of any dtype, exactly. For `item`, comparison and messages,
// not for loops that must be fast.
//
//   OpValue first = loadElement(DType::BF16, tensor.data());
//   double value = std::get<double>(first.value);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_ELEMENT_H
#define KILN_RUNTIME_ELEMENT_H

#include "kiln/Runtime/Operator.h"

namespace kiln::runtime {

/// The element at `at` (any alignment) as a bool, integer, double or complex
/// number. Values of u64 above 2^63 - 1 wrap to negative integers.
OpValue loadElement(DType dtype, const uint8_t *at);

/// The number that a tensor of one element holds. Usage error otherwise.
Result<OpValue> itemOf(const Tensor &tensor);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_ELEMENT_H
