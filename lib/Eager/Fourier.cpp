//===- Fourier.cpp - Discrete Fourier transforms --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are read from where they lie, several at a time (FourierTransform.h), transformed in
// double precision, and rounded once when they are written. Elements between several
// dimensions stay in double precision.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "FourierTransform.h"
#include "Operators.h"
#include "Views.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

namespace {
/// Lines along a dimension of a tensor: where each begins, in elements.
struct Lines {
  Lines(const Tensor &tensor, int64_t dim)
      : length(tensor.size(dim)), step(tensor.strides()[dim]) {
    Ints index(tensor.sizes().size(), 0);
    begins.reserve(size_t(std::max<int64_t>(tensor.numel() / std::max<int64_t>(length, 1), 0)));
    if (tensor.numel() == 0)
      return;
    for (int64_t begin = 0;;) {
      begins.push_back(begin);
      int64_t d = tensor.rank() - 1;
      for (; d >= 0; --d) {
        if (d == dim)
          continue;
        begin += tensor.strides()[d];
        if (++index[d] < tensor.size(d))
          break;
        begin -= index[d] * tensor.strides()[d];
        index[d] = 0;
      }
      if (d < 0)
        return;
    }
  }

  int64_t length, step;
  Ints begins;
};

/// What lies in a tensor along the lines that are transformed.
enum class Content {
  Whole, ///< all elements
  Half   ///< the first half of them: the others are their conjugates
};
} // namespace

static double realPart(double x) { return x; }
static double realPart(CDouble x) { return x.real(); }
static double imaginaryPart(double) { return 0; }
static double imaginaryPart(CDouble x) { return x.imag(); }

/// Makes an element of `re` and `im`, rounded.
template <typename T> static T makeElement(double re, double im) {
  if constexpr (std::is_floating_point_v<T>)
    return T(re);
  else
    return T(typename T::value_type(re), typename T::value_type(im));
}

namespace {
/// The lines that are transformed together: the last one again where there are fewer.
template <typename V> class Group {
public:
  static constexpr size_t kLines = sizeof(V) / sizeof(double);

  Group(const Lines &lines, size_t first) {
    for (size_t k = 0; k < kLines; ++k) {
      begins[k] = lines.begins[std::min(first + k, lines.begins.size() - 1)];
      isDense &= begins[k] == begins[0] + int64_t(k);
    }
  }

  /// Calls `body(lane, place)` for element `at` of each line.
  template <typename F> void visit(int64_t at, F body) const {
    if (isDense) // neighbours, in vectors
      for (size_t k = 0; k < kLines; ++k)
        body(k, begins[0] + at + int64_t(k));
    else
      for (size_t k = 0; k < kLines; ++k)
        body(k, begins[k] + at);
  }

private:
  int64_t begins[kLines];
  bool isDense = true;
};
} // namespace

/// Elements of a group of lines of `source`.
template <typename T, typename V>
static void readGroup(const T *source, const Lines &lines,
                      const Group<V> &group, FourierTile<V> &tile) {
  for (int64_t j = 0; j < lines.length; ++j) {
    // A vector is as many numbers in memory.
    auto *re = reinterpret_cast<double *>(&tile.re[size_t(j)]);
    auto *im = reinterpret_cast<double *>(&tile.im[size_t(j)]);
    group.visit(j * lines.step, [&](size_t k, int64_t at) {
      re[k] = realPart(source[at]);
      im[k] = imaginaryPart(source[at]);
    });
  }
}

template <typename T, typename V>
static void writeGroup(T *target, const Lines &lines, const Group<V> &group,
                       const FourierTile<V> &tile, double scale) {
  for (int64_t j = 0; j < lines.length; ++j) {
    auto *re = reinterpret_cast<const double *>(&tile.re[size_t(j)]);
    auto *im = reinterpret_cast<const double *>(&tile.im[size_t(j)]);
    group.visit(j * lines.step, [&](size_t k, int64_t at) {
      target[at] = makeElement<T>(re[k] * scale, im[k] * scale);
    });
  }
}

/// The second half of lines of `length` elements: conjugates of the first. What is its own
/// conjugate is real.
template <typename V>
static void completeHalf(FourierTile<V> &tile, size_t length) {
  for (size_t j = length / 2 + 1; j < length; ++j) {
    tile.re[j] = tile.re[length - j];
    tile.im[j] = -tile.im[length - j];
  }
  tile.im[0] = V{};
  if (length % 2 == 0)
    tile.im[length / 2] = V{};
}

/// Transforms lines of `length` elements of `from` along `dim`, into those of `to`, which may
/// have fewer: the first ones. As many lines together as `V` has.
template <typename V, typename From, typename To>
static void transformGroups(const Tensor &from, const Tensor &to, int64_t dim,
                            size_t length, bool forward, double scale,
                            Content content) {
  Lines source(from, dim), target(to, dim);
  auto transform = FourierTransform::get(length, forward);
  FourierTile<V> tile, work;
  // What is behind half of a line is made of it.
  source.length =
      int64_t(content == Content::Half ? length / 2 + 1 : length);
  for (size_t first = 0; first < target.begins.size();
       first += Group<V>::kLines) {
    tile.resize(length);
    readGroup(from.dataAs<const From>(), source, Group<V>(source, first), tile);
    if (content == Content::Half)
      completeHalf(tile, length);
    transform->run(tile, work);
    writeGroup(to.dataAs<To>(), target, Group<V>(target, first), tile, scale);
  }
}

