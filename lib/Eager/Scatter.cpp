//===- Scatter.cpp - Operators that write into positions ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Positions.h"
#include "Views.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::eager;

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// The leading part of `source` that the index covers.
static Tensor covered(const Tensor &source, const Tensor &index,
                      int64_t rank) {
  if (index.numel() == 0)
    return empty(source.dtype(), index.sizes());
  require(std::max<int64_t>(source.rank(), 1) == std::max<int64_t>(rank, 1),
          {"expected a source of rank ", rank, ", found ", source});
  if (source.rank() == 0 || index.rank() == 0)
    return reshaped(source.rank() ? narrowed(source, 0, 0, 1) : source,
                    index.sizes());
  for (int64_t d = 0; d < index.rank(); ++d)
    require(index.size(d) <= source.size(d),
            {"index ", index, " is larger than the source ", source});
  return restrided(source, index.sizes(), source.strides());
}

static Tensor scattered(const Tensor &x, int64_t dim, const Tensor &index,
                        const Tensor &source, Combine how,
                        bool includeSelf = true) {
  dim = wrapDim(dim, x.rank());
  requireSameDType(x, source);
  Positions positions = alongDim(x, dim, index);
  return combineInto(x, positions.elements, covered(source, index, x.rank()),
                     how, includeSelf);
}

static Values scatterSource(const Args &args) {
  return {scattered(args.tensor(0), args.integer(1), args.tensor(2),
                    args.tensor(3), Combine::Set)};
}
static Values scatterValue(const Args &args) {
  const Tensor &x = args.tensor(0), &index = args.tensor(2);
  Tensor value = filled(x.dtype(), {}, args[3]);
  return {scattered(x, args.integer(1), index,
                    expandTo(value, index.sizes()), Combine::Set)};
}
static Values scatterAdd(const Args &args) {
  return {scattered(args.tensor(0), args.integer(1), args.tensor(2),
                    args.tensor(3), Combine::Add)};
}
static Values scatterReduce(const Args &args) {
  return {scattered(args.tensor(0), args.integer(1), args.tensor(2),
                    args.tensor(3), parseCombine(args.string(4)),
                    args.isNone(5) || args.flag(5))};
}

//===----------------------------------------------------------------------===//
// index_put and its kin
//===----------------------------------------------------------------------===//

static Tensor indexPut(const Tensor &x, const std::vector<Tensor> &indices,
                       const Tensor &values, bool accumulate) {
  requireSameDType(x, values);
  Positions positions = advancedIndex(x, indices);
  Tensor source = values;
  // leading dimensions of size one may be dropped
  while (source.rank() > int64_t(positions.sizes.size()) && source.size(0) == 1)
    source = selected(source, 0, 0);
  return combineInto(x, positions.elements, expandTo(source, positions.sizes),
                     accumulate ? Combine::Add : Combine::Set, true, true);
}
static Values indexPutFunctional(const Args &args) {
  return {indexPut(args.tensor(0), args.optTensors(1), args.tensor(2),
                   args.flag(3))};
}

/// index_add, index_copy, index_reduce: slices of the source into slices of x.
static Positions slicePositions(const Args &args, const Tensor &source) {
  const Tensor &x = args.tensor(0), &index = args.tensor(2);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  Positions positions = slicesAlong(x, dim, index);
  int64_t slices = source.rank() ? source.size(wrapDim(dim, source.rank())) : 1;
  require(slices == index.numel(), {"expected ", index.numel(),
                                    " slices, found ", source});
  require(source.rank() == 0 || x.rank() == 0 ||
              source.sizes() == positions.sizes,
          {"expected a source of sizes ", positions.sizes, ", found ",
           source});
  return positions;
}

