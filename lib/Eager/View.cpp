//===- View.cpp - Operators that only change sizes and strides ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"
#include "Views.h"

#include <algorithm>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

//===----------------------------------------------------------------------===//
// Shared views
//===----------------------------------------------------------------------===//

static Tensor offsetBy(const Tensor &x, Ints sizes, Ints strides,
                       int64_t elements) {
  return x.asStrided(std::move(sizes), std::move(strides),
                     x.storageOffset() + elements);
}

Tensor eager::sliced(const Tensor &x, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  require(x.rank() > 0, {"cannot slice a tensor of rank 0"});
  dim = wrapDim(dim, x.rank());
  require(step > 0, {"slice step must be positive, found ", step});
  int64_t size = x.size(dim);
  auto clampIndex = [size](int64_t index) {
    if (index < 0)
      index = index < -size ? 0 : index + size;
    return std::min(index, size);
  };
  int64_t first = clampIndex(start.value_or(0));
  int64_t last = std::max(first, clampIndex(end.value_or(INT64_MAX)));
  Ints sizes = x.sizes(), strides = x.strides();
  sizes[dim] = last == first ? 0 : (last - first - 1) / step + 1;
  int64_t offset = first * strides[dim];
  if (sizes[dim] > 1 || step <= size)
    strides[dim] *= step;
  return offsetBy(x, std::move(sizes), std::move(strides), offset);
}

Tensor eager::narrowed(const Tensor &x, int64_t dim, int64_t start,
                       int64_t length) {
  Ints sizes = x.sizes();
  sizes[dim] = length;
  return offsetBy(x, std::move(sizes), x.strides(), start * x.stride(dim));
}

Tensor eager::selected(const Tensor &x, int64_t dim, int64_t index) {
  require(x.rank() > 0, {"cannot select from a tensor of rank 0"});
  dim = wrapDim(dim, x.rank());
  int64_t size = x.size(dim);
  require(index >= -size && index < size,
          {"index ", index, " is out of range for dimension ", dim, " of ", x});
  Ints sizes = x.sizes(), strides = x.strides();
  int64_t offset = (index < 0 ? index + size : index) * strides[dim];
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  return offsetBy(x, std::move(sizes), std::move(strides), offset);
}

Tensor eager::diagonalOf(const Tensor &x, int64_t offset, int64_t dim1,
                         int64_t dim2) {
  dim1 = wrapDim(dim1, x.rank());
  dim2 = wrapDim(dim2, x.rank());
  require(dim1 != dim2, {"diagonal dimensions must differ, found ", dim1});
  int64_t rows = x.size(dim1), columns = x.size(dim2);
  int64_t length = std::max<int64_t>(
      offset >= 0 ? std::min(rows, columns - offset)
                  : std::min(rows + offset, columns),
      0);
  int64_t skip = length == 0 ? 0
                 : offset >= 0 ? offset * x.stride(dim2)
                               : -offset * x.stride(dim1);
  Ints sizes, strides;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d == dim1 || d == dim2)
      continue;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  sizes.push_back(length);
  strides.push_back(x.stride(dim1) + x.stride(dim2));
  return offsetBy(x, std::move(sizes), std::move(strides), skip);
}

Tensor eager::unfolded(const Tensor &x, int64_t dim, int64_t size,
                       int64_t step) {
  dim = wrapDim(dim, x.rank());
  int64_t extent = x.rank() == 0 ? 1 : x.size(dim);
  require(size >= 0 && size <= extent,
          {"window of ", size, " does not fit a dimension of ", extent});
  require(step > 0, {"step must be positive, found ", step});
  Ints sizes = x.sizes(), strides = x.strides();
  int64_t stride = x.rank() == 0 ? 1 : strides[dim];
  if (x.rank() > 0) {
    sizes[dim] = (extent - size) / step + 1;
    strides[dim] = step * stride;
  }
  sizes.push_back(size);
  strides.push_back(stride);
  return restrided(x, std::move(sizes), std::move(strides));
}

