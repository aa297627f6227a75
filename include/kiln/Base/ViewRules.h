//===- ViewRules.h - What each view operator shows --------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a view, named by its record (`let view` in AtenBase.td), from sizes
// and arguments to one `View` a result, of numbers or of expressions; the world `W`
// and what rules are made of are in ViewParts.h; views that see other elements are in
// ViewElementRules.h. A new view is a function here and a record:
//
//   template <typename W> Maps<W> halve(W &w, Sizes<W> self) {
//     if (self.empty() || !w.isAtLeast(self[0], 2))
//       return w.fail("expects two rows or more");
//     auto view = whole(w, self);
//     crop(view, 0, w.constant(0), floorDiv(self[0], w.constant(2)));
//     return only(std::move(view));
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_VIEWRULES_H
#define KILN_BASE_VIEWRULES_H

#include "kiln/Base/ViewParts.h"

namespace kiln::views {

//===----------------------------------------------------------------------===//
// The same elements in other sizes
//===----------------------------------------------------------------------===//

template <typename W> Maps<W> same(W &w, Sizes<W> self) {
  return only(whole(w, self));
}

/// Replaces a size of -1 by what is left of `count`; false after `fail`.
template <typename W>
bool closeSizes(W &w, typename W::Number count, Sizes<W> &sizes) {
  auto known = w.constant(1);
  std::optional<size_t> open;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (w.known(sizes[i]) != -1) {
      if (!w.isAtLeast(sizes[i], 0))
        return w.fail("expects sizes that are not negative, but found ",
                      sizes[i]), false;
      known = w.times(known, sizes[i]);
      continue;
    }
    if (open)
      return w.fail("expects at most one size to be -1"), false;
    open = i;
  }
  if (!open && w.differ(known, count))
    return w.fail("cannot view ", count, " elements as ", known), false;
  if (!open)
    return true;
  if (w.known(known) == 0)
    return w.fail("cannot compute the size -1 beside a size of 0"), false;
  sizes[*open] = floorDiv(count, known);
  if (w.differ(w.times(sizes[*open], known), count))
    return w.fail("cannot view ", count, " elements in multiples of ", known),
           false;
  return true;
}

template <typename W> Maps<W> view(W &w, Sizes<W> self, Sizes<W> sizes) {
  if (!closeSizes(w, countOf(w, self), sizes))
    return std::nullopt;
  return only(inOrder(std::move(sizes)));
}

template <typename W>
Maps<W> flatten(W &w, Sizes<W> self, int64_t first, int64_t last) {
  auto start = wrapDim(w, first, self.size());
  auto end = wrapDim(w, last, self.size());
  if (!start || !end)
    return std::nullopt;
  if (*start > *end)
    return w.fail("expects 'start_dim' not to come after 'end_dim', but found ",
                  *start, " and ", *end);
  if (self.empty())
    return only(inOrder<typename W::Number>({w.constant(1)}));
  Sizes<W> inside(self.begin() + *start, self.begin() + *end + 1);
  self.erase(self.begin() + *start, self.begin() + *end);
  self[*start] = countOf(w, inside);
  return only(inOrder(std::move(self)));
}

template <typename W>
Maps<W> unflatten(W &w, Sizes<W> self, int64_t dim, Sizes<W> sizes) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  if (sizes.empty())
    return w.fail("expects at least one size");
  if (!closeSizes(w, self[*at], sizes))
    return std::nullopt;
  self.erase(self.begin() + *at);
  self.insert(self.begin() + *at, sizes.begin(), sizes.end());
  return only(inOrder(std::move(self)));
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