static Values indexAdd(const Args &args) {
  const Tensor &x = args.tensor(0), &source = args.tensor(3);
  requireSameDType(x, source);
  Positions positions = slicePositions(args, source);
  Tensor scaled = withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(source);
    T alpha = args.isNone(4) ? T(1) : readAll<T>(numberTensor(args[4]))[0];
    for (T &value : values)
      value *= alpha;
    return makeTensor(x.dtype(), source.sizes(), values);
  });
  return {combineInto(x, positions.elements, scaled, Combine::Add, true,
                      x.rank() <= 1)};
}
static Values indexCopy(const Args &args) {
  const Tensor &source = args.tensor(3);
  return {combineInto(args.tensor(0), slicePositions(args, source).elements,
                      source, Combine::Set)};
}
static Values indexReduce(const Args &args) {
  const Tensor &source = args.tensor(3);
  return {combineInto(args.tensor(0), slicePositions(args, source).elements,
                      source, parseCombine(args.string(4)),
                      args.isNone(5) || args.flag(5))};
}
static Values indexFill(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  Positions positions = slicesAlong(x, dim, args.tensor(2), true);
  if (args[3].isTensor())
    require(args.tensor(3).rank() == 0,
            {"expected a value of rank 0, found ", args.tensor(3)});
  Tensor value = filled(x.dtype(), {}, args[3]);
  return {combineInto(x, positions.elements,
                      expandTo(value, {int64_t(positions.elements.size())}),
                      Combine::Set)};
}

/// Schema: self, index, source, accumulate; positions in the flat tensor.
static Values put(const Args &args) {
  const Tensor &x = args.tensor(0), &index = args.tensor(1);
  require(index.dtype() == DType::I64, {"expected i64 indices, found ", index});
  require(index.numel() == args.tensor(2).numel(),
          {"expected one source element per index, found ", args.tensor(2),
           " for ", index});
  Positions positions = slicesAlong(reshaped(x, {x.numel()}), 0,
                                    reshaped(index, {index.numel()}), true);
  return {combineInto(x, positions.elements, args.tensor(2),
                      args.flag(3) ? Combine::Add : Combine::Set)};
}

/// The source's elements go, in order, where the mask is true.
static Values maskedScatter(const Args &args) {
  const Tensor &mask = args.tensor(1), &source = args.tensor(2);
  require(mask.dtype() == DType::Bool, {"expected a bool mask, found ", mask});
  requireSameDType(args.tensor(0), source);
  Ints sizes = broadcastSizes(args.tensor(0).sizes(), mask.sizes());
  Tensor x = expandTo(args.tensor(0), sizes);
  auto positions = nonzeroPositions(expandTo(mask, sizes));
  int64_t count = int64_t(positions.size());
  require(source.numel() >= count, {"expected at least ", count,
                                    " source elements, found ", source});
  Tensor leading = narrowed(reshaped(source, {source.numel()}), 0, 0, count);
  return {combineInto(x, positions, leading, Combine::Set)};
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// Schema: grad_output, indices, num_weights, padding_idx, scale_grad_by_freq.
static Values embeddingBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &indices = args.tensor(1);
  int64_t rows = args.integer(2), padding = args.integer(3);
  int64_t width = gradient.rank() ? gradient.sizes().back() : 1;
  auto index = readIndices(indices);
  require(gradient.numel() == width * int64_t(index.size()),
          {"expected one gradient row per index, found ", gradient, " for ",
           indices});
  Tensor zeros = filled(gradient.dtype(), {rows, width}, int64_t(0));
  std::vector<int64_t> counts(size_t(rows), 0), positions;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < index.size(); ++i) {
    require(index[i] < rows && (index[i] >= 0 || index[i] == padding),
            {"index ", index[i], " is out of range for ", rows, " rows"});
    if (index[i] == padding)
      continue;
    ++counts[index[i]];
    kept.push_back(int64_t(i));
    for (int64_t c = 0; c < width; ++c)
      positions.push_back(index[i] * width + c);
  }
  Tensor flat = reshaped(gradient, {int64_t(index.size()), width});
  Tensor rowsKept = gatherElements(
      flat, {int64_t(kept.size()), width},
      slicesAlong(flat, 0, makeTensor(DType::I64, {int64_t(kept.size())}, kept))
          .elements);
  if (args.flag(4)) {
    rowsKept = withNumber(gradient.dtype(), [&](auto zero) {
      using T = decltype(zero);
      auto values = readAll<T>(rowsKept);
      for (size_t i = 0; i < values.size(); ++i)
        values[i] /= static_cast<T>(counts[index[kept[i / size_t(width)]]]);
      return makeTensor(gradient.dtype(), rowsKept.sizes(), values);
    });
  }
  return {combineInto(zeros, positions, rowsKept, Combine::Add, true, true)};
}

