//===- LibraryProduct.h - Kernels that a library has ------------*- C++ -*-===//
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
//   C[i, j] = round(sum over k of A[i, k] * B[j, k] + x[j])   a product, B transposed
//   C[i, j] = gelu(sum over k of A[i, k] * B[j, k])           none: not its function
//   C[o, x] = sum over k of W[o, k] * I[x + k]                none: rows of I overlap
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_LIBRARYPRODUCT_H
#define KILN_ANALYSIS_LIBRARYPRODUCT_H

#include "kiln/Analysis/KernelLayout.h"

namespace kiln::analysis {

/// The product that a kernel, whose inputs have these strides, is for a
/// library: matrices and bias by the positions of their tensors among the
/// kernel's inputs and then results. Null for other kernels.
loop::LibraryProductAttr getLibraryProduct(loop::KernelOp kernel,
                                           const KernelStrides &strides);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_LIBRARYPRODUCT_H
