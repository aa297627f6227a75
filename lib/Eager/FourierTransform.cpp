//===- FourierTransform.cpp - Transforms of several lines side by side ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A length is taken apart into factors of 4, 2 and odd primes, one pass over the data for each
// (Stockham's order, which needs no permutation: C. Van Loan, "Computational Frameworks for the
// Fast Fourier Transform", 1992). Lengths with a prime factor that is large are convolutions of
// a length that is a power of two (L. Bluestein, 1970). Lanes are lines, so no pass shuffles; of
// one line they are the neighbours that each pass makes more of.
//
//===----------------------------------------------------------------------===//

#include "FourierTransform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

using namespace kiln;
using namespace kiln::eager;

using Complex = std::complex<double>;
using Pass = FourierTransform::Pass;

/// From such a prime factor on a convolution is faster.
static constexpr size_t kLargeFactor = 48;
/// Transforms that are kept, and how long each may be.
static constexpr size_t kKept = 16, kKeptLength = 1 << 14;

/// Code that is compiled again for each kind of processor that calls it.
#define KILN_INLINE static inline __attribute__((always_inline))

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

FourierTransform::FourierTransform(size_t length, bool forward)
    : length(length) {
  auto unit = [&](size_t k, size_t of) {
    return std::polar(1.0,
                      (forward ? -2 : 2) * M_PI * double(k % of) / double(of));
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
  FourierTile<double> tile, work;
  tile.resize(size);
  for (size_t k = 0; k < length; ++k) {
    Complex inverse = std::conj(chirp[k]) / double(size);
    for (size_t at : {k, (size - k) % size}) {
      tile.re[at] = inverse.real();
      tile.im[at] = inverse.imag();
    }
  }
  padded[0].run(tile, work);
  for (size_t k = 0; k < size; ++k)
    filter.push_back({tile.re[k], tile.im[k]});
}

std::shared_ptr<const FourierTransform> FourierTransform::get(size_t length,
                                                              bool forward) {
  struct Kept {
    size_t length = 0;
    bool forward = false;
    std::shared_ptr<const FourierTransform> transform;
  };
  static std::mutex mutex;
  static std::array<Kept, kKept> kept; // the last one that was asked for first
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept &one) {
      return one.transform && one.length == length && one.forward == forward;
    });
    if (found != kept.end()) {
      std::rotate(kept.begin(), found, found + 1);
      return kept.front().transform;
    }
  }
  auto made = std::make_shared<const FourierTransform>(length, forward);
  if (length <= kKeptLength) {
    std::lock_guard<std::mutex> lock(mutex);
    std::rotate(kept.begin(), kept.end() - 1, kept.end());
    kept.front() = {length, forward, made};
  }
  return made;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// Where a pass reads and writes: `inner` neighbours belong to each element.
template <typename V> struct Places {
  const V *__restrict xr, *__restrict xi;
  V *__restrict yr, *__restrict yi;
  size_t inner;
};
} // namespace

template <typename V>
KILN_INLINE void runTwo(const Pass &pass, const Places<V> &at) {
  size_t step = at.inner * pass.parts;
  for (size_t k = 0; k < pass.parts; ++k) {
    double tr = pass.twiddles[2 * k + 1].real(),
           ti = pass.twiddles[2 * k + 1].imag();
    for (size_t q = 0; q < at.inner; ++q) {
      size_t from = at.inner * k + q, to = 2 * at.inner * k + q;
      V ar = at.xr[from], ai = at.xi[from];
      V br = at.xr[from + step], bi = at.xi[from + step];
      V dr = ar - br, di = ai - bi;
      at.yr[to] = ar + br;
      at.yi[to] = ai + bi;
      at.yr[to + at.inner] = dr * tr - di * ti;
      at.yi[to + at.inner] = dr * ti + di * tr;
    }
  }
}

template <typename V>
KILN_INLINE void runFour(const Pass &pass, const Places<V> &at) {
  size_t step = at.inner * pass.parts;
  // A quarter turn is i or -i.
  double turn = pass.roots[1].imag();
  for (size_t k = 0; k < pass.parts; ++k) {
    const Complex *t = pass.twiddles.data() + 4 * k;
    double t1r = t[1].real(), t1i = t[1].imag(), t2r = t[2].real(),
           t2i = t[2].imag(), t3r = t[3].real(), t3i = t[3].imag();
    for (size_t q = 0; q < at.inner; ++q) {
      size_t from = at.inner * k + q, to = 4 * at.inner * k + q;
      V ar = at.xr[from], ai = at.xi[from];
      V br = at.xr[from + step], bi = at.xi[from + step];
      V cr = at.xr[from + 2 * step], ci = at.xi[from + 2 * step];
      V dr = at.xr[from + 3 * step], di = at.xi[from + 3 * step];
      V evenR = ar + cr, evenI = ai + ci, oddR = ar - cr, oddI = ai - ci;
      V sumR = br + dr, sumI = bi + di;
      V turnedR = (di - bi) * turn, turnedI = (br - dr) * turn;
      at.yr[to] = evenR + sumR;
      at.yi[to] = evenI + sumI;
      V ur = oddR + turnedR, ui = oddI + turnedI;
      at.yr[to + at.inner] = ur * t1r - ui * t1i;
      at.yi[to + at.inner] = ur * t1i + ui * t1r;
      V vr = evenR - sumR, vi = evenI - sumI;
      at.yr[to + 2 * at.inner] = vr * t2r - vi * t2i;
      at.yi[to + 2 * at.inner] = vr * t2i + vi * t2r;
      V wr = oddR - turnedR, wi = oddI - turnedI;
      at.yr[to + 3 * at.inner] = wr * t3r - wi * t3i;
      at.yi[to + 3 * at.inner] = wr * t3i + wi * t3r;
    }
  }
}

