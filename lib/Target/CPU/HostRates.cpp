//===- HostRates.cpp - What this machine multiplies fastest ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostRates.h"

#include <algorithm>
#include <chrono>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kiln::target;

/// Chains side by side, more than there are multiply-adds on their way, and steps of
/// each: about two microseconds.
static constexpr int kChains = 24, kSteps = 200;
/// Pieces, of which the fastest was not interrupted.
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

static double getRate(Work work) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  float sink = 0;
  for (int piece = 0; piece < kPieces; ++piece) {
    auto begin = Clock::now();
    double done = work(&sink);
    std::chrono::duration<double> spent = Clock::now() - begin;
    best = std::max(best, done / std::max(spent.count(), 1e-9));
  }
  asm volatile("" : : "x"(sink));
  return best;
}

/// Linux lets processes use the registers of AMX that ask for them.
static bool isLetUseTiles() {
  constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr unsigned long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

static BF16Unit tryUnits(bool hasPairs, bool hasTiles) {
  double best = kWorth * getRate(multiplyFloats);
  BF16Unit unit = BF16Unit::Fma;
  auto consider = [&](BF16Unit other, Work work) {
    if (double rate = getRate(work); rate > best) {
      best = rate;
      unit = other;
    }
  };
  if (hasPairs)
    consider(BF16Unit::Pairs, multiplyPairs);
  if (hasTiles && isLetUseTiles())
    consider(BF16Unit::Tiles, multiplyTiles);
  return unit;
}

BF16Unit kiln::target::getFastestUnit(bool hasPairs, bool hasTiles) {
  // Asked again, the answer is the same.
  static const BF16Unit unit = tryUnits(hasPairs, hasTiles);
  return unit;
}
