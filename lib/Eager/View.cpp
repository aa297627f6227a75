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

#include "kiln/Base/ViewElementRules.h"

using namespace kiln;
using namespace kiln::eager;

//===----------------------------------------------------------------------===//
// Rules of views over numbers
//===----------------------------------------------------------------------===//

namespace {
/// What kiln/Base/ViewParts.h asks, of sizes that are known.
class Numbers {
public:
  using Number = int64_t;

  Numbers() = default;
  explicit Numbers(const Args &args) : args(&args) {}

  Ints sizes(size_t i) { return args->tensor(i).sizes(); }
  std::vector<Ints> allSizes(size_t i) {
    std::vector<Ints> all;
    for (const Tensor &tensor : args->tensors(i))
      all.push_back(tensor.sizes());
    return all;
  }
  Ints numbers(size_t i) { return args->ints(i); }
  Ints integers(size_t i) { return args->ints(i); }
  int64_t integer(size_t i) { return args->integer(i); }
  int64_t integer(size_t i, int64_t otherwise) {
    return args->optInteger(i).value_or(otherwise);
  }
  int64_t number(size_t i) { return args->integer(i); }
  int64_t number(size_t i, int64_t otherwise) { return integer(i, otherwise); }
  std::optional<int64_t> optional(size_t i) { return args->optInteger(i); }

  int64_t constant(int64_t value) { return value; }
  std::optional<int64_t> known(int64_t n) { return n; }
  bool is(int64_t n, int64_t value) { return n == value; }
  bool differ(int64_t a, int64_t b) { return a != b; }
  bool isAtLeast(int64_t n, int64_t value) { return n >= value; }
  bool fits(int64_t start, int64_t length, int64_t size) {
    return start <= size - length;
  }
  std::optional<int64_t> fixed(int64_t n) { return n; }
  std::optional<int64_t> resultCount() { return std::nullopt; }
  int64_t times(int64_t a, int64_t b) {
    require(!__builtin_mul_overflow(a, b, &a), {"sizes overflow"});
    return a;
  }
  int64_t sum(const Ints &sizes) {
    int64_t total = 0;
    for (int64_t size : sizes)
      require(!__builtin_add_overflow(total, size, &total),
              {"sizes ", sizes, " overflow"});
    return total;
  }
  int64_t simplify(int64_t n) { return n; }
  int64_t notNegative(int64_t n) { return std::max<int64_t>(n, 0); }
  int64_t bound(int64_t bound, int64_t size) {
    if (bound < 0)
      bound = bound < -size ? 0 : bound + size;
    return std::min(bound, size);
  }
  int64_t wrapped(int64_t index, int64_t size) {
    return index < 0 ? index + size : index;
  }
  std::optional<Ints> broadcast(const Ints &a, const Ints &b) {
    return broadcastSizes(a, b);
  }
  bool haveOneType() {
    std::vector<Tensor> tensors = args->tensors(0);
    return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor &x) {
      return x.dtype() == tensors[0].dtype();
    });
  }
  bool divides(int64_t factor, int64_t n) { return n % factor == 0; }
  bool isComplex() { return kiln::isComplex(args->tensor(0).dtype()); }
  bool hasComplex() {
    DType dtype = args->tensor(0).dtype();
    return dtype == DType::F16 || dtype == DType::F32 || dtype == DType::F64;
  }
  int64_t itemSize() { return int64_t(kiln::itemSize(args->tensor(0).dtype())); }
  int64_t itemSizeOfResult() {
    auto dtype = args->optDType(1);
    require(dtype.has_value(), {"expected a dtype"});
    return int64_t(kiln::itemSize(*dtype));
  }
  template <typename... Parts> std::nullopt_t fail(const Parts &...parts) {
    refuse({parts...});
  }

private:
  const Args *args = nullptr;
};

using Map = views::View<int64_t>;
using Maps = std::optional<std::vector<Map>>;

/// Whether a view shares the memory of its operand.
enum class Memory { Shares, MayCopy, Copies, Own };
} // namespace

//===----------------------------------------------------------------------===//
// Tensors as other elements
//===----------------------------------------------------------------------===//

static Tensor retyped(const Tensor &x, DType dtype, Ints sizes, Ints strides,
                      int64_t offset) {
  return take(Tensor::view(x.storage(), dtype, std::move(sizes),
                           std::move(strides), offset));
}