template <typename W> Maps<W> expand(W &w, Sizes<W> self, Sizes<W> sizes) {
  if (sizes.size() < self.size())
    return w.fail("expects at least ", int64_t(self.size()),
                  " sizes, but found ", int64_t(sizes.size()));
  size_t added = sizes.size() - self.size();
  ViewOf<W> view;
  view.start.assign(self.size(), w.constant(0));
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto &size = sizes[i];
    auto asked = w.known(size);
    if (i < added) {
      if (asked == -1)
        return w.fail("expects a size for the new dimension ", int64_t(i),
                      ", but found -1");
      if (asked && *asked < 0)
        return w.fail("expects sizes that are not negative, but found ", size);
      continue;
    }
    const auto &dim = self[i - added];
    bool isOne = asked != -1 && w.is(dim, 1);
    if (asked == -1)
      size = dim;
    else if (!isOne && w.differ(dim, size))
      return w.fail("cannot expand dimension ", int64_t(i), " of size ", dim,
                    " to ", size);
    if (asked && *asked < -1)
      return w.fail("expects sizes that are not negative, but found ", size);
    if (!isOne || asked == 1)
      view.steps.push_back({unsigned(i), unsigned(i - added), w.constant(1)});
  }
  view.sizes = std::move(sizes);
  return only(std::move(view));
}

template <typename W>
Maps<W> broadcastTensors(W &w, std::vector<Sizes<W>> tensors) {
  if (tensors.empty())
    return w.fail("expects at least one tensor");
  std::optional<Sizes<W>> joined = Sizes<W>();
  for (const auto &sizes : tensors)
    if (!(joined = w.broadcast(*joined, sizes)))
      return std::nullopt;
  std::vector<ViewOf<W>> views;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Maps<W> expanded = expand(w, tensors[i], *joined);
    if (!expanded)
      return std::nullopt;
    views.push_back(std::move(expanded->front()));
    views.back().tensor = unsigned(i);
  }
  return views;
}

/// Coordinates of a grid of vectors, or numbers.
template <typename W>
Maps<W> meshgrid(W &w, std::vector<Sizes<W>> tensors) {
  if (tensors.empty())
    return w.fail("expects at least one tensor");
  Sizes<W> grid;
  for (const auto &sizes : tensors) {
    if (sizes.size() > 1 || !w.haveOneType())
      return w.fail("expects vectors of one element type");
    grid.push_back(sizes.empty() ? w.constant(1) : sizes.front());
  }
  std::vector<ViewOf<W>> views;
  for (size_t i = 0; i < tensors.size(); ++i) {
    ViewOf<W> view;
    view.tensor = unsigned(i);
    view.sizes = grid;
    view.start.assign(tensors[i].size(), w.constant(0));
    if (!tensors[i].empty())
      view.steps.push_back({unsigned(i), 0, w.constant(1)});
    views.push_back(std::move(view));
  }
  return views;
}

//===----------------------------------------------------------------------===//
// Orders of dimensions
//===----------------------------------------------------------------------===//

template <typename W> Maps<W> permute(W &w, Sizes<W> self, Ints dims) {
  if (dims.size() != self.size())
    return w.fail("expects ", int64_t(self.size()), " dimensions, but found ",
                  int64_t(dims.size()));
  auto order = wrapDims(w, dims, self.size());
  if (!order)
    return std::nullopt;
  return only(reordered(w, self, *order));
}

template <typename W>
Maps<W> transpose(W &w, Sizes<W> self, int64_t dim0, int64_t dim1) {
  auto i = wrapDim(w, dim0, self.size()), j = wrapDim(w, dim1, self.size());
  if (!i || !j)
    return std::nullopt;
  Ints order = allDims(self.size());
  if (!order.empty())
    std::swap(order[*i], order[*j]);
  return only(reordered(w, self, order));
}

template <typename W> Maps<W> reverseDims(W &w, Sizes<W> self) {
  Ints order = allDims(self.size());
  std::reverse(order.begin(), order.end());
  return only(reordered(w, self, order));
}

template <typename W> Maps<W> t(W &w, Sizes<W> self) {
  if (self.size() > 2)
    return w.fail("expects a rank of at most 2, but found ",
                  int64_t(self.size()));
  return reverseDims(w, std::move(self));
}

