//===- LibraryCalls.h - What calls of libraries have in common --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ANALYSIS_LIBRARYCALLS_H
#define KILN_LIB_ANALYSIS_LIBRARYCALLS_H

#include "kiln/Analysis/LibraryCall.h"

namespace kiln::analysis {

/// The contraction of floats, summed up in f32, that a kernel is, with nothing
/// before its factors but masks.
loop::ContractOp getPlainContraction(loop::KernelOp kernel);

/// The load of what an epilogue adds to the sum before it is rounded, null if
/// it adds nothing; nothing for an epilogue that does anything else.
std::optional<loop::LoadOp> getAdded(loop::ContractOp op);

/// True for elements that libraries multiply.
bool isFactor(mlir::Type element);

mlir::Type getElement(mlir::Value tensor);
/// The position of an input of a kernel.
int64_t pointerOf(mlir::Value input);

loop::LibraryProductAttr getLibraryProduct(loop::KernelOp kernel,
                                           const KernelStrides &strides);
loop::LibraryConvolutionAttr
getLibraryConvolution(loop::KernelOp kernel, const KernelStrides &strides);

} // namespace kiln::analysis

#endif // KILN_LIB_ANALYSIS_LIBRARYCALLS_H