Tensor eager::stridedView(const Tensor &x, const Ints &sizes,
                          const Ints &strides, std::optional<int64_t> offset) {
  requireSizes(sizes);
  require(sizes.size() == strides.size(),
          {"expected as many strides as sizes, found ", strides, " for ",
           sizes});
  for (int64_t stride : strides)
    require(stride >= 0, {"negative stride in ", strides});
  return take(Tensor::view(x.storage(), x.dtype(), sizes, strides,
                           offset.value_or(x.storageOffset())));
}

Tensor eager::transposed(const Tensor &x, int64_t dim0, int64_t dim1) {
  dim0 = wrapDim(dim0, x.rank());
  dim1 = wrapDim(dim1, x.rank());
  Ints sizes = x.sizes(), strides = x.strides();
  if (x.rank() > 0) {
    std::swap(sizes[dim0], sizes[dim1]);
    std::swap(strides[dim0], strides[dim1]);
  }
  return restrided(x, std::move(sizes), std::move(strides));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static Values alias(const Args &args) { return {args.tensor(0)}; }

static Tensor viewed(const Tensor &x, Ints sizes) {
  sizes = inferSizes(std::move(sizes), x.numel());
  auto strides = viewStrides(x, sizes);
  require(strides.has_value(),
          {"strides ", x.strides(), " of ", x, " cannot be seen as sizes ",
           sizes, ", expected a reshape"});
  return restrided(x, sizes, *strides);
}

static Values view(const Args &args) {
  return {viewed(args.tensor(0), args.ints(1))};
}
static Values viewAs(const Args &args) {
  return {viewed(args.tensor(0), args.tensor(1).sizes())};
}
static Values reshape(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {reshaped(x, inferSizes(args.ints(1), x.numel()))};
}
static Values reshapeAs(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {reshaped(x, inferSizes(args.tensor(1).sizes(), x.numel()))};
}

static Values flatten(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t start = wrapDim(args.integer(1), x.rank());
  int64_t end = wrapDim(args.integer(2), x.rank());
  require(start <= end, {"dimension ", start, " comes after ", end});
  if (x.rank() == 0)
    return {reshaped(x, {1})};
  Ints sizes(x.sizes().begin(), x.sizes().begin() + start);
  sizes.push_back(product(
      Ints(x.sizes().begin() + start, x.sizes().begin() + end + 1)));
  sizes.insert(sizes.end(), x.sizes().begin() + end + 1, x.sizes().end());
  return {reshaped(x, sizes)};
}

static Values unflatten(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() > 0, {"cannot unflatten a tensor of rank 0"});
  int64_t dim = wrapDim(args.integer(1), x.rank());
  Ints parts = args.ints(2);
  require(!parts.empty(), {"expected at least one size"});
  parts = inferSizes(parts, x.size(dim));
  Ints sizes = x.sizes();
  sizes.erase(sizes.begin() + dim);
  sizes.insert(sizes.begin() + dim, parts.begin(), parts.end());
  return {reshaped(x, sizes)};
}

static Values expand(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints sizes = args.ints(1);
  requireSizes(Ints(sizes.size(), 0));
  size_t shift = sizes.size() - x.sizes().size();
  require(sizes.size() >= x.sizes().size(),
          {"cannot expand ", x, " to sizes ", sizes});
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && d >= shift)
      sizes[d] = x.size(d - shift);
    require(sizes[d] >= 0, {"negative size in ", sizes});
  }
  return {expandTo(x, sizes)};
}
static Values expandAs(const Args &args) {
  return {expandTo(args.tensor(0), args.tensor(1).sizes())};
}

static Values broadcastTensors(const Args &args) {
  Ints sizes;
  for (const Tensor &tensor : args.tensors(0))
    sizes = broadcastSizes(sizes, tensor.sizes());
  Values results;
  for (const Tensor &tensor : args.tensors(0))
    results.push_back(expandTo(tensor, sizes));
  return results;
}

