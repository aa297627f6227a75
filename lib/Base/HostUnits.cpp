//===- HostUnits.cpp - What this machine multiplies fastest ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/HostUnits.h"

#include <algorithm>
#include <chrono>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace kiln;

/// Chains side by side, more than there are multiply-adds on their way, and steps of
/// each: about two microseconds.
static constexpr int kChains = 24, kSteps = 200;
/// Pieces of each unit, of which the fastest was not interrupted.
static constexpr int kPieces = 25;
/// How much more a unit must do than multiply-adds of f32, since its operands take
/// more work to pack. What processors have is half as much, twice as much, or more.
static constexpr double kWorth = 1.4;

/// Multiply-adds of one call.
using Work = double (*)(float *sink);

__attribute__((target("avx512f"))) static double multiplyFloats(float *sink) {
  __m512 sums[kChains];
  __m512 x = _mm512_set1_ps(0.5f);
  for (__m512 &sum : sums)
    sum = x;
  for (int i = 0; i < kSteps; ++i)
    for (__m512 &sum : sums) {
      sum = _mm512_fmadd_ps(sum, x, x);
      asm volatile("" : "+v"(sum)); // as a register, in this order
    }
  for (__m512 &sum : sums)
    *sink += _mm512_cvtss_f32(sum);
  return 16.0 * kChains * kSteps;
}

__attribute__((target("avx512f,avx512bf16"))) static double
multiplyPairs(float *sink) {
  __m512 sums[kChains];
  auto x = (__m512bh)_mm512_set1_epi16(0x3f00); // 0.5
  for (__m512 &sum : sums)
    sum = _mm512_set1_ps(0.5f);
  for (int i = 0; i < kSteps; ++i)
    for (__m512 &sum : sums) {
      sum = _mm512_dpbf16_ps(sum, x, x);
      asm volatile("" : "+v"(sum));
    }
  for (__m512 &sum : sums)
    *sink += _mm512_cvtss_f32(sum);
  return 32.0 * kChains * kSteps;
}

__attribute__((target("amx-tile,amx-bf16"))) static double
multiplyTiles(float *sink) {
  alignas(64) unsigned char shape[64] = {1}; // palette 1
  for (int tile = 0; tile < 8; ++tile) {
    shape[16 + 2 * tile] = 64;
    shape[48 + tile] = 16;
  }
  _tile_loadconfig(shape);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  constexpr int steps = kSteps / 4;
  for (int i = 0; i < steps; ++i) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 5);
    _tile_dpbf16ps(2, 4, 5);
    _tile_dpbf16ps(3, 4, 5);
  }
  float sums[256];
  _tile_stored(0, sums, 64);
  _tile_release();
  *sink += sums[0];
  return 16.0 * 16 * 32 * 4 * steps;
}

namespace {
/// A unit that is tried, and the most that it did in a second.
struct TriedUnit {
  BF16Unit unit;
  Work work;
  double factor; ///< that its rate counts with
  double best = 0;
};
} // namespace

static void tryPiece(TriedUnit &tried, float *sink) {
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  double done = tried.work(sink);
  std::chrono::duration<double> spent = Clock::now() - begin;
  tried.best = std::max(tried.best,
                        tried.factor * done / std::max(spent.count(), 1e-9));
}

/// Linux lets processes use the registers of AMX that ask for them.
static bool isLetUseTiles() {
  constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr unsigned long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

static BF16Unit tryUnits() {
  __builtin_cpu_init();
  std::vector<TriedUnit> units = {{BF16Unit::Fma, multiplyFloats, kWorth}};
  if (!__builtin_cpu_supports("avx512f"))
    return BF16Unit::Fma;
  if (__builtin_cpu_supports("avx512bf16"))
    units.push_back({BF16Unit::Pairs, multiplyPairs, 1});
  if (__builtin_cpu_supports("amx-tile") &&
      __builtin_cpu_supports("amx-bf16") && isLetUseTiles())
    units.push_back({BF16Unit::Tiles, multiplyTiles, 1});
  if (units.size() == 1)
    return BF16Unit::Fma;
  // By turns: what slows the machine down slows all of them.
  float sink = 0;
  for (int piece = 0; piece < kPieces; ++piece)
    for (TriedUnit &tried : units)
      tryPiece(tried, &sink);
  asm volatile("" : : "x"(sink));
  auto slower = [](const TriedUnit &a, const TriedUnit &b) {
    return a.best < b.best;
  };
  return std::max_element(units.begin(), units.end(), slower)->unit;
}

const char *kiln::getName(BF16Unit unit) {
  switch (unit) {
  case BF16Unit::Fma:
    return "fma";
  case BF16Unit::Pairs:
    return "pairs";
  case BF16Unit::Tiles:
    break;
  }
  return "tiles";
}

BF16Unit kiln::getFastestUnit() {
  // Asked again, the answer is the same.
  static const BF16Unit unit = tryUnits();
  return unit;
}