namespace {
/// The bags of an embedding bag: which bag each index belongs to.
struct Bags {
  std::vector<int64_t> indices, bagOf;
  int64_t count;
};
} // namespace

static Bags bagsOf(const Tensor &indices, const Tensor &offsets,
                   bool includesLast) {
  require(indices.rank() == 1 && offsets.rank() == 1,
          {"expected vectors of indices and offsets, found ", indices, " and ",
           offsets});
  auto starts = readIndices(offsets);
  Bags bags{readIndices(indices), {}, int64_t(starts.size()) - includesLast};
  require(bags.count >= 0, {"expected at least one offset"});
  require(starts.empty() || starts[0] == 0,
          {"expected the first offset to be 0, found ",
           starts.empty() ? 0 : starts[0]});
  bags.bagOf.resize(bags.indices.size());
  int64_t bag = -1;
  for (int64_t i = 0; i < int64_t(bags.indices.size()); ++i) {
    while (bag + 1 < bags.count && starts[bag + 1] <= i)
      ++bag;
    bags.bagOf[i] = bag;
  }
  for (size_t b = 1; b < starts.size(); ++b)
    require(starts[b] >= starts[b - 1] &&
                starts[b] <= int64_t(bags.indices.size()),
            {"offset ", starts[b], " is out of order or out of range"});
  return bags;
}

/// Schema: weight, indices, offsets, scale_grad_by_freq, mode, sparse,
/// per_sample_weights, include_last_offset, padding_idx. Modes: sum, mean, max.
template <bool ForwardOnly> static Values embeddingBag(const Args &args) {
  const Tensor &weight = args.tensor(0);
  require(weight.rank() == 2, {"expected a weight of rank 2, found ", weight});
  requireFloat(weight);
  int64_t mode = args.integer(4), width = weight.size(1), rows = weight.size(0);
  require(mode >= 0 && mode <= 2, {"expected mode 0, 1 or 2, found ", mode});
  int64_t padding = args.optInteger(8).value_or(-1);
  if (padding < -1)
    padding += rows;
  DType indexDType = args.tensor(1).dtype();
  Bags bags = bagsOf(args.tensor(1), args.tensor(2), args.flag(7));
  Tensor scales = args.optTensor(6);
  require(!scales.defined() ||
              (mode == 0 && scales.numel() == int64_t(bags.indices.size())),
          {"weights per sample need mode 'sum' and one weight per index"});
  std::vector<int64_t> sizes(size_t(bags.count), 0), offset2bag = bags.bagOf;
  std::vector<int64_t> largest(size_t(bags.count * (mode == 2 ? width : 0)), 0);
  Tensor output = withFloat(weight.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto table = readAll<T>(weight);
    auto scale = scales.defined() ? readAll<T>(scales) : std::vector<T>();
    std::vector<T> sums(size_t(bags.count * width), T(0));
    for (size_t i = 0; i < bags.indices.size(); ++i) {
      int64_t row = bags.indices[i], bag = bags.bagOf[i];
      require(row >= 0 && row < rows,
              {"index ", row, " is out of range for ", rows, " rows"});
      if (row == padding || bag < 0)
        continue;
      bool first = sizes[bag]++ == 0;
      for (int64_t c = 0; c < width; ++c) {
        T value = table[row * width + c], &sum = sums[bag * width + c];
        if (mode != 2) {
          sum += scale.empty() ? value : value * scale[i];
        } else if (first || value > sum) {
          sum = value;
          largest[bag * width + c] = row;
        }
      }
    }
    for (int64_t i = 0; mode == 1 && i < bags.count * width; ++i)
      if (sizes[i / width] > 0)
        sums[i] /= T(sizes[i / width]);
    return makeTensor(weight.dtype(), {bags.count, width}, sums);
  });
  // where rows are simply added, PyTorch saves no bag numbers
  bool addsRows = mode == 0 && weight.dtype() != DType::F64 && padding < 0 &&
                  weight.stride(1) == 1 &&
                  (!scales.defined() || scales.stride(0) == 1);
  if (addsRows)
    offset2bag.clear();
  if (ForwardOnly && mode == 0) // not computed, one per offset
    sizes.resize(size_t(args.tensor(2).numel()));
  int64_t numSizes = int64_t(sizes.size());
  return {output,
          makeTensor(indexDType, {int64_t(offset2bag.size())}, offset2bag),
          makeTensor(indexDType, {numSizes}, sizes),
          mode == 2 ? makeTensor(indexDType, {bags.count, width}, largest)
                    : makeTensor(indexDType, {numSizes}, sizes)};
}