template <typename W>
Maps<W> movedim(W &w, Sizes<W> self, Ints source, Ints destination) {
  if (source.size() != destination.size())
    return w.fail("expects as many destinations as sources, but found ",
                  int64_t(destination.size()), " and ", int64_t(source.size()));
  auto from = wrapDims(w, source, self.size());
  auto to = wrapDims(w, destination, self.size());
  if (!from || !to)
    return std::nullopt;
  if (self.empty())
    return same(w, std::move(self));
  Ints order(self.size(), -1);
  for (size_t i = 0; i < from->size(); ++i)
    order[(*to)[i]] = (*from)[i];
  int64_t next = 0;
  for (int64_t &dim : order) {
    if (dim >= 0)
      continue;
    while (std::count(from->begin(), from->end(), next))
      ++next;
    dim = next++;
  }
  return only(reordered(w, self, order));
}

template <typename W>
Maps<W> movedim(W &w, Sizes<W> self, int64_t source, int64_t destination) {
  return movedim(w, std::move(self), Ints{source}, Ints{destination});
}

/// Without those of `dims` that have size 1.
template <typename W> Maps<W> squeeze(W &w, Sizes<W> self, Ints dims) {
  auto named = wrapDims(w, dims, self.size());
  if (!named)
    return std::nullopt;
  Ints rest;
  for (int64_t dim : allDims(self.size()))
    if (!std::count(named->begin(), named->end(), dim) || !w.is(self[dim], 1))
      rest.push_back(dim);
  return only(reordered(w, self, rest));
}

template <typename W> Maps<W> squeeze(W &w, Sizes<W> self, int64_t dim) {
  return squeeze(w, std::move(self), Ints{dim});
}

template <typename W> Maps<W> squeeze(W &w, Sizes<W> self) {
  Ints all = allDims(self.size());
  return squeeze(w, std::move(self), std::move(all));
}

template <typename W> Maps<W> unsqueeze(W &w, Sizes<W> self, int64_t dim) {
  auto at = wrapDim(w, dim, self.size() + 1);
  if (!at)
    return std::nullopt;
  Ints order = allDims(self.size());
  order.insert(order.begin() + *at, -1);
  return only(reordered(w, self, order));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

template <typename W>
Maps<W> select(W &w, Sizes<W> self, int64_t dim, typename W::Number index) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto &size = self[*at];
  if (auto known = w.known(index)) {
    int64_t least = *known >= 0 ? std::min(*known, kMost - 1) + 1
                                : -std::max(*known, -kMost);
    if (!w.isAtLeast(size, least))
      return w.fail("expects an index from ", size * -1, " to ", size + -1,
                    ", but found ", *known);
  }
  return only(chosen(w, self, *at, w.wrapped(index, size)));
}

template <typename W>
Maps<W> slice(W &w, Sizes<W> self, int64_t dim,
              std::optional<typename W::Number> start,
              std::optional<typename W::Number> end, typename W::Number step) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  if (auto known = w.known(step); known && *known <= 0)
    return w.fail("expects a positive step, but found ", *known);
  const auto &size = self[*at];
  auto first = start ? w.bound(*start, size) : w.constant(0);
  auto last = end ? w.bound(*end, size) : size;
  auto extent = w.notNegative(w.simplify(last - first));
  ViewOf<W> view = whole(w, self);
  crop(view, *at, std::move(first), w.simplify(ceilDiv(extent, step)));
  view.steps[*at].by = std::move(step);
  return only(std::move(view));
}

template <typename W>
Maps<W> narrow(W &w, Sizes<W> self, int64_t dim, typename W::Number start,
               typename W::Number length) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  const auto &size = self[*at];
  if (!w.isAtLeast(length, 0))
    return w.fail("expects a length that is not negative, but found ", length);
  // Nothing in the type tells a start from the end, but its sign if known.
  if (auto known = w.known(start)) {
    auto first = *known < 0 ? size + *known : start;
    if (!w.isAtLeast(first, 0) || !w.fits(first, length, size))
      return w.fail("expects a range within ", size, " elements, but found ",
                    length, " from ", *known);
    start = first;
  }
  ViewOf<W> view = whole(w, self);
  crop(view, *at, std::move(start), std::move(length));
  return only(std::move(view));
}

