//===- PassedSymbols.h - What bodies must be told -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbols need no operand to be used, so the body of an operator that runs graphs
// uses those around it. Once it is a function of its own, it must be given those
// that it cannot read from a size of its arguments:
//
//   %r = aten.map(%xs) {                    // u0 is counted before
//   ^bb0(%x: tensor<4xf32>):
//     %0 = aten.full([u0, 4], 0.0) ...      // passed: u0
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_PASSEDSYMBOLS_H
#define KILN_ANALYSIS_PASSEDSYMBOLS_H

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::analysis {

/// Symbols with a value outside that the bodies of `op`, which stands in
/// `function`, need and cannot read from a size of what they are given.
SmallVector<StringAttr> getPassedSymbols(Operation *op,
                                         mlir::func::FuncOp function);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_PASSEDSYMBOLS_H
