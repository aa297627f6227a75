//===- PadFactors.h - Factors in rows that begin at 16 bytes ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_PADFACTORS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_PADFACTORS_H

#include "kiln/Analysis/AccessRelations.h"

namespace kiln::loop {

/// Lets the products of a kernel read copies of what lies in rows that begin at
/// no multiple of 16 bytes, with longer rows: neither a copy engine nor threads
/// can bring it in units of 16 bytes as it is (`analysis::isCopied`). Heads of
/// attention of 100 elements, say:
///
///   contract lhs %q[d0, d1, d3] : tensor<4x2048x100xbf16>     becomes
///   contract lhs %p[d0, d1, d3] : tensor<4x2048x112xbf16>
///
/// with the extents that it has. The copies are made before `kernel`; they are
/// returned. None, and the kernel stays as it is, where one operand cannot be
/// copied so: its neighbours lie apart or their number is not known, it has no
/// 16 bits an element, or would be there several times; and where that takes
/// longer than scores through memory.
SmallVector<KernelOp> padFactors(KernelOp kernel,
                                 const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_PADFACTORS_H