/// Schema: grad, weight, indices, offsets, offset2bag, mode, padding_idx.
static Values embeddingBagWeightsBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &weight = args.tensor(1);
  require(args.integer(5) == 0, {"weights per sample need mode 'sum'"});
  require(weight.rank() == 2 && gradient.rank() == 2 &&
              gradient.size(1) == weight.size(1),
          {"expected matrices of one width, found ", gradient, " and ",
           weight});
  auto indices = readIndices(args.tensor(2));
  auto bagOf = readIndices(args.tensor(4));
  if (bagOf.empty())
    bagOf = bagsOf(args.tensor(2), args.tensor(3), false).bagOf;
  require(bagOf.size() == indices.size(),
          {"expected a bag per index, found ", args.tensor(4)});
  int64_t padding = args.optInteger(6).value_or(-1), width = weight.size(1);
  return {withFloat(weight.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto rows = readAll<T>(weight), grads = readAll<T>(gradient);
    std::vector<T> result(indices.size(), T(0));
    for (size_t i = 0; i < indices.size(); ++i) {
      require(indices[i] >= 0 && indices[i] < weight.size(0) &&
                  bagOf[i] >= 0 && bagOf[i] < gradient.size(0),
              {"index ", indices[i], " or bag ", bagOf[i],
               " is out of range"});
      if (indices[i] == padding)
        continue;
      for (int64_t c = 0; c < width; ++c)
        result[i] += rows[indices[i] * width + c] * grads[bagOf[i] * width + c];
    }
    return makeTensor(weight.dtype(), {int64_t(result.size())}, result);
  })};
}

//===----------------------------------------------------------------------===//
// Writing through a view
//===----------------------------------------------------------------------===//

/// A copy of x in which the view that `see` chooses is overwritten.
template <typename F>
static Values writeThrough(const Tensor &x, const Tensor &source, F see) {
  Tensor result = take(x.clone());
  Tensor target = see(result);
  require(source.sizes() == target.sizes(),
          {"expected a source of sizes ", target.sizes(), ", found ", source});
  assign(target, source);
  return {result};
}

static Values sliceScatter(const Args &args) {
  const Tensor &x = args.tensor(0), &source = args.tensor(1);
  Tensor result = take(x.clone());
  Tensor target =
      sliced(result, args.optInteger(2).value_or(0), args.optInteger(3),
             args.optInteger(4), args.optInteger(5).value_or(1));
  assign(target, expandTo(source, target.sizes()));
  return {result};
}
static Values selectScatter(const Args &args) {
  return writeThrough(args.tensor(0), args.tensor(1), [&](const Tensor &x) {
    return selected(x, args.integer(2), args.integer(3));
  });
}
static Values diagonalScatter(const Args &args) {
  return writeThrough(args.tensor(0), args.tensor(1), [&](const Tensor &x) {
    return diagonalOf(x, args.integer(2), args.integer(3), args.integer(4));
  });
}
/// Strides speak of the storage, which is copied whole.
static Values asStridedScatter(const Args &args) {
  const Tensor &x = args.tensor(0), &source = args.tensor(1);
  int64_t elements = int64_t(x.storage()->bytes() / itemSize(x.dtype()));
  Tensor whole = take(
      take(Tensor::view(x.storage(), x.dtype(), {elements}, {1}, 0)).clone());
  Tensor copy = whole.asStrided(x.sizes(), x.strides(), x.storageOffset());
  Tensor target = stridedView(copy, args.ints(2), args.ints(3),
                              args.optInteger(4));
  require(source.sizes() == target.sizes(),
          {"expected a source of sizes ", target.sizes(), ", found ", source});
  assign(target, source);
  return {copy};
}

