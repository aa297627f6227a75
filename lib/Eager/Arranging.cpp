//===- Arranging.cpp - Operators that join and rearrange ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Positions.h"
#include "TypePromotion.h"
#include "Views.h"

#include <algorithm>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

//===----------------------------------------------------------------------===//
// Joining and repeating
//===----------------------------------------------------------------------===//

Tensor eager::concatenated(const std::vector<Tensor> &tensors, int64_t dim) {
  require(!tensors.empty(), {"expected at least one tensor"});
  Promotion promotion;
  std::vector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    require(tensor.rank() > 0, {"cannot concatenate a tensor of rank 0"});
    promotion.add(tensor);
    bool skipped = tensor.rank() == 1 && tensor.size(0) == 0;
    if (!skipped)
      parts.push_back(tensor);
  }
  if (parts.empty())
    return empty(promotion.result(), {0});
  dim = wrapDim(dim, parts[0].rank());
  Ints sizes = parts[0].sizes();
  sizes[dim] = 0;
  for (const Tensor &part : parts) {
    require(part.rank() == parts[0].rank(),
            {"expected tensors of one rank, found ", parts[0], " and ", part});
    for (int64_t d = 0; d < part.rank(); ++d)
      require(d == dim || part.size(d) == sizes[d],
              {"expected sizes of ", parts[0], " but for dimension ", dim,
               ", found ", part});
    sizes[dim] += part.size(dim);
  }
  Tensor result = empty(promotion.result(), sizes);
  int64_t begin = 0;
  for (const Tensor &part : parts) {
    assign(narrowed(result, dim, begin, part.size(dim)), part);
    begin += part.size(dim);
  }
  return result;
}

static Values cat(const Args &args) {
  return {concatenated(args.tensors(0), args.optInteger(1).value_or(0))};
}
static Values stack(const Args &args) {
  std::vector<Tensor> tensors = args.tensors(0);
  require(!tensors.empty(), {"expected at least one tensor"});
  int64_t dim =
      wrapDim(args.optInteger(1).value_or(0), tensors[0].rank() + 1);
  Ints sizes = tensors[0].sizes();
  for (Tensor &tensor : tensors) {
    require(tensor.sizes() == sizes,
            {"expected tensors of one size, found ", sizes, " and ", tensor});
    tensor = unsqueezed(tensor, dim);
  }
  return {concatenated(tensors, dim)};
}
static Values hstack(const Args &args) {
  std::vector<Tensor> tensors = args.tensors(0);
  require(!tensors.empty(), {"expected at least one tensor"});
  for (Tensor &tensor : tensors)
    if (tensor.rank() == 0)
      tensor = unsqueezed(tensor, 0);
  return {concatenated(tensors, tensors[0].rank() == 1 ? 0 : 1)};
}
static Values vstack(const Args &args) {
  std::vector<Tensor> tensors = args.tensors(0);
  require(!tensors.empty(), {"expected at least one tensor"});
  for (Tensor &tensor : tensors)
    while (tensor.rank() < 2)
      tensor = unsqueezed(tensor, 0);
  return {concatenated(tensors, 0)};
}

/// Element positions under an index map: `map` turns a result index into an
/// index of x.
template <typename Map>
static Tensor remapped(const Tensor &x, const Ints &sizes, Map map) {
  requireSizes(sizes);
  Ints strides = runtime::rowMajorStrides(x.sizes());
  std::vector<int64_t> elements(size_t(product(sizes)));
  Ints from(x.rank());
  forEachIndex(sizes, [&](const Ints &at, int64_t i) {
    map(at, from);
    int64_t position = 0;
    for (int64_t d = 0; d < x.rank(); ++d)
      position += from[d] * strides[d];
    elements[i] = position;
  });
  return gatherElements(x, sizes, elements);
}

