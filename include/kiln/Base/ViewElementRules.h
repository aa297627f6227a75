//===- ViewElementRules.h - Views that see other elements -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of views, as in ViewRules.h, that take the memory of a tensor for other
// elements: complex numbers for pairs of reals and back, bytes for another type. The
// sizes of their maps are those of the tensor seen so. Of x of sizes [4] and c64:
//
//   viewAsReal(w, {4})      sizes 4, 2, start 0, 0; Parts: x as f32 of sizes [4, 2]
//   complexPart(w, {4}, 1)  sizes 4, start 0, 1: every second of these, from the 1st
//   viewDtype(w, {4})       to f64: sizes 4; Bytes: as many as x has
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_VIEWELEMENTRULES_H
#define KILN_BASE_VIEWELEMENTRULES_H

#include "kiln/Base/ViewRules.h"

namespace kiln::views {

/// `view`, of the tensor seen as other elements.
template <typename W> Maps<W> seenAs(ViewElements elements, ViewOf<W> view) {
  view.elements = elements;
  return only(std::move(view));
}

template <typename W> Maps<W> viewAsReal(W &w, Sizes<W> self) {
  if (!w.isComplex())
    return w.fail("expects a tensor of complex numbers");
  self.push_back(w.constant(2));
  return seenAs<W>(ViewElements::Parts, whole(w, self));
}

template <typename W> Maps<W> viewAsComplex(W &w, Sizes<W> self) {
  if (!w.hasComplex())
    return w.fail("expects a tensor of f16, f32 or f64");
  if (self.empty() || w.differ(self.back(), w.constant(2)))
    return w.fail("expects a last dimension of size 2");
  self.pop_back();
  return seenAs<W>(ViewElements::Pairs, whole(w, self));
}

/// The first or the second of the reals that a complex number is.
template <typename W> Maps<W> complexPart(W &w, Sizes<W> self, int64_t part) {
  int64_t rank = int64_t(self.size());
  self.push_back(w.constant(2));
  return seenAs<W>(ViewElements::Parts,
                   chosen(w, self, rank, w.constant(part)));
}

template <typename W> Maps<W> real(W &w, Sizes<W> self) {
  return w.isComplex() ? complexPart(w, std::move(self), 0)
                       : same(w, std::move(self));
}

template <typename W> Maps<W> imag(W &w, Sizes<W> self) {
  if (!w.isComplex())
    return w.fail("expects a tensor of complex numbers");
  return complexPart(w, std::move(self), 1);
}

template <typename W> Maps<W> viewDtype(W &w, Sizes<W> self) {
  int64_t before = w.itemSize(), after = w.itemSizeOfResult();
  if (before != after && self.empty())
    return w.fail("expects element types of one size for a tensor without "
                  "dimensions");
  if (after < before) {
    self.back() = w.times(self.back(), w.constant(before / after));
  } else if (after > before) {
    if (!w.divides(after / before, self.back()))
      return w.fail("expects a last size in multiples of ", after / before,
                    ", but found ", self.back());
    self.back() = floorDiv(self.back(), w.constant(after / before));
  }
  return seenAs<W>(ViewElements::Bytes, whole(w, self));
}

} // namespace kiln::views

#endif // KILN_BASE_VIEWELEMENTRULES_H
