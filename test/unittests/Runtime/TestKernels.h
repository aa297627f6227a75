//===- TestKernels.h - Native kernels for tests --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three position-independent kernels, written in assembly and copied from the
// test's own text section into an image, as a compiler would.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TESTKERNELS_H
#define KILN_TEST_TESTKERNELS_H

#include "kiln/Package/Package.h"
#include "kiln/Runtime/Operator.h"

namespace kiln::test {

enum TestKernel : uint32_t {
  kAddSymbol,    ///< ptr[1][i] = ptr[0][i] + float(sym[0])
  kAddBuffers,   ///< ptr[2][i] = ptr[0][i] + ptr[1][i]
  kThroughScratch, ///< ptr[1][i] = 2 * ptr[0][i], by way of scratch[0]
};

/// The kernels above, in order, as an image.
package::KernelImage testImage();

/// "test.scale" (tensor, number), "test.positive" (tensor -> i64 indices of
/// positive elements), "test.item", "test.fail", "test.pair" (two results),
/// "test.below" (tensor, number -> if the first element is less), "test.same"
/// (tensor -> that tensor).
void registerTestOperators(runtime::OperatorRegistry &registry);

/// A row-major f32 tensor.
runtime::Tensor floats(std::vector<int64_t> sizes, std::vector<float> values);
std::vector<float> valuesOf(const runtime::Tensor &tensor);

} // namespace kiln::test

#endif // KILN_TEST_TESTKERNELS_H