/// The gradient of a view: zeros, written through the same view.
static Tensor zerosOf(const Args &args) {
  return filled(args.tensor(0).dtype(), args.ints(1), int64_t(0));
}
static Values sliceBackward(const Args &args) {
  return writeThrough(zerosOf(args), args.tensor(0), [&](const Tensor &x) {
    return sliced(x, args.integer(2), args.optInteger(3), args.optInteger(4),
                  args.integer(5));
  });
}
static Values selectBackward(const Args &args) {
  return writeThrough(zerosOf(args), args.tensor(0), [&](const Tensor &x) {
    return selected(x, args.integer(2), args.integer(3));
  });
}
static Values diagonalBackward(const Args &args) {
  return writeThrough(zerosOf(args), args.tensor(0), [&](const Tensor &x) {
    return diagonalOf(x, args.integer(2), args.integer(3), args.integer(4));
  });
}
/// Windows overlap, so their gradients add up.
static Values unfoldBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0);
  Tensor zeros = zerosOf(args);
  std::vector<int64_t> ids(size_t(zeros.numel()));
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = int64_t(i);
  Tensor numbered = makeTensor(DType::I64, zeros.sizes(), ids);
  Tensor windows = unfolded(numbered, args.integer(2), args.integer(3),
                            args.integer(4));
  require(windows.sizes() == gradient.sizes(),
          {"expected a gradient of sizes ", windows.sizes(), ", found ",
           gradient});
  return {combineInto(zeros, readAll<int64_t>(windows), gradient,
                      Combine::Add)};
}

void eager::addScatterOperators(Table &table) {
  table.both<scatterSource>("scatter", "src");
  table.both<scatterValue>("scatter", "value");
  table.both<scatterReduce>("scatter", "reduce");
  table.both<scatterAdd>("scatter_add", "default");
  table.both<scatterReduce>("scatter_reduce", "two");
  table.both<indexPutFunctional>("index_put", "default");
  table.op<indexPutFunctional>("_unsafe_index_put.default");
  table.inPlace<indexPutFunctional>("_index_put_impl_.default");
  table.both<indexAdd>("index_add", "default");
  table.both<indexCopy>("index_copy", "default");
  table.both<indexReduce>("index_reduce", "default");
  table.both<indexFill>("index_fill", "int_Scalar");
  table.both<indexFill>("index_fill", "int_Tensor");
  table.both<put>("put", "default");
  table.both<maskedScatter>("masked_scatter", "default");
  table.op<embeddingBackward>("embedding_dense_backward.default");
  table.op<embeddingBag<false>>("_embedding_bag.default");
  table.op<embeddingBag<true>>("_embedding_bag_forward_only.default");
  table.op<embeddingBagWeightsBackward>(
      "_embedding_bag_per_sample_weights_backward.default");
  table.op<sliceScatter>("slice_scatter.default");
  table.op<selectScatter>("select_scatter.default");
  table.op<diagonalScatter>("diagonal_scatter.default");
  table.op<asStridedScatter>("as_strided_scatter.default");
  table.op<sliceBackward>("slice_backward.default");
  table.op<selectBackward>("select_backward.default");
  table.op<diagonalBackward>("diagonal_backward.default");
  table.op<unfoldBackward>("unfold_backward.default");
}
