//===- MachineLimits.cpp - What this machine can do at most ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/MachineLimits.h"

#include "kiln/Runtime/KernelImage.h"
#include "kiln/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <immintrin.h>
#include <unistd.h>
#include <vector>

using namespace kiln;
using namespace kiln::runtime;
using Clock = std::chrono::steady_clock;

/// Repetitions, of which the fastest counts.
static constexpr int kRounds = 7, kPieces = 300;
/// Multiply-adds of a chain, and chains side by side: more than a processor has
/// multiply-adds on their way.
static constexpr int64_t kSteps = 20000;

/// Before a loop over an array whose elements are to be registers: compilers
/// that do not unroll it on their own keep them in memory, and what is measured
/// is that.
#define KILN_IN_REGISTERS _Pragma("GCC unroll 32")

//===----------------------------------------------------------------------===//
// Multiply-adds
//===----------------------------------------------------------------------===//

namespace {
/// Does `kSteps` multiply-adds in each chain and says how many operations those are.
using Multiply = double (*)(float *sink);
} // namespace

/// For processors that have nothing but what each x86-64 has.
static double multiply128(float *sink) {
  constexpr int chains = 12;
  __m128 sums[chains];
  __m128 x = _mm_set1_ps(0.999f), y = _mm_set1_ps(1e-6f);
  for (int c = 0; c < chains; ++c)
    sums[c] = _mm_set1_ps(float(c));
  for (int64_t i = 0; i < kSteps; ++i) {
    KILN_IN_REGISTERS
    for (int c = 0; c < chains; ++c) {
      sums[c] = _mm_add_ps(_mm_mul_ps(sums[c], x), y);
      asm volatile("" : "+x"(sums[c])); // as a register, in this order
    }
  }
  for (int c = 0; c < chains; ++c)
    *sink += _mm_cvtss_f32(sums[c]);
  return 2.0 * 4 * chains * double(kSteps);
}

__attribute__((target("avx2,fma"))) static double multiply256(float *sink) {
  constexpr int chains = 12;
  __m256 sums[chains];
  __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-6f);
  for (int c = 0; c < chains; ++c)
    sums[c] = _mm256_set1_ps(float(c));
  for (int64_t i = 0; i < kSteps; ++i) {
    KILN_IN_REGISTERS
    for (int c = 0; c < chains; ++c) {
      sums[c] = _mm256_fmadd_ps(sums[c], x, y);
      asm volatile("" : "+x"(sums[c])); // as a register, in this order
    }
  }
  for (int c = 0; c < chains; ++c)
    *sink += _mm256_cvtss_f32(sums[c]);
  return 2.0 * 8 * chains * double(kSteps);
}

__attribute__((target("avx512f"))) static double multiply512(float *sink) {
  constexpr int chains = 24;
  __m512 sums[chains];
  __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-6f);
  for (int c = 0; c < chains; ++c)
    sums[c] = _mm512_set1_ps(float(c));
  for (int64_t i = 0; i < kSteps; ++i) {
    KILN_IN_REGISTERS
    for (int c = 0; c < chains; ++c) {
      sums[c] = _mm512_fmadd_ps(sums[c], x, y);
      asm volatile("" : "+v"(sums[c]));
    }
  }
  for (int c = 0; c < chains; ++c)
    *sink += _mm512_cvtss_f32(sums[c]);
  return 2.0 * 16 * chains * double(kSteps);
}

