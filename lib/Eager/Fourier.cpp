//===- Fourier.cpp - Discrete Fourier transforms --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A length is taken apart into factors of 4, 2 and odd primes, one pass over the data for each
// (Stockham's order, which needs no permutation: C. Van Loan, "Computational Frameworks for the
// Fast Fourier Transform", 1992). Elements that lie behind the axis are neighbours in all
// passes, so that only the last dimension of a tensor has passes across memory. Lengths with a
// prime factor that is large are convolutions of a length that is a power of two (L. Bluestein,
// 1970). All in double precision.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"
#include "Views.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

/// From such a prime factor on a convolution is faster.
static constexpr size_t kLargeFactor = 48;

/// x * y, which is not looked at for infinities.
static inline CDouble multiply(CDouble x, CDouble y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

namespace {
/// Transforms of one length.
class Transform {
public:
  Transform(size_t length, bool forward);

  /// `data` are `length` groups of `inner` neighbours, of which each has one element of so many
  /// transforms. `work` is as long.
  void run(std::vector<CDouble> &data, std::vector<CDouble> &work, size_t inner) const;

private:
  /// Sums over the `factor` parts of a block, each times a root of the block's length.
  struct Pass {
    size_t factor, parts;
    std::vector<CDouble> roots;   ///< of the factor, to the power of an index
    std::vector<CDouble> twiddles; ///< of each part and sum
  };
  static void run(const Pass &pass, const CDouble *x, CDouble *y, size_t inner);
  static void run4(const Pass &pass, const CDouble *x, CDouble *y, size_t inner);
  void convolve(std::vector<CDouble> &data, size_t inner) const;

  size_t length;
  std::vector<Pass> passes;
  /// Of a length with a large factor: the chirp, and the transform of its inverse.
  std::vector<CDouble> chirp, filter;
  std::vector<Transform> padded; ///< forth and back, of the power of two
};
} // namespace

/// The factors of a length, the largest prime last.
static std::vector<size_t> factorize(size_t length) {
  std::vector<size_t> factors;
  auto divide = [&](size_t factor) {
    for (; length % factor == 0; length /= factor)
      factors.push_back(factor);
  };
  for (size_t factor : {4, 2, 3, 5})
    divide(factor);
  for (size_t factor = 7; factor * factor <= length; factor += 2)
    divide(factor);
  if (length > 1)
    factors.push_back(length);
  return factors;
}

Transform::Transform(size_t length, bool forward) : length(length) {
  auto unit = [&](size_t k, size_t of) {
    return std::polar(1.0, (forward ? -2 : 2) * M_PI * double(k % of) / double(of));
  };
  std::vector<size_t> factors = factorize(length);
  if (factors.empty() || factors.back() < kLargeFactor) {
    size_t n = length;
    for (size_t factor : factors) {
      Pass pass{factor, n / factor, {}, {}};
      for (size_t k = 0; k < factor; ++k)
        pass.roots.push_back(unit(k, factor));
      for (size_t k = 0; k < pass.parts; ++k)
        for (size_t r = 0; r < factor; ++r)
          pass.twiddles.push_back(unit(k * r, n));
      n = pass.parts;
      passes.push_back(std::move(pass));
    }
    return;
  }
  // k j = (k^2 + j^2 - (k - j)^2) / 2
  for (size_t k = 0; k < length; ++k)
    chirp.push_back(unit(k * k, 2 * length));
  size_t size = 1;
  while (size < 2 * length - 1)
    size *= 2;
  padded.emplace_back(size, true);
  padded.emplace_back(size, false);
  filter.resize(size);
  for (size_t k = 0; k < length; ++k)
    filter[k] = filter[(size - k) % size] = std::conj(chirp[k]) / double(size);
  std::vector<CDouble> work(size);
  padded[0].run(filter, work, 1);
}

void Transform::run4(const Pass &pass, const CDouble *x, CDouble *y, size_t inner) {
  size_t step = inner * pass.parts;
  CDouble quarter = pass.roots[1];
  for (size_t k = 0; k < pass.parts; ++k) {
    const CDouble *from = x + inner * k, *twiddles = pass.twiddles.data() + 4 * k;
    CDouble *to = y + 4 * inner * k;
    CDouble t1 = twiddles[1], t2 = twiddles[2], t3 = twiddles[3];
    for (size_t q = 0; q < inner; ++q) {
      CDouble a = from[q], b = from[q + step], c = from[q + 2 * step],
              d = from[q + 3 * step];
      CDouble even = a + c, odd = a - c, sum = b + d, turned = multiply(b - d, quarter);
      to[q] = even + sum;
      to[q + inner] = multiply(odd + turned, t1);
      to[q + 2 * inner] = multiply(even - sum, t2);
      to[q + 3 * inner] = multiply(odd - turned, t3);
    }
  }
}

void Transform::run(const Pass &pass, const CDouble *x, CDouble *y, size_t inner) {
  if (pass.factor == 4)
    return run4(pass, x, y, inner);
  size_t step = inner * pass.parts;
  for (size_t k = 0; k < pass.parts; ++k)
    for (size_t r = 0; r < pass.factor; ++r) {
      const CDouble *from = x + inner * k;
      CDouble *to = y + inner * (pass.factor * k + r);
      CDouble twiddle = pass.twiddles[pass.factor * k + r];
      for (size_t q = 0; q < inner; ++q)
        to[q] = multiply(from[q], twiddle);
      for (size_t j = 1; j < pass.factor; ++j) {
        CDouble weight = multiply(pass.roots[j * r % pass.factor], twiddle);
        for (size_t q = 0; q < inner; ++q)
          to[q] += multiply(from[q + j * step], weight);
      }
    }
}

void Transform::convolve(std::vector<CDouble> &data, size_t inner) const {
  size_t size = filter.size();
  std::vector<CDouble> line(size), work(size);
  for (size_t q = 0; q < inner; ++q) {
    std::fill(line.begin(), line.end(), CDouble());
    for (size_t k = 0; k < length; ++k)
      line[k] = multiply(data[k * inner + q], chirp[k]);
    padded[0].run(line, work, 1);
    for (size_t k = 0; k < size; ++k)
      line[k] = multiply(line[k], filter[k]);
    padded[1].run(line, work, 1);
    for (size_t k = 0; k < length; ++k)
      data[k * inner + q] = multiply(line[k], chirp[k]);
  }
}

void Transform::run(std::vector<CDouble> &data, std::vector<CDouble> &work,
                    size_t inner) const {
  if (!chirp.empty())
    return convolve(data, inner);
  for (const Pass &pass : passes) {
    run(pass, data.data(), work.data(), inner);
    data.swap(work);
    inner *= pass.factor;
  }
}

/// Lines that are transformed together where few elements lie behind the axis.
static constexpr size_t kTogether = 16;

/// Transforms along an axis of `length` behind which there are `inner` elements.
static void transformAxis(std::vector<CDouble> &values, size_t length, size_t inner,
                          bool forward) {
  if (length < 2 || values.empty())
    return;
  Transform transform(length, forward);
  size_t block = length * inner, lines = values.size() / block;
  size_t together = inner < kTogether ? std::min(lines, kTogether) : 1;
  std::vector<CDouble> data(block * together), work(block * together);
  for (size_t first = 0; first < lines; first += together) {
    size_t count = std::min(together, lines - first);
    CDouble *begin = values.data() + first * block;
    for (size_t t = 0; t < count; ++t)
      for (size_t k = 0; k < block; ++k)
        data[k * together + t] = begin[t * block + k];
    transform.run(data, work, inner * together);
    for (size_t t = 0; t < count; ++t)
      for (size_t k = 0; k < block; ++k)
        begin[t * block + k] = data[k * together + t];
  }
}

static Ints fftDims(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints dims = args.ints(1);
  for (int64_t &dim : dims)
    dim = wrapDim(dim, x.rank());
  require(!dims.empty(), {"expected at least one dimension"});
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

/// Transforms along `dims` and scales; c128 in and out.
static Tensor complexTransform(const Tensor &x, const Ints &dims, bool forward,
                               double scale) {
  auto values = readAll<CDouble>(x);
  for (int64_t dim : dims) {
    size_t inner = 1;
    for (size_t d = size_t(dim) + 1; d < x.sizes().size(); ++d)
      inner *= size_t(x.size(int64_t(d)));
    transformAxis(values, size_t(x.size(dim)), inner, forward);
  }
  for (CDouble &value : values)
    value *= scale;
  return makeTensor(DType::C128, x.sizes(), values);
}

/// Schema: self, dim, normalization, forward.
static Values fftComplex(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() == DType::C64 || x.dtype() == DType::C128,
          {"expected c64 or c128, found ", x});
  if (args.ints(1).empty())
    return {take(x.clone())};
  Ints dims = fftDims(args);
  Tensor wide = inDType(x, DType::C128);
  return {
      converted(complexTransform(wide, dims, args.flag(3),
                                 fftScale(args.integer(2), x.sizes(), dims)),
                x.dtype())};
}
/// Schema: self, dim, normalization, onesided.
static Values fftReal(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() == DType::F32 || x.dtype() == DType::F64,
          {"expected f32 or f64, found ", x});
  Ints dims = fftDims(args);
  Tensor result = complexTransform(converted(x, DType::C128), dims, true,
                                   fftScale(args.integer(2), x.sizes(), dims));
  if (args.flag(3))
    result = narrowed(result, dims.back(), 0, x.size(dims.back()) / 2 + 1);
  return {converted(result, complexDType(x.dtype()))};
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
  Tensor half = complexTransform(inDType(x, DType::C128),
                                 Ints(dims.begin(), dims.end() - 1), false,
                                 scale);
  auto in = readLines<CDouble>(half, last);
  int64_t have = x.size(last);
  std::vector<CDouble> whole;
  for (size_t begin = 0; begin < in.size(); begin += size_t(have))
    for (int64_t i = 0; i < length; ++i)
      whole.push_back(i <= length / 2
                          ? in[begin + size_t(i)]
                          : std::conj(in[begin + size_t(length - i)]));
  for (size_t begin = 0; begin < whole.size(); begin += size_t(length)) {
    whole[begin] = whole[begin].real();
    if (length % 2 == 0)
      whole[begin + size_t(length) / 2] =
          whole[begin + size_t(length) / 2].real();
  }
  transformAxis(whole, size_t(length), /*inner=*/1, /*forward=*/false);
  return {makeFromLines(realDType(x.dtype()), sizes, last, whole)};
}

void eager::addFourierOperators(Table &table) {
  table.op<fftComplex>("_fft_c2c.default");
  table.op<fftReal>("_fft_r2c.default");
  table.op<fftToReal>("_fft_c2r.default");
}