/// Drops dimensions of size 1 among `dims`, or everywhere.
static Tensor squeezed(const Tensor &x, const Ints &dims) {
  Ints sizes, strides;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (x.size(d) == 1 && std::count(dims.begin(), dims.end(), d))
      continue;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  return restrided(x, std::move(sizes), std::move(strides));
}
static Values squeezeAll(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {squeezed(x, reducedDims(std::nullopt, x.rank()))};
}
static Values squeeze(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints dims = args.ints(1);
  return {squeezed(x, dims.empty() ? dims : reducedDims(dims, x.rank()))};
}
static Values unsqueeze(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {unsqueezed(x, wrapDim(args.integer(1), x.rank() + 1))};
}

//===----------------------------------------------------------------------===//
// Order of dimensions
//===----------------------------------------------------------------------===//

static Values permute(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints order = args.ints(1), sorted;
  require(static_cast<int64_t>(order.size()) == x.rank(),
          {"expected ", x.rank(), " dimensions, found ", order});
  for (int64_t &dim : order)
    dim = wrapDim(dim, x.rank());
  sorted = order;
  std::sort(sorted.begin(), sorted.end());
  require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
          {"a dimension appears more than once in ", order});
  return {permuted(x, order)};
}
static Values transpose(const Args &args) {
  return {transposed(args.tensor(0), args.integer(1), args.integer(2))};
}
static Values t(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() <= 2, {"expected at most 2 dimensions, found ", x});
  return {x.rank() < 2 ? x : transposed(x, 0, 1)};
}
static Values numpyT(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints order(x.rank());
  std::iota(order.rbegin(), order.rend(), 0);
  return {permuted(x, order)};
}
static Values movedim(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints from = args.ints(1), to = args.ints(2);
  require(from.size() == to.size(), {"expected as many destinations as sources"
                                     ", found ", to, " for ", from});
  for (int64_t &dim : from)
    dim = wrapDim(dim, x.rank());
  for (int64_t &dim : to)
    dim = wrapDim(dim, x.rank());
  if (x.rank() == 0)
    return {x};
  Ints order(x.rank(), -1);
  for (size_t i = 0; i < from.size(); ++i) {
    require(order[to[i]] < 0 &&
                std::count(from.begin(), from.end(), from[i]) == 1,
            {"a dimension appears more than once in ", from, " or ", to});
    order[to[i]] = from[i];
  }
  int64_t next = 0;
  for (int64_t &dim : order) {
    if (dim >= 0)
      continue;
    while (std::count(from.begin(), from.end(), next))
      ++next;
    dim = next++;
  }
  return {permuted(x, order)};
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static Values slice(const Args &args) {
  return {sliced(args.tensor(0), args.isNone(1) ? 0 : args.integer(1),
                 args.optInteger(2), args.optInteger(3),
                 args.optInteger(4).value_or(1))};
}
static Values select(const Args &args) {
  return {selected(args.tensor(0), args.integer(1), args.integer(2))};
}
static Values narrow(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() > 0, {"cannot narrow a tensor of rank 0"});
  int64_t dim = wrapDim(args.integer(1), x.rank()), size = x.size(dim);
  int64_t start = args.integer(2), length = args.integer(3);
  require(length >= 0, {"length must not be negative, found ", length});
  require(start >= -size && start <= size,
          {"start ", start, " is out of range for size ", size});
  if (start < 0)
    start += size;
  require(start <= size - length, {"start ", start, " and length ", length,
                                   " exceed the size ", size});
  return {narrowed(x, dim, start, length)};
}

/// Pieces that end at the given positions.
static Values pieces(const Tensor &x, int64_t dim, const Ints &ends) {
  Values results;
  int64_t begin = 0;
  for (int64_t end : ends) {
    results.push_back(narrowed(x, dim, begin, end - begin));
    begin = end;
  }
  return results;
}

static Ints equalEnds(int64_t size, int64_t piece) {
  Ints ends;
  for (int64_t end = piece; end < size; end += piece)
    ends.push_back(end);
  ends.push_back(size);
  return ends;
}

