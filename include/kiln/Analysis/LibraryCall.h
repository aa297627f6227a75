//===- LibraryCall.h - Kernels that a library has ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries of a GPU multiply matrices whose rows, or columns, lie at equal
// distances, and add one bias to each column of the result. A kernel that does
// just that may be a call of one:
//
//   C[i, j] = round(sum over k of A[i, k] * B[j, k] + x[j])
//     a product, B transposed
//   C[i, j] = gelu(sum over k of A[i, k] * B[j, k])
//     none: the function is not the library's
//   C[o, x] = sum over k of W[o, k] * I[x + k]
//     none: rows of I overlap
//
// And they convolve images that are padded with zeros on both sides alike, with
// a dense weight, or sum up the gradient of that:
//
//   T[n, p, f] = sum over t, c of S[n, 2 * p + t - 1, c] * W[f, t, c]
//     a convolution, if S is masked where it is not there, and nothing else is
//   T[n, p, f] = sum over t, c of S[n, p + t, c] * W[f, t, c] with S masked
//     none, if it is padded behind its end alone
//   T[n, p, f] = sum over t, c of S[n, p + t - 1, c] * W[f, t, c] with S and W masked
//     none: where S is padding, a weight that is infinite does not count
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_LIBRARYCALL_H
#define KILN_ANALYSIS_LIBRARYCALL_H

#include "kiln/Analysis/KernelLayout.h"

namespace kiln::analysis {

/// What a kernel, whose inputs have these strides, is for a library: a
/// `#loop.library_product` or a `#loop.library_convolution`, with operands by
/// the positions of their tensors among the kernel's inputs and then results.
/// Null for other kernels.
mlir::Attribute getLibraryCall(loop::KernelOp kernel,
                               const KernelStrides &strides,
                               loop::GPULibrary library);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_LIBRARYCALL_H
