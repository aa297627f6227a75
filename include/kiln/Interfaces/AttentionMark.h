//===- AttentionMark.h - Products of an operator's attention ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attention operator leaves to the compiler in which order it rounds and divides;
// the same products and the softmax, written one by one, do not. This says of a product
// of any dialect that it is the former.
//
//   %o = aten.bmm(%w, %v) {kiln.attention}
//   %o = loop.contract ... lhs %w[d0, d2] ... acc f32 attributes {kiln.attention}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_ATTENTIONMARK_H
#define KILN_INTERFACES_ATTENTIONMARK_H

#include "kiln/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"

namespace kiln {

/// On a product of weights with the values of an attention operator that PyTorch
/// computes in tiles: a unit. Its numbers may be those of PyTorch's kernel, which adds up
/// exponentials, rounded to the type of the values, and divides afterwards: a sum may
/// then become infinite where that of normalized weights is not.
constexpr StringRef kAttentionAttrName = "kiln.attention";

} // namespace kiln

#endif // KILN_INTERFACES_ATTENTIONMARK_H