static int64_t splitDim(const Args &args, size_t i) {
  require(args.tensor(0).rank() > 0, {"cannot split a tensor of rank 0"});
  return wrapDim(args.optInteger(i).value_or(0), args.tensor(0).rank());
}

static Values split(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = splitDim(args, 2), piece = args.integer(1);
  require(piece > 0 || (piece == 0 && x.size(dim) == 0),
          {"expected a positive split size, found ", piece});
  return pieces(x, dim, equalEnds(x.size(dim), std::max<int64_t>(piece, 1)));
}
static Values chunk(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = splitDim(args, 2), count = args.integer(1), size = x.size(dim);
  require(count > 0, {"expected a positive number of chunks, found ", count});
  int64_t piece = (size + count - 1) / count;
  if (piece == 0)
    return pieces(x, dim, Ints(count, 0));
  return pieces(x, dim, equalEnds(size, piece));
}
static Values splitWithSizes(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = splitDim(args, 2), end = 0;
  Ints sizes = args.ints(1), ends;
  for (int64_t size : sizes) {
    require(size >= 0 && size <= x.size(dim) - end,
            {"split sizes ", sizes, " do not add up to ", x.size(dim)});
    ends.push_back(end += size);
  }
  require(end == x.size(dim),
          {"split sizes ", sizes, " do not add up to ", x.size(dim)});
  return pieces(x, dim, ends);
}
static Values tensorSplitSections(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = splitDim(args, 2), count = args.integer(1), size = x.size(dim);
  require(count > 0, {"expected a positive number of sections, found ", count});
  Ints ends;
  for (int64_t i = 0, end = 0; i < count; ++i)
    ends.push_back(end += size / count + (i < size % count));
  return pieces(x, dim, ends);
}
static Values tensorSplitIndices(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = splitDim(args, 2), begin = 0;
  Ints ends = args.ints(1);
  ends.push_back(x.size(dim));
  Values results;
  for (int64_t end : ends) {
    results.push_back(sliced(x, dim, begin, end, 1));
    begin = end;
  }
  return results;
}
static Values unbind(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = splitDim(args, 1);
  Values results;
  for (int64_t i = 0; i < x.size(dim); ++i)
    results.push_back(selected(x, dim, i));
  return results;
}

static Values diagonal(const Args &args) {
  return {diagonalOf(args.tensor(0), args.integer(1), args.integer(2),
                     args.integer(3))};
}
static Values unfold(const Args &args) {
  return {unfolded(args.tensor(0), args.integer(1), args.integer(2),
                   args.integer(3))};
}
static Values asStrided(const Args &args) {
  return {stridedView(args.tensor(0), args.ints(1), args.ints(2),
                      args.optInteger(3))};
}

static Values meshgrid(const Args &args) {
  std::vector<Tensor> tensors = args.tensors(0);
  bool xy = args.optString(1).value_or("ij") == "xy";
  require(!tensors.empty(), {"expected at least one tensor"});
  if (xy && tensors.size() > 1)
    std::swap(tensors[0], tensors[1]);
  Ints sizes;
  for (const Tensor &tensor : tensors) {
    require(tensor.rank() <= 1, {"expected a vector, found ", tensor});
    requireSameDType(tensor, tensors[0]);
    sizes.push_back(tensor.numel());
  }
  Values results;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Ints strides(sizes.size(), 0);
    strides[i] = tensors[i].rank() ? tensors[i].stride(0) : 1;
    Tensor grid = restrided(tensors[i], sizes, strides);
    results.push_back(xy && sizes.size() > 1 ? transposed(grid, 0, 1) : grid);
  }
  if (xy && results.size() > 1)
    std::swap(results[0], results[1]);
  return results;
}

//===----------------------------------------------------------------------===//
// Other element types
//===----------------------------------------------------------------------===//