static Tensor repeated(const Tensor &x, const Ints &repeats) {
  size_t shift = repeats.size() - size_t(x.rank());
  Ints sizes = repeats;
  for (size_t d = 0; d < repeats.size(); ++d) {
    require(repeats[d] >= 0, {"negative repetition in ", repeats});
    if (d >= shift)
      sizes[d] = product({repeats[d], x.size(int64_t(d - shift))});
  }
  return remapped(x, sizes, [&](const Ints &at, Ints &from) {
    for (int64_t d = 0; d < x.rank(); ++d)
      from[d] = at[shift + d] % x.size(d);
  });
}
static Values repeat(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints repeats = args.ints(1);
  require(int64_t(repeats.size()) >= x.rank(),
          {"expected at least ", x.rank(), " repetitions, found ", repeats});
  return {repeated(x, repeats)};
}
static Values tile(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints repeats = args.ints(1);
  if (int64_t(repeats.size()) < x.rank())
    repeats.insert(repeats.begin(), x.rank() - repeats.size(), 1);
  return {repeated(x, repeats)};
}
static Values repeatInterleave(const Args &args) {
  Tensor x = args.tensor(0);
  int64_t count = args.integer(1);
  require(count >= 0, {"repetitions must not be negative, found ", count});
  if (args.isNone(2))
    x = reshaped(x, {x.numel()});
  int64_t dim = args.isNone(2) ? 0 : wrapDim(args.integer(2), x.rank());
  if (x.rank() == 0)
    x = unsqueezed(x, 0);
  Ints sizes = x.sizes();
  sizes[dim] = product({sizes[dim], count});
  require(args.isNone(3) || args.integer(3) == sizes[dim],
          {"expected an output size of ", sizes[dim]});
  return {remapped(x, sizes, [&](const Ints &at, Ints &from) {
    from = at;
    from[dim] /= count;
  })};
}

static Values flip(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints dims = args.ints(1);
  if (!dims.empty())
    dims = reducedDims(dims, x.rank());
  return {remapped(x, x.sizes(), [&](const Ints &at, Ints &from) {
    from = at;
    for (int64_t dim : dims)
      from[dim] = x.size(dim) - 1 - at[dim];
  })};
}
static Values roll(const Args &args) {
  Tensor x = args.tensor(0);
  Ints shifts = args.ints(1), dims = args.optInts(2).value_or(Ints()),
       original = x.sizes();
  require(!shifts.empty(), {"expected at least one shift"});
  if (dims.empty()) {
    require(shifts.size() == 1, {"expected as many dimensions as shifts"});
    x = reshaped(x, {x.numel()});
    dims = {0};
  }
  require(dims.size() == shifts.size(),
          {"expected as many dimensions as shifts, found ", dims, " and ",
           shifts});
  require(x.rank() > 0, {"cannot roll a dimension of a tensor of rank 0"});
  for (int64_t &dim : dims)
    dim = wrapDim(dim, x.rank());
  Tensor result = remapped(x, x.sizes(), [&](const Ints &at, Ints &from) {
    from = at;
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t size = x.size(dims[i]), &coordinate = from[dims[i]];
      coordinate = ((coordinate - shifts[i] % size) % size + size) % size;
    }
  });
  return {reshaped(result, original)};
}
static Values rot90(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints dims = args.optInts(2).value_or(Ints{0, 1});
  require(dims.size() == 2 && x.rank() >= 2,
          {"expected 2 rotation dimensions, found ", dims, " for ", x});
  int64_t a = wrapDim(dims[0], x.rank()), b = wrapDim(dims[1], x.rank());
  require(a != b, {"rotation dimensions must differ, found ", dims});
  int64_t turns = (args.optInteger(1).value_or(1) % 4 + 4) % 4;
  Ints sizes = x.sizes();
  if (turns % 2)
    std::swap(sizes[a], sizes[b]);
  return {remapped(x, sizes, [&](const Ints &at, Ints &from) {
    from = at;
    if (turns == 1) {
      from[a] = at[b];
      from[b] = x.size(b) - 1 - at[a];
    } else if (turns == 2) {
      from[a] = x.size(a) - 1 - at[a];
      from[b] = x.size(b) - 1 - at[b];
    } else if (turns == 3) {
      from[a] = x.size(a) - 1 - at[b];
      from[b] = at[a];
    }
  })};
}

/// Elements above (below) the diagonal become zero.
template <bool Upper> static Values triangle(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t diagonal = args.optInteger(1).value_or(0);
  require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
  std::vector<int64_t> elements(size_t(x.numel()));
  forEachIndex(x.sizes(), [&](const Ints &at, int64_t i) {
    int64_t above = at[at.size() - 1] - at[at.size() - 2];
    elements[i] = (Upper ? above >= diagonal : above <= diagonal) ? i : -1;
  });
  return {gatherElements(x, x.sizes(), elements)};
}

static Values diagEmbed(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() > 0, {"expected at least one dimension"});
  int64_t offset = args.integer(1), rank = x.rank() + 1;
  int64_t dim1 = wrapDim(args.integer(2), rank);
  int64_t dim2 = wrapDim(args.integer(3), rank);
  require(dim1 != dim2, {"diagonal dimensions must differ, found ", dim1});
  int64_t size = x.sizes().back() + std::abs(offset);
  Ints sizes(x.sizes().begin(), x.sizes().end() - 1);
  sizes.insert(sizes.begin() + std::min(dim1, dim2), size);
  sizes.insert(sizes.begin() + std::max(dim1, dim2), size);
  Tensor result = filled(x.dtype(), sizes, int64_t(0));
  assign(diagonalOf(result, offset, dim1, dim2), x);
  return {result};
}