/// Parts of the given sizes, one behind the other.
template <typename W>
Maps<W> parts(W &w, const Sizes<W> &self, int64_t dim, const Sizes<W> &sizes) {
  std::vector<ViewOf<W>> views;
  auto start = w.constant(0);
  for (const auto &size : sizes) {
    views.push_back(whole(w, self));
    crop(views.back(), size_t(dim), start, size);
    start = start + size;
  }
  return views;
}

/// True if a call may give so many results; what follows from sizes may be any
/// number, and each part is a view of its own. Reports it otherwise.
template <typename W> bool canGive(W &w, int64_t count) {
  constexpr int64_t kMost = 1 << 16;
  if (count <= kMost)
    return true;
  (void)w.fail("expects at most ", kMost, " parts, but found ", count);
  return false;
}

/// `count` parts of one size, of which the last has the rest.
template <typename W>
Maps<W> equalParts(W &w, const Sizes<W> &self, int64_t dim,
                   typename W::Number part, int64_t count) {
  if (!canGive(w, count))
    return std::nullopt;
  Sizes<W> sizes(size_t(std::max<int64_t>(count, 0)), part);
  if (count > 0)
    sizes.back() = self[dim] - part * (count - 1);
  return parts(w, self, dim, sizes);
}

template <typename W>
Maps<W> split(W &w, Sizes<W> self, typename W::Number part, int64_t dim) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  const auto &size = self[*at];
  bool isEmpty = w.known(size) == 0;
  if (auto known = w.known(part); known && (*known < 0 ||
                                            (*known == 0 && !isEmpty)))
    return w.fail("expects a positive 'split_size', but found ", *known);
  std::optional<int64_t> count = 1;
  if (!isEmpty)
    count = w.fixed(ceilDiv(size, part));
  if (!count)
    count = w.resultCount();
  if (!count)
    return w.fail("cannot tell into how many parts a size of ", size,
                  " splits by ", part);
  return equalParts(w, self, *at, part, *count);
}

template <typename W>
Maps<W> splitWithSizes(W &w, Sizes<W> self, Sizes<W> sizes, int64_t dim) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  auto total = w.sum(sizes), size = self[*at];
  if (w.differ(total, size))
    return w.fail("expects the parts to add up to ", size, ", but found ",
                  total);
  for (const auto &part : sizes)
    if (!w.isAtLeast(part, 0))
      return w.fail("expects parts of at least 0, but found ", part);
  return parts(w, self, *at, sizes);
}

template <typename W>
Maps<W> chunk(W &w, Sizes<W> self, int64_t chunks, int64_t dim) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  if (chunks <= 0)
    return w.fail("expects a positive number of chunks, but found ", chunks);
  // A chunk is the size divided, rounded up; the last may be smaller, and there
  // may be fewer than asked for.
  const auto &size = self[*at];
  auto part = ceilDiv(size, chunks);
  int64_t count = chunks;
  if (w.known(size) != 0)
    count = w.fixed(ceilDiv(size, part))
                .value_or(w.resultCount().value_or(chunks));
  return equalParts(w, self, *at, part, count);
}

/// The first parts take what does not divide.
template <typename W>
Maps<W> tensorSplit(W &w, Sizes<W> self, typename W::Number sections,
                    int64_t dim) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  constexpr int64_t kMost = std::numeric_limits<int16_t>::max();
  auto count = w.known(sections);
  if (!count || *count < 1 || *count > kMost)
    return w.fail("expects a number of sections from 1 to ", kMost);
  Sizes<W> sizes;
  for (int64_t i = 0; i < *count; ++i)
    sizes.push_back(floorDiv(self[*at] + (*count - 1 - i), *count));
  return parts(w, self, *at, sizes);
}

template <typename W>
Maps<W> tensorSplitAt(W &w, Sizes<W> self, Sizes<W> indices, int64_t dim) {
  using std::max, std::min;
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  auto size = self[*at], zero = w.constant(0), begin = zero;
  indices.push_back(size);
  std::vector<ViewOf<W>> views;
  for (auto end : indices) {
    if (auto known = w.known(end); known && *known < 0)
      end = max(size + *known, zero);
    end = min(end, size);
    views.push_back(whole(w, self));
    crop(views.back(), size_t(*at), begin, max(end + begin * -1, zero));
    begin = end;
  }
  return views;
}