static Tensor retyped(const Tensor &x, DType dtype, Ints sizes, Ints strides,
                      int64_t offset) {
  return take(Tensor::view(x.storage(), dtype, std::move(sizes),
                           std::move(strides), offset));
}

static Values viewDType(const Args &args) {
  const Tensor &x = args.tensor(0);
  auto dtype = args.optDType(1);
  require(dtype.has_value(), {"expected a dtype"});
  auto from = int64_t(itemSize(x.dtype())), to = int64_t(itemSize(*dtype));
  Ints sizes = x.sizes(), strides = x.strides();
  int64_t offset = x.storageOffset();
  if (from == to)
    return {retyped(x, *dtype, sizes, strides, offset)};
  require(x.rank() > 0, {"cannot view ", x, " as ", *dtype});
  require(strides.back() == 1,
          {"expected stride 1 in the last dimension, found ", strides.back()});
  bool widens = to > from;
  int64_t ratio = widens ? to / from : from / to;
  auto scale = [&](int64_t &value) {
    require(!widens || value % ratio == 0,
            {"cannot view ", x, " as ", *dtype, ": ", value,
             " is not a multiple of ", ratio});
    value = widens ? value / ratio : value * ratio;
  };
  scale(sizes.back());
  scale(offset);
  for (size_t d = 0; d + 1 < strides.size(); ++d)
    scale(strides[d]);
  return {retyped(x, *dtype, sizes, strides, offset)};
}

/// A complex tensor as pairs of reals.
static Tensor asPairs(const Tensor &x) {
  require(isComplex(x.dtype()), {"expected a complex tensor, found ", x});
  Ints sizes = x.sizes(), strides = x.strides();
  for (int64_t &stride : strides)
    stride *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return retyped(x, realDType(x.dtype()), sizes, strides,
                 2 * x.storageOffset());
}
static Values viewAsReal(const Args &args) { return {asPairs(args.tensor(0))}; }
static Values viewAsComplex(const Args &args) {
  const Tensor &x = args.tensor(0);
  DType dtype = x.dtype() == DType::F64   ? DType::C128
                : x.dtype() == DType::F32 ? DType::C64
                                          : DType::C32;
  require(dtype != DType::C32 || x.dtype() == DType::F16,
          {"expected f16, f32 or f64, found ", x});
  require(x.rank() > 0 && x.sizes().back() == 2 && x.strides().back() == 1,
          {"expected pairs in the last dimension, found ", x});
  Ints sizes = x.sizes(), strides = x.strides();
  sizes.pop_back();
  strides.pop_back();
  require(x.storageOffset() % 2 == 0,
          {"storage offset ", x.storageOffset(), " is not a multiple of 2"});
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t &stride = strides[i];
    // That of a single element is never stepped along.
    require(sizes[i] == 1 || stride % 2 == 0,
            {"stride ", stride, " is not a multiple of 2"});
    stride /= 2;
  }
  return {retyped(x, dtype, sizes, strides, x.storageOffset() / 2)};
}
static Values real(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {isComplex(x.dtype()) ? selected(asPairs(x), -1, 0) : x};
}
static Values imag(const Args &args) {
  return {selected(asPairs(args.tensor(0)), -1, 1)};
}

//===----------------------------------------------------------------------===//
// Sizes as numbers
//===----------------------------------------------------------------------===//

/// Unlike where a scalar counts as a vector, it has no dimension to ask for.
static int64_t dimOf(const Args &args) {
  int64_t rank = args.tensor(0).rank();
  require(rank != 0, {"a scalar has no dimension ", args.integer(1)});
  return wrapDim(args.integer(1), rank);
}
static Values symSize(const Args &args) {
  return {args.tensor(0).size(dimOf(args))};
}
static Values symStride(const Args &args) {
  return {args.tensor(0).stride(dimOf(args))};
}
static Values symNumel(const Args &args) { return {args.tensor(0).numel()}; }
static Values symOffset(const Args &args) {
  return {args.tensor(0).storageOffset()};
}
static Values symIsContiguous(const Args &args) {
  const Tensor &x = args.tensor(0);
  auto format = args.optString(1);
  if (!format || *format == "contiguous_format")
    return {x.isContiguous()};
  int64_t rank = *format == "channels_last"      ? 4
                 : *format == "channels_last_3d" ? 5
                                                 : -1;
  if (x.rank() != rank)
    return {false};
  // channels innermost is row-major once the channels are moved to the end
  return {movedLast(x, 1).isContiguous()};
}