static Tensor asBytes(const Tensor &x, DType dtype) {
  auto from = int64_t(itemSize(x.dtype())), to = int64_t(itemSize(dtype));
  Ints sizes = x.sizes(), strides = x.strides();
  int64_t offset = x.storageOffset();
  if (from == to)
    return retyped(x, dtype, sizes, strides, offset);
  require(strides.back() == 1,
          {"expected stride 1 in the last dimension, found ", strides.back()});
  bool widens = to > from;
  int64_t ratio = widens ? to / from : from / to;
  auto scale = [&](int64_t &value) {
    require(!widens || value % ratio == 0,
            {"cannot view ", x, " as ", dtype, ": ", value,
             " is not a multiple of ", ratio});
    value = widens ? value / ratio : value * ratio;
  };
  scale(sizes.back());
  scale(offset);
  for (size_t d = 0; d + 1 < strides.size(); ++d)
    scale(strides[d]);
  return retyped(x, dtype, sizes, strides, offset);
}

/// A complex tensor as pairs of reals.
static Tensor asParts(const Tensor &x) {
  Ints sizes = x.sizes(), strides = x.strides();
  for (int64_t &stride : strides)
    stride *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return retyped(x, realDType(x.dtype()), sizes, strides,
                 2 * x.storageOffset());
}