static Values trace(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() == 2, {"expected a matrix, found ", x});
  DType dtype = isBoolOrInteger(x.dtype()) ? DType::I64 : x.dtype();
  return {withNumber(dtype, [&](auto zero) {
    auto sum = zero;
    for (auto value : readAll<decltype(zero)>(diagonalOf(x, 0, 0, 1)))
      sum += value;
    return makeTensor<decltype(zero)>(dtype, {}, {sum});
  })};
}

static Values cartesianProd(const Args &args) {
  std::vector<Tensor> tensors = args.tensors(0);
  require(!tensors.empty(), {"expected at least one tensor"});
  Ints sizes;
  for (const Tensor &tensor : tensors) {
    require(tensor.rank() == 1, {"expected vectors, found ", tensor});
    requireSameDType(tensor, tensors[0]);
    sizes.push_back(tensor.size(0));
  }
  if (tensors.size() == 1)
    return {tensors[0]};
  std::vector<Tensor> columns;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Ints strides(sizes.size(), 0);
    strides[i] = tensors[i].stride(0);
    Tensor grid = restrided(tensors[i], sizes, strides);
    columns.push_back(unsqueezed(reshaped(grid, {product(sizes)}), 1));
  }
  return {concatenated(columns, 1)};
}

//===----------------------------------------------------------------------===//
// Shuffles: a reshape, a permutation, a reshape
//===----------------------------------------------------------------------===//

static Tensor shuffled(const Tensor &x, const Ints &split, const Ints &order,
                       const Ints &joined) {
  return take(reshaped(permuted(reshaped(x, split), order), joined).clone());
}

static Values channelShuffle(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t groups = args.integer(1);
  require(x.rank() >= 3, {"expected at least 3 dimensions, found ", x});
  require(groups > 0 && x.size(1) % groups == 0,
          {"channels of ", x, " are not divisible by ", groups});
  int64_t rest = product(Ints(x.sizes().begin() + 2, x.sizes().end()));
  return {shuffled(x, {x.size(0), groups, x.size(1) / groups, rest},
                   {0, 2, 1, 3}, x.sizes())};
}

template <bool Unshuffle> static Values pixelShuffle(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t r = args.integer(1), rank = x.rank();
  require(rank >= 3, {"expected at least 3 dimensions, found ", x});
  require(r > 0 && r < 1 << 20, {"expected a positive factor, found ", r});
  int64_t c = x.size(rank - 3), h = x.size(rank - 2), w = x.size(rank - 1);
  Ints lead(x.sizes().begin(), x.sizes().end() - 3), joined = lead;
  int64_t batch = product(lead);
  if (Unshuffle) {
    require(h % r == 0 && w % r == 0,
            {"height and width of ", x, " are not divisible by ", r});
    joined.insert(joined.end(), {c * r * r, h / r, w / r});
    return {shuffled(x, {batch, c, h / r, r, w / r, r}, {0, 1, 3, 5, 2, 4},
                     joined)};
  }
  require(c % (r * r) == 0,
          {"channels of ", x, " are not divisible by ", r * r});
  joined.insert(joined.end(), {c / (r * r), h * r, w * r});
  return {shuffled(x, {batch, c / (r * r), r, r, h, w}, {0, 1, 4, 2, 5, 3},
                   joined)};
}

void eager::addArrangingOperators(Table &table) {
  table.op<cat>("cat.default");
  table.op<cat>("concat.default");
  table.op<stack>("stack.default");
  table.op<hstack>("hstack.default");
  table.op<vstack>("vstack.default");
  table.op<repeat>("repeat.default");
  table.op<tile>("tile.default");
  table.op<repeatInterleave>("repeat_interleave.self_int");
  table.op<flip>("flip.default");
  table.op<roll>("roll.default");
  table.op<rot90>("rot90.default");
  table.both<triangle<false>>("tril", "default");
  table.both<triangle<true>>("triu", "default");
  table.op<diagEmbed>("diag_embed.default");
  table.op<trace>("trace.default");
  table.op<cartesianProd>("cartesian_prod.default");
  table.op<channelShuffle>("channel_shuffle.default");
  table.op<channelShuffle>("native_channel_shuffle.default");
  table.op<pixelShuffle<false>>("pixel_shuffle.default");
  table.op<pixelShuffle<true>>("pixel_unshuffle.default");
}
