//===- ViewParts.h - What rules of views are made of ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule says what a view shows, once for numbers and for expressions (Views.h).
// What differs it asks its world `W`:
//
//   Number                        the type of a size
//   constant(3), known(n)         from and to an integer; nothing if not known
//   is(n, 1), differ(a, b), isAtLeast(n, 0), fits(start, length, size)
//                                 conditions; of expressions that leave one open
//                                 the answer may become a guard
//   fixed(n), resultCount()       a number of results; nothing if not known
//   times(a, b), sum(sizes)       checked, where numbers may be too large
//   notNegative(n), simplify(n)
//   bound(n, size)                a bound of a slice as PyTorch takes it
//   wrapped(n, size)              an index, from the end if negative
//   divides(3, n)
//   broadcast(a, b), haveOneType()
//   isComplex(), hasComplex()     what the tensor is of, if complex numbers can be
//   itemSize(), itemSizeOfResult()  of the tensor, and of the type asked for
//   fail("expects ", n, ...)      ends the rule with a sentence
//
// In a rule, + - * min max floorDiv and ceilDiv are those of the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_VIEWPARTS_H
#define KILN_BASE_VIEWPARTS_H

#include "kiln/Base/Views.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace kiln::views {

using Ints = std::vector<int64_t>;
template <typename W> using Sizes = std::vector<typename W::Number>;
template <typename W> using ViewOf = View<typename W::Number>;
/// A view for each result; nothing after `fail`.
template <typename W> using Maps = std::optional<std::vector<ViewOf<W>>>;

// Of positive divisors.
inline int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
/// The same, rounded up.
inline int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

/// A dimension from the front; a rank of 0 allows what a rank of 1 allows.
template <typename W>
std::optional<int64_t> wrapDim(W &w, int64_t dim, size_t rank) {
  auto bound = static_cast<int64_t>(std::max<size_t>(rank, 1));
  if (dim >= -bound && dim < bound)
    return dim < 0 ? dim + bound : dim;
  return w.fail("expects a dimension from ", -bound, " to ", bound - 1,
                ", but found ", dim);
}

/// The same of a tensor that has dimensions.
template <typename W>
std::optional<int64_t> realDim(W &w, int64_t dim, const Sizes<W> &self) {
  if (self.empty())
    return w.fail("expects a tensor with dimensions");
  return wrapDim(w, dim, self.size());
}

/// Dimensions from the front, none of them twice.
template <typename W>
std::optional<Ints> wrapDims(W &w, const Ints &dims, size_t rank) {
  Ints wrapped;
  for (int64_t dim : dims) {
    auto at = wrapDim(w, dim, rank);
    if (!at)
      return std::nullopt;
    if (std::count(wrapped.begin(), wrapped.end(), *at))
      return w.fail("names dimension ", *at, " twice in 'dims'");
    wrapped.push_back(*at);
  }
  return wrapped;
}

/// The product of sizes, 1 for none, in the world's numbers.
template <typename W>
typename W::Number countOf(W &w, const Sizes<W> &sizes) {
  auto count = w.constant(1);
  for (const auto &size : sizes)
    count = w.times(count, size);
  return count;
}

/// The result of a rule with one view.
template <typename N>
std::optional<std::vector<View<N>>> only(View<N> view) {
  return std::vector<View<N>>{std::move(view)};
}

/// The dimensions `order` of the tensor, of which those left out have size 1; -1
/// adds one of size 1.
template <typename W>
ViewOf<W> reordered(W &w, const Sizes<W> &self, const Ints &order) {
  ViewOf<W> view;
  view.start.assign(self.size(), w.constant(0));
  for (int64_t dim : order) {
    if (dim >= 0)
      view.steps.push_back({unsigned(view.sizes.size()), unsigned(dim),
                            w.constant(1)});
    view.sizes.push_back(dim >= 0 ? self[dim] : w.constant(1));
  }
  return view;
}

inline Ints allDims(size_t rank) {
  Ints dims(rank);
  for (size_t i = 0; i < rank; ++i)
    dims[i] = static_cast<int64_t>(i);
  return dims;
}

/// The whole tensor.
template <typename W> ViewOf<W> whole(W &w, const Sizes<W> &self) {
  return reordered(w, self, allDims(self.size()));
}

/// Takes `size` of the elements of a dimension of a whole tensor.
template <typename N>
void crop(View<N> &view, size_t dim, N start, N size) {
  view.start[dim] = std::move(start);
  view.sizes[dim] = std::move(size);
}

/// The dimensions but `dim`, of which `index` is chosen.
template <typename W>
ViewOf<W> chosen(W &w, const Sizes<W> &self, int64_t dim,
                 typename W::Number index) {
  Ints rest = allDims(self.size());
  rest.erase(rest.begin() + dim);
  ViewOf<W> view = reordered(w, self, rest);
  view.start[dim] = std::move(index);
  return view;
}

template <typename N> View<N> inOrder(std::vector<N> sizes) {
  View<N> view;
  view.kind = ViewKind::InOrder;
  view.sizes = std::move(sizes);
  return view;
}

} // namespace kiln::views

#endif // KILN_BASE_VIEWPARTS_H