static Tensor asComplex(const Tensor &x) {
  DType dtype = x.dtype() == DType::F64   ? DType::C128
                : x.dtype() == DType::F32 ? DType::C64
                                          : DType::C32;
  require(x.strides().back() == 1,
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
  return retyped(x, dtype, sizes, strides, x.storageOffset() / 2);
}

/// `args` has the element type of bytes that are seen as another.
static Tensor seenAs(const Args &args, const Tensor &x,
                     views::ViewElements elements) {
  switch (elements) {
  case views::ViewElements::Same:
    return x;
  case views::ViewElements::Parts:
    return asParts(x);
  case views::ViewElements::Pairs:
    return asComplex(x);
  case views::ViewElements::Bytes:
    return asBytes(x, *args.optDType(1));
  }
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Maps as strides
//===----------------------------------------------------------------------===//

static Tensor lookThrough(const Tensor &x, const Map &map) {
  Ints strides(map.sizes.size(), 0);
  std::vector<bool> isStepped(map.sizes.size(), false);
  int64_t offset = x.storageOffset();
  // An empty view may start anywhere.
  for (size_t d = 0; d < map.start.size(); ++d)
    offset += std::min(map.start[d], x.size(d)) * x.stride(d);
  for (const auto &step : map.steps) {
    // A step may be of any size where it is never made.
    int64_t stride;
    if (__builtin_mul_overflow(step.by, x.stride(step.to), &stride))
      stride = x.stride(step.to);
    strides[step.from] += stride;
    isStepped[step.from] = true;
  }
  // What is repeated has stride 0, and a new dimension of size 1 PyTorch's.
  for (size_t d = strides.size(); d-- > 0;)
    if (!isStepped[d] && map.sizes[d] == 1)
      strides[d] = d + 1 < strides.size() ? map.sizes[d + 1] * strides[d + 1]
                                          : 1;
  return x.asStrided(map.sizes, std::move(strides), offset);
}

static Tensor inStorage(const Tensor &x, const Map &map) {
  Ints strides;
  for (const auto &step : map.steps)
    strides.push_back(step.by);
  return take(Tensor::view(x.storage(), x.dtype(), map.sizes, strides,
                           map.start.empty() ? x.storageOffset()
                                             : map.start.front()));
}

static Tensor shown(const Tensor &x, const Map &map, Memory memory) {
  requireSizes(map.sizes);
  if (map.kind == views::ViewKind::Strided)
    return lookThrough(x, map);
  if (map.kind == views::ViewKind::Storage)
    return inStorage(x, map);
  if (memory != Memory::Shares)
    return reshaped(x, map.sizes);
  auto strides = viewStrides(x, map.sizes);
  require(strides.has_value(),
          {"strides ", x.strides(), " of ", x, " cannot be seen as sizes ",
           map.sizes, ", expected a reshape"});
  return restrided(x, map.sizes, *strides);
}

static Values show(const Args &args, const Maps &maps, Memory memory) {
  std::vector<Tensor> tensors;
  if (!args[0].isTensor())
    tensors = args.tensors(0);
  Values results;
  for (const Map &map : *maps) {
    const Tensor &x =
        tensors.empty() ? args.tensor(0) : tensors[map.tensor];
    Tensor view = shown(seenAs(args, x, map.elements), map, memory);
    results.push_back(memory == Memory::Copies ? take(view.clone()) : view);
  }
  return results;
}

#define KILN_VIEW(id, overload, memory, call)                                  \
  static Values id(const Args &args) {                                         \
    Numbers w(args);                                                           \
    return show(args, call, Memory::memory);                                   \
  }
#include "kiln/Eager/Views.inc"

//===----------------------------------------------------------------------===//
// Shared views
//===----------------------------------------------------------------------===//

static Tensor lookThrough(const Tensor &x, const Maps &maps) {
  return shown(x, maps->front(), Memory::Shares);
}

Tensor eager::sliced(const Tensor &x, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  Numbers w;
  return lookThrough(x, views::slice(w, x.sizes(), dim, start, end, step));
}
Tensor eager::narrowed(const Tensor &x, int64_t dim, int64_t start,
                       int64_t length) {
  Numbers w;
  return lookThrough(x, views::narrow(w, x.sizes(), dim, start, length));
}
Tensor eager::selected(const Tensor &x, int64_t dim, int64_t index) {
  Numbers w;
  return lookThrough(x, views::select(w, x.sizes(), dim, index));
}
Tensor eager::diagonalOf(const Tensor &x, int64_t offset, int64_t dim1,
                         int64_t dim2) {
  Numbers w;
  return lookThrough(x, views::diagonal(w, x.sizes(), offset, dim1, dim2));
}
Tensor eager::unfolded(const Tensor &x, int64_t dim, int64_t size,
                       int64_t step) {
  Numbers w;
  return lookThrough(x, views::unfold(w, x.sizes(), dim, size, step));
}
Tensor eager::stridedView(const Tensor &x, const Ints &sizes,
                          const Ints &strides, std::optional<int64_t> offset) {
  Numbers w;
  return lookThrough(x, views::asStrided(w, x.sizes(), sizes, strides, offset));
}
Tensor eager::transposed(const Tensor &x, int64_t dim0, int64_t dim1) {
  Numbers w;
  return lookThrough(x, views::transpose(w, x.sizes(), dim0, dim1));
}

//===----------------------------------------------------------------------===//
// Overloads that have no record
//===----------------------------------------------------------------------===//

/// Indexed "xy", the first two dimensions change places, and so do their tensors.
static Values indexedMeshgrid(const Args &args) {
  bool swaps = args.string(1) == "xy" && args.tensors(0).size() > 1;
  Numbers w(args);
  std::vector<Ints> sizes = w.allSizes(0);
  if (swaps)
    std::swap(sizes[0], sizes[1]);
  Maps maps = views::meshgrid(w, sizes);
  if (swaps) {
    std::swap((*maps)[0], (*maps)[1]);
    std::swap((*maps)[0].tensor, (*maps)[1].tensor);
  }
  Values results = show(args, maps, Memory::Shares);
  for (OpValue &result : results)
    if (swaps)
      result = transposed(std::get<Tensor>(result.value), 0, 1);
  return results;
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

/// "t.default" for "t".
static std::string fullName(const std::string &overload) {
  return overload.find('.') == std::string::npos ? overload + ".default"
                                                 : overload;
}

void eager::addViewOperators(Table &table) {
#define KILN_VIEW(id, overload, memory, call)                                  \
  if (Memory::memory != Memory::Own)                                           \
    table.op<id>(fullName(overload));
#include "kiln/Eager/Views.inc"
  table.op<ReshapeOp>("_reshape_alias.default");
  for (const char *name : {"detach_.default", "lift_fresh.default",
                           "lift.default"})
    table.op<AliasOp>(name);
  table.op<SqueezeOp>("squeeze_.default");
  table.op<SqueezeDimOp>("squeeze_.dim");
  table.op<SqueezeDimsOp>("squeeze_.dims");
  table.op<UnsqueezeOp>("unsqueeze_.default");
  table.op<TransposeIntOp>("transpose_.default");
  table.op<TOp>("t_.default");
  table.op<AsStridedOp>("as_strided_.default");
  table.op<SplitWithSizesOp>("split.sizes");
  table.op<indexedMeshgrid>("meshgrid.indexing");
  table.op<symSize>("sym_size.int");
  table.op<symStride>("sym_stride.int");
  table.op<symNumel>("sym_numel.default");
  table.op<symOffset>("sym_storage_offset.default");
  table.op<symIsContiguous>("sym_is_contiguous.default");
}