template <typename From, typename To>
static void transformLines(const Tensor &from, const Tensor &to, int64_t dim,
                           size_t length, bool forward, double scale,
                           Content content) {
  bool isWide = to.numel() / to.size(dim) >= int64_t(kFourierLines / 2);
  (isWide ? transformGroups<FourierLanes, From, To>
          : transformGroups<double, From, To>)(from, to, dim, length, forward,
                                               scale, content);
}

/// The same for tensors of any of the types that transforms have.
static void transformAlong(const Tensor &from, const Tensor &to, int64_t dim,
                           size_t length, bool forward, double scale,
                           Content content = Content::Whole) {
  if (from.numel() == 0)
    return;
  auto into = [&](auto source) {
    using From = decltype(source);
    switch (to.dtype()) {
    case DType::F32:
      return transformLines<From, float>(from, to, dim, length, forward, scale, content);
    case DType::F64:
      return transformLines<From, double>(from, to, dim, length, forward, scale, content);
    case DType::C64:
      return transformLines<From, CFloat>(from, to, dim, length, forward, scale, content);
    default:
      return transformLines<From, CDouble>(from, to, dim, length, forward, scale, content);
    }
  };
  switch (from.dtype()) {
  case DType::F32:
    return into(float());
  case DType::F64:
    return into(double());
  case DType::C64:
    return into(CFloat());
  default:
    return into(CDouble());
  }
}

static Ints fftDims(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints dims = args.ints(1);
  for (int64_t &dim : dims)
    dim = wrapDim(dim, x.rank());
  require(!dims.empty() && x.rank() > 0, {"expected at least one dimension"});
  return dims;
}

/// 0: none, 1: by the root of the size, 2: by the size.
static double fftScale(int64_t normalization, const Ints &sizes,
                       const Ints &dims) {
  double count = 1;
  for (int64_t dim : dims)
    count *= double(sizes[dim]);
  require(normalization >= 0 && normalization <= 2,
          {"expected normalization 0, 1 or 2, found ", normalization});
  return normalization == 0   ? 1
         : normalization == 1 ? 1 / std::sqrt(count)
                              : 1 / count;
}

/// Transforms along `dims`, one after the other, and scales; of type `last` if there are any.
static Tensor transformDims(Tensor x, const Ints &dims, bool forward, double scale, DType last) {
  for (size_t k = 0; k < dims.size(); ++k) {
    bool isLast = k + 1 == dims.size();
    Tensor result = empty(isLast ? last : DType::C128, x.sizes());
    transformAlong(x, result, dims[k], size_t(x.size(dims[k])), forward,
                   isLast ? scale : 1);
    x = result;
  }
  return x;
}

/// Schema: self, dim, normalization, forward.
static Values fftComplex(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() == DType::C64 || x.dtype() == DType::C128,
          {"expected c64 or c128, found ", x});
  if (args.ints(1).empty())
    return {take(x.clone())};
  Ints dims = fftDims(args);
  return {transformDims(x, dims, args.flag(3),
                        fftScale(args.integer(2), x.sizes(), dims), x.dtype())};
}
/// Schema: self, dim, normalization, onesided.
static Values fftReal(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() == DType::F32 || x.dtype() == DType::F64,
          {"expected f32 or f64, found ", x});
  Ints dims = fftDims(args), sizes = x.sizes();
  double scale = fftScale(args.integer(2), x.sizes(), dims);
  // The last dimension first: of half of what it gives the others are half the work.
  int64_t last = dims.back(), length = x.size(last);
  dims.pop_back();
  require(length >= 1, {"expected lines of elements, found ", x});
  if (args.flag(3))
    sizes[last] = length / 2 + 1;
  DType type = complexDType(x.dtype());
  Tensor half = empty(dims.empty() ? type : DType::C128, sizes);
  transformAlong(x, half, last, size_t(length), /*forward=*/true,
                 dims.empty() ? scale : 1);
  return {transformDims(half, dims, /*forward=*/true, scale, type)};
}
/// The last of `dim` is half of a Hermitian line. Schema: self, dim,
/// normalization, last_dim_size.
static Values fftToReal(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() == DType::C64 || x.dtype() == DType::C128,
          {"expected c64 or c128, found ", x});
  Ints dims = fftDims(args), sizes = x.sizes();
  int64_t last = dims.back(), length = args.integer(3);
  require(length >= 1 && x.size(last) >= length / 2 + 1,
          {"a line of ", length, " needs half of it, found ", x});
  sizes[last] = length;
  double scale = fftScale(args.integer(2), sizes, dims);
  dims.pop_back();
  Tensor half = transformDims(x, dims, /*forward=*/false, 1, DType::C128);
  Tensor result = empty(realDType(x.dtype()), sizes);
  transformAlong(half, result, last, size_t(length), /*forward=*/false, scale, Content::Half);
  return {result};
}

void eager::addFourierOperators(Table &table) {
  table.op<fftComplex>("_fft_c2c.default");
  table.op<fftReal>("_fft_r2c.default");
  table.op<fftToReal>("_fft_c2r.default");
}