/// The copying form of a view.
template <Operator View> static Values copyOf(const Args &args) {
  return {take(std::get<Tensor>(View(args)[0].value).clone())};
}

void eager::addViewOperators(Table &table) {
  for (const char *name : {"alias.default", "detach.default", "detach_.default",
                           "lift_fresh.default", "lift.default"})
    table.op<alias>(name);
  table.op<view>("view.default");
  table.op<copyOf<reshape>>("view_copy.default");
  table.op<viewAs>("view_as.default");
  table.op<reshape>("reshape.default");
  table.op<view>("_unsafe_view.default");
  table.op<reshape>("_reshape_alias.default");
  table.op<reshapeAs>("reshape_as.default");
  table.op<flatten>("flatten.using_ints");
  table.op<unflatten>("unflatten.int");
  table.op<expand>("expand.default");
  table.op<copyOf<expand>>("expand_copy.default");
  table.op<expandAs>("expand_as.default");
  table.op<broadcastTensors>("broadcast_tensors.default");
  for (const char *base : {"squeeze", "squeeze_"}) {
    table.op<squeezeAll>(std::string(base) + ".default");
    table.op<squeeze>(std::string(base) + ".dim");
    table.op<squeeze>(std::string(base) + ".dims");
  }
  for (const char *base : {"unsqueeze", "unsqueeze_"})
    table.op<unsqueeze>(std::string(base) + ".default");
  table.op<copyOf<unsqueeze>>("unsqueeze_copy.default");
  table.op<permute>("permute.default");
  table.op<copyOf<permute>>("permute_copy.default");
  table.op<transpose>("transpose.int");
  table.op<transpose>("transpose_.default");
  table.op<copyOf<transpose>>("transpose_copy.int");
  table.op<transpose>("swapaxes.default");
  table.op<t>("t.default");
  table.op<t>("t_.default");
  table.op<numpyT>("numpy_T.default");
  table.op<movedim>("movedim.int");
  table.op<movedim>("movedim.intlist");
  table.op<slice>("slice.Tensor");
  table.op<copyOf<slice>>("slice_copy.Tensor");
  table.op<select>("select.int");
  table.op<copyOf<select>>("select_copy.int");
  table.op<narrow>("narrow.default");
  table.op<split>("split.Tensor");
  table.op<splitWithSizes>("split.sizes");
  table.op<splitWithSizes>("split_with_sizes.default");
  table.op<chunk>("chunk.default");
  table.op<tensorSplitSections>("tensor_split.sections");
  table.op<tensorSplitIndices>("tensor_split.indices");
  table.op<unbind>("unbind.int");
  table.op<diagonal>("diagonal.default");
  table.op<copyOf<diagonal>>("diagonal_copy.default");
  table.op<unfold>("unfold.default");
  table.op<asStrided>("as_strided.default");
  table.op<asStrided>("as_strided_.default");
  table.op<copyOf<asStrided>>("as_strided_copy.default");
  table.op<meshgrid>("meshgrid.default");
  table.op<meshgrid>("meshgrid.indexing");
  table.op<viewDType>("view.dtype");
  table.op<viewAsReal>("view_as_real.default");
  table.op<viewAsComplex>("view_as_complex.default");
  table.op<real>("real.default");
  table.op<imag>("imag.default");
  table.op<symSize>("sym_size.int");
  table.op<symStride>("sym_stride.int");
  table.op<symNumel>("sym_numel.default");
  table.op<symOffset>("sym_storage_offset.default");
  table.op<symIsContiguous>("sym_is_contiguous.default");
}
