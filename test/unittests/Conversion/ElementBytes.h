//===- ElementBytes.h - Elements of tensors in memory ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_ELEMENTBYTES_H
#define KILN_TEST_UNITTESTS_CONVERSION_ELEMENTBYTES_H

#include "LoopInterpreter.h"

namespace kiln::loop {

/// Bytes of an element in memory.
size_t bytesOf(mlir::Type element);
/// Writes and reads an element.
void put(uint8_t *at, mlir::Type element, Scalar value);
Scalar take(const uint8_t *at, mlir::Type element);

/// Strides of a tensor in row-major order.
std::vector<int64_t> denseStrides(llvm::ArrayRef<int64_t> sizes);
/// Elements from the first to the last one of a tensor; 0 if it has none.
int64_t countSpan(llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> strides);
/// Calls `visit` with the number of each element and its place, in elements.
void visitElements(llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides,
                   llvm::function_ref<void(size_t, int64_t)> visit);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_ELEMENTBYTES_H