/// Parts j and factor - j have conjugate roots: their sum is multiplied by a cosine and their
/// difference by a sine, for two results.
template <size_t most, typename V>
KILN_INLINE void runOdd(const Pass &pass, const Places<V> &at) {
  size_t factor = pass.factor, half = factor / 2, step = at.inner * pass.parts;
  for (size_t k = 0; k < pass.parts; ++k) {
    const Complex *t = pass.twiddles.data() + factor * k;
    for (size_t q = 0; q < at.inner; ++q) {
      size_t from = at.inner * k + q, to = factor * at.inner * k + q;
      V firstR = at.xr[from], firstI = at.xi[from];
      V sumR[most], sumI[most], restR[most], restI[most];
      V allR = firstR, allI = firstI;
      for (size_t j = 1; j <= half; ++j) {
        size_t one = from + j * step, other = from + (factor - j) * step;
        sumR[j - 1] = at.xr[one] + at.xr[other];
        sumI[j - 1] = at.xi[one] + at.xi[other];
        restR[j - 1] = at.xr[one] - at.xr[other];
        restI[j - 1] = at.xi[one] - at.xi[other];
        allR += sumR[j - 1];
        allI += sumI[j - 1];
      }
      at.yr[to] = allR;
      at.yi[to] = allI;
      for (size_t r = 1; r <= half; ++r) {
        V evenR = firstR, evenI = firstI, oddR = {}, oddI = {};
        for (size_t j = 1, root = r; j <= half; ++j) {
          double c = pass.roots[root].real(), s = pass.roots[root].imag();
          evenR += sumR[j - 1] * c;
          evenI += sumI[j - 1] * c;
          oddR -= restI[j - 1] * s;
          oddI += restR[j - 1] * s;
          root += r;
          root -= root >= factor ? factor : 0;
        }
        V ur = evenR + oddR, ui = evenI + oddI, vr = evenR - oddR,
          vi = evenI - oddI;
        double tr = t[r].real(), ti = t[r].imag();
        at.yr[to + r * at.inner] = ur * tr - ui * ti;
        at.yi[to + r * at.inner] = ur * ti + ui * tr;
        tr = t[factor - r].real(), ti = t[factor - r].imag();
        at.yr[to + (factor - r) * at.inner] = vr * tr - vi * ti;
        at.yi[to + (factor - r) * at.inner] = vr * ti + vi * tr;
      }
    }
  }
}

template <typename V>
KILN_INLINE void runPass(const Pass &pass, const Places<V> &at) {
  if (pass.factor == 4)
    return runFour(pass, at);
  if (pass.factor == 2)
    return runTwo(pass, at);
  if (pass.factor < 8)
    return runOdd<3>(pass, at);
  runOdd<kLargeFactor / 2>(pass, at);
}

// The same in the instructions of a processor.
template <typename V>
static void runBaseline(const Pass &pass, const Places<V> &at) {
  runPass(pass, at);
}
#ifdef __x86_64__
template <typename V>
__attribute__((target("avx2,fma"))) static void run256(const Pass &pass,
                                                       const Places<V> &at) {
  runPass(pass, at);
}
template <typename V>
__attribute__((target("avx512f"))) static void run512(const Pass &pass,
                                                      const Places<V> &at) {
  runPass(pass, at);
}
#endif

template <typename V> static auto chooseCode() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    return run512<V>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return run256<V>;
#endif
  return runBaseline<V>;
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// Multiplies elements of `tile` by as many `factors`.
template <typename V>
static void multiply(FourierTile<V> &tile, const std::vector<Complex> &factors) {
  for (size_t k = 0; k < factors.size(); ++k) {
    V re = tile.re[k], im = tile.im[k];
    tile.re[k] = re * factors[k].real() - im * factors[k].imag();
    tile.im[k] = re * factors[k].imag() + im * factors[k].real();
  }
}

template <typename V>
void FourierTransform::convolve(FourierTile<V> &data,
                                FourierTile<V> &work) const {
  multiply(data, chirp);
  data.resize(filter.size()); // with zeros behind the line
  padded[0].run(data, work);
  multiply(data, filter);
  padded[1].run(data, work);
  data.resize(length);
  multiply(data, chirp);
}

template <typename V>
void FourierTransform::run(FourierTile<V> &data, FourierTile<V> &work) const {
  if (!chirp.empty())
    return convolve(data, work);
  static const auto runCode = chooseCode<V>();
  work.resize(length);
  size_t inner = 1;
  for (const Pass &pass : passes) {
    runCode(pass, {data.re.data(), data.im.data(), work.re.data(),
                   work.im.data(), inner});
    data.swap(work);
    inner *= pass.factor;
  }
}

template void FourierTransform::run(FourierTile<double> &,
                                    FourierTile<double> &) const;
template void FourierTransform::run(FourierTile<FourierLanes> &,
                                    FourierTile<FourierLanes> &) const;