__attribute__((target("avx512f,avx512bf16"))) static double
multiplyBF16(float *sink) {
  constexpr int chains = 24;
  __m512 sums[chains];
  __m512bh x = (__m512bh)_mm512_set1_epi16(0x3f00); // 0.5
  for (int c = 0; c < chains; ++c)
    sums[c] = _mm512_set1_ps(float(c));
  for (int64_t i = 0; i < kSteps; ++i) {
    KILN_IN_REGISTERS
    for (int c = 0; c < chains; ++c) {
      sums[c] = _mm512_dpbf16_ps(sums[c], x, x);
      asm volatile("" : "+v"(sums[c]));
    }
  }
  for (int c = 0; c < chains; ++c)
    *sink += _mm512_cvtss_f32(sums[c]);
  return 2.0 * 32 * chains * double(kSteps);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// The most that all threads together do in a second; `work` says how much one
/// did.
template <typename F> static double getRate(ThreadPool &pool, F work) {
  double best = 0;
  unsigned threads = pool.threads();
  std::vector<double> done(threads);
  for (int round = 0; round < kRounds; ++round) {
    auto begin = Clock::now();
    pool.parallelFor(threads, 1, [&](int64_t first, int64_t last, unsigned) {
      for (int64_t i = first; i < last; ++i)
        done[size_t(i)] = work(unsigned(i));
    });
    std::chrono::duration<double> spent = Clock::now() - begin;
    double all = 0;
    for (double part : done)
      all += part;
    best = std::max(best, all / spent.count());
  }
  return best;
}

/// The sum of what each thread does at best, all at work: short pieces, of
/// which some are not interrupted even on a machine that others use.
static double getFlops(ThreadPool &pool, Multiply multiply) {
  unsigned threads = pool.threads();
  std::vector<double> best(threads);
  pool.parallelFor(threads, 1, [&](int64_t first, int64_t last, unsigned) {
    float sink = 0;
    for (int64_t thread = first; thread < last; ++thread)
      for (int piece = 0; piece < kPieces; ++piece) {
        auto begin = Clock::now();
        double flops = multiply(&sink);
        std::chrono::duration<double> spent = Clock::now() - begin;
        best[size_t(thread)] =
            std::max(best[size_t(thread)], flops / spent.count());
      }
    asm volatile("" : : "x"(sink));
  });
  double all = 0;
  for (double rate : best)
    all += rate;
  return all;
}

namespace {
/// Memory of each thread for copies.
struct Arrays {
  Arrays(size_t bytes, unsigned threads) : from(threads), to(threads) {
    for (unsigned t = 0; t < threads; ++t) {
      from[t].assign(bytes, 1);
      to[t].assign(bytes, 2);
    }
  }
  std::vector<std::vector<char>> from, to;
};
} // namespace

static double getCopyRate(ThreadPool &pool, size_t bytes) {
  Arrays arrays(bytes, pool.threads());
  size_t repeats = std::max<size_t>((size_t(32) << 20) / bytes, 1);
  return getRate(pool, [&](unsigned t) {
    for (size_t r = 0; r < repeats; ++r) {
      std::memcpy(arrays.to[t].data(), arrays.from[t].data(), bytes);
      asm volatile("" : : "r"(arrays.to[t].data()) : "memory");
    }
    return 2.0 * double(bytes) * double(repeats);
  });
}

static double getReadRate(ThreadPool &pool, size_t bytes) {
  Arrays arrays(bytes, pool.threads());
  return getRate(pool, [&](unsigned t) {
    const auto *words =
        reinterpret_cast<const uint64_t *>(arrays.from[t].data());
    uint64_t sums[8] = {};
    for (size_t i = 0; i + 8 <= bytes / 8; i += 8) {
      KILN_IN_REGISTERS
      for (size_t k = 0; k < 8; ++k)
        sums[k] += words[i + k];
    }
    for (uint64_t sum : sums)
      asm volatile("" : : "r"(sum));
    return double(bytes);
  });
}

static std::string getProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 10, "model name") == 0)
      return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown";
}

MachineLimits runtime::describeMachine(unsigned threads) {
  MachineLimits limits;
  limits.processor = getProcessorName();
  limits.threads = threads;
  limits.l1Bytes = std::max(::sysconf(_SC_LEVEL1_DCACHE_SIZE), 0l);
  limits.l2Bytes = std::max(::sysconf(_SC_LEVEL2_CACHE_SIZE), 0l);
  limits.l3Bytes = std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), 0l);
  return limits;
}

/// The widest that a processor with these features has.
static Multiply chooseMultiply(uint32_t features) {
  if (features & KILN_CPU_AVX512)
    return multiply512;
  constexpr uint32_t needed = KILN_CPU_AVX2 | KILN_CPU_FMA;
  return (features & needed) == needed ? multiply256 : multiply128;
}

MachineLimits runtime::measureMachine(unsigned threads) {
  return measureMachine(threads, hostCpuFeatures());
}

MachineLimits runtime::measureMachine(unsigned threads, uint32_t features) {
  ThreadPool pool(threads);
  MachineLimits limits = describeMachine(pool.threads());
  limits.f32FlopsPerSecond = getFlops(pool, chooseMultiply(features));
  if (features & KILN_CPU_AVX512_BF16)
    limits.bf16FlopsPerSecond = getFlops(pool, multiplyBF16);
  // Larger than any cache that one gets a share of, and half of the second
  // cache.
  size_t large = std::max<size_t>((size_t(96) << 20) / limits.threads,
                                  4 * size_t(limits.l2Bytes));
  size_t small = limits.l2Bytes > 0 ? size_t(limits.l2Bytes) / 4 : 128 << 10;
  limits.memoryBytesPerSecond = getCopyRate(pool, large);
  limits.readBytesPerSecond = getReadRate(pool, large);
  limits.cacheBytesPerSecond = getCopyRate(pool, small);
  return limits;
}

double MachineLimits::secondsFor(double bytes, double flops) const {
  bool fits = bytes <= double(threads) * double(l2Bytes);
  double rate = fits ? cacheBytesPerSecond
                     : std::max(memoryBytesPerSecond, readBytesPerSecond);
  double moving = rate > 0 ? bytes / rate : 0;
  double computing = f32FlopsPerSecond > 0 ? flops / f32FlopsPerSecond : 0;
  return std::max(moving, computing);
}
