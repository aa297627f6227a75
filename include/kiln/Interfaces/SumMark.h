//===- SumMark.h - Sums in f64 of a few terms in f32 at a time --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an operator adds up what it has made in f32, f64 is for the number of terms: a
// sum of a few of them is as exact in f32. On a GPU it costs less there, so this says of a
// sum of any dialect that `kMostShortTerms` of its terms may be added in f32 first, and what
// they are together to the sum. A program that asks for f64 itself gets f64.
//
//   %s = aten.sum.dim_IntList(%x, ...) {kiln.short_sums} : (tensor<...xf64>, ...)
//   %s = loop.reduce ... <sum> attributes {kiln.short_sums} : tensor<128xf64>
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_SUMMARK_H
#define KILN_INTERFACES_SUMMARK_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringRef.h"

namespace kiln {

/// On a sum in f64: a unit. Its terms are numbers of f32 or products of two of them, and
/// whoever sets it answers for the error: of each short sum a relative one of
/// `kMostShortTerms` 2^-24 of its largest partial sum, and infinity beyond f32.
constexpr StringRef kShortSumsAttrName = "kiln.short_sums";

/// The most terms of a short sum.
constexpr int64_t kMostShortTerms = 16;

/// Says of `to` what `from` says: both have the same terms.
inline void copySumMark(mlir::Operation *from, mlir::Operation *to) {
  if (mlir::Attribute mark = from->getDiscardableAttr(kShortSumsAttrName))
    to->setDiscardableAttr(kShortSumsAttrName, mark);
}

} // namespace kiln

#endif // KILN_INTERFACES_SUMMARK_H