template <typename W> Maps<W> unbind(W &w, Sizes<W> self, int64_t dim) {
  auto at = realDim(w, dim, self);
  if (!at)
    return std::nullopt;
  auto count = w.fixed(self[*at]);
  if (!count)
    return w.fail("expects a static size to unbind, but found ", self[*at]);
  if (!canGive(w, *count))
    return std::nullopt;
  std::vector<ViewOf<W>> views;
  for (int64_t i = 0; i < *count; ++i)
    views.push_back(chosen(w, self, *at, w.constant(i)));
  return views;
}

//===----------------------------------------------------------------------===//
// Windows, diagonals, strides
//===----------------------------------------------------------------------===//

template <typename W>
Maps<W> unfold(W &w, Sizes<W> self, int64_t dim, int64_t size, int64_t step) {
  auto at = wrapDim(w, dim, self.size());
  if (!at)
    return std::nullopt;
  auto extent = self.empty() ? w.constant(1) : self[*at];
  if (step <= 0)
    return w.fail("expects a positive step, but found ", step);
  if (size < 0 || !w.isAtLeast(extent, size))
    return w.fail("expects a window from 0 to ", extent, ", but found ", size);
  ViewOf<W> view = whole(w, self);
  if (!self.empty()) {
    view.sizes[*at] = floorDiv(extent + -size, step) + 1;
    view.steps[*at].by = w.constant(step);
    view.steps.push_back({unsigned(self.size()), unsigned(*at),
                          w.constant(1)});
  }
  view.sizes.push_back(w.constant(size));
  return only(std::move(view));
}

template <typename W>
Maps<W> diagonal(W &w, Sizes<W> self, int64_t offset, int64_t dim1,
                 int64_t dim2) {
  using std::max, std::min;
  auto row = wrapDim(w, dim1, self.size()), column = wrapDim(w, dim2,
                                                             self.size());
  if (!row || !column)
    return std::nullopt;
  if (*row == *column || self.size() < 2)
    return w.fail("expects two different dimensions");
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (offset < -kMost || offset > kMost)
    return w.fail("expects an offset below 2^31, but found ", offset);
  auto rows = self[*row], columns = self[*column];
  auto length = w.notNegative(offset >= 0 ? min(rows, columns + -offset)
                                          : min(rows + offset, columns));
  Ints rest;
  for (int64_t dim : allDims(self.size()))
    if (dim != *row && dim != *column)
      rest.push_back(dim);
  ViewOf<W> view = reordered(w, self, rest);
  unsigned last = unsigned(view.sizes.size());
  view.start[*row] = w.constant(max<int64_t>(-offset, 0));
  view.start[*column] = w.constant(max<int64_t>(offset, 0));
  view.steps.push_back({last, unsigned(*row), w.constant(1)});
  view.steps.push_back({last, unsigned(*column), w.constant(1)});
  view.sizes.push_back(std::move(length));
  return only(std::move(view));
}

template <typename W>
Maps<W> asStrided(W &w, Sizes<W>, Sizes<W> sizes, Sizes<W> strides,
                  std::optional<typename W::Number> offset) {
  for (const auto &size : sizes)
    if (!w.isAtLeast(size, 0))
      return w.fail("expects sizes that are not negative, but found ", size);
  if (strides.size() != sizes.size())
    return w.fail("expects a stride for each of ", int64_t(sizes.size()),
                  " sizes, but found ", int64_t(strides.size()));
  ViewOf<W> view;
  view.kind = ViewKind::Storage;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (auto known = w.known(strides[i]); known && *known < 0)
      return w.fail("expects strides that are not negative, but found ",
                    *known);
    view.steps.push_back({unsigned(i), 0, strides[i]});
  }
  view.sizes = std::move(sizes);
  if (offset)
    view.start.push_back(std::move(*offset));
  return only(std::move(view));
}

} // namespace kiln::views

#endif // KILN_BASE_VIEWRULES_H
