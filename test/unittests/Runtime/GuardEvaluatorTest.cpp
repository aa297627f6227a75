//===- GuardEvaluatorTest.cpp - Every guard and its sentence -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Runtime/GuardEvaluator.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

/// x : f32[s0, 4], k : number, y : f32[4]; guards are added by the tests.
class Guards : public testing::Test {
protected:
  void SetUp() override {
    ProgramBuilder b;
    b.sizeSymbol("s0", 0, 0, 2, 64);
    ExprId rows = b.symbol(0);
    ExprId four = b.integer(4);
    b.slot("x", {rows, four});
    b.slot("k", {});
    b.program.slots[1].isTensor = false;
    b.slot("y", {four});
    package.programs.push_back(b.program);
  }

  Guard &add(kiln_guard_kind kind, uint32_t slot, int64_t value = 0,
             uint32_t dim = 0) {
    Guard guard;
    guard.kind = kind;
    guard.slot = slot;
    guard.value = value;
    guard.dim = dim;
    package.guards.push_back(guard);
    return package.guards.back();
  }

  /// The failure, or "" if all guards hold.
  std::string check(const std::vector<OpValue> &inputs) {
    std::string failure;
    bool ok = GuardTable(package).check(inputs, failure);
    EXPECT_EQ(ok, failure.empty());
    return failure;
  }

  Tensor x = floats({8, 4}, std::vector<float>(32));
  Tensor y = floats({4}, std::vector<float>(4));
  Package package;
};

} // namespace

TEST_F(Guards, SlotsAreChecked) {
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  EXPECT_EQ(check({x, int64_t(3)}), "expected 3 inputs, found 2");
  EXPECT_EQ(check({x, int64_t(3), floats({5}, {1, 2, 3, 4, 5})}),
            "tensor 'y' size mismatch at index 0. expected 4, actual 5");
  EXPECT_EQ(check({x, int64_t(3), *Tensor::empty(DType::F64, {4})}),
            "tensor 'y' dtype mismatch. expected Float, actual Double");
  EXPECT_EQ(check({x, int64_t(3), floats({4, 1}, {1, 2, 3, 4})}),
            "tensor 'y' rank mismatch. expected 1, actual 2");
  EXPECT_EQ(check({x, int64_t(3), 2.5}),
            "expected 'y' to be a tensor, but found a float");
  EXPECT_EQ(check({x, int64_t(3), OpValue()}),
            "expected 'y' to be a tensor, but found nothing");
}

TEST_F(Guards, SymbolsStayInRange) {
  EXPECT_EQ(check({floats({1, 4}, {1, 2, 3, 4}), int64_t(3), y}),
            "size of 'x' at index 0 is out of range. expected 's0' to be 2 to "
            "64, actual 1");
  package.programs[0].symbols[0].scale = 3;
  package.programs[0].symbols[0].offset = 1;
  package.programs[0].symbols[0].min = 0;
  EXPECT_EQ(check({x, int64_t(3), y}),
            "size of 'x' at index 0 mismatch. expected 1 plus a multiple of "
            "3, actual 8");
}

TEST_F(Guards, StaticGuards) {
  add(KILN_GUARD_SIZE, 0, 8, 0);
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  EXPECT_EQ(check({floats({16, 4}, std::vector<float>(64)), int64_t(3), y}),
            "tensor 'x' size mismatch at index 0. expected 8, actual 16");
}

TEST_F(Guards, Values) {
  add(KILN_GUARD_SCALAR_VALUE, 1).constant = int64_t(3);
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  EXPECT_EQ(check({x, int64_t(4), y}),
            "value of 'k' mismatch. expected 3, actual 4");
  EXPECT_EQ(check({x, 3.0, y}), "value of 'k' mismatch. expected 3, actual 3");
  EXPECT_EQ(check({x, std::string("a"), y}),
            "value of 'k' mismatch. expected 3, actual 'a'");
}

TEST_F(Guards, Relations) {
  ProgramBuilder b;
  b.program = package.programs[0];
  ExprId even = b.expr(ExprBuilder().symbol(0).integer(2).op(KILN_EXPR_MOD)
                           .integer(0).op(KILN_EXPR_EQ).build());
  ExprId half = b.expr(
      ExprBuilder().symbol(0).integer(2).op(KILN_EXPR_FLOORDIV).build());
  ExprId broken = b.expr(
      ExprBuilder().symbol(0).integer(0).op(KILN_EXPR_FLOORDIV).build());
  package.programs[0] = b.program;
  add(KILN_GUARD_EXPR, 0).expr = even;
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  Tensor odd = floats({7, 4}, std::vector<float>(28));
  EXPECT_EQ(check({odd, int64_t(3), y}),
            "guard 's0 % 2 == 0' does not hold with s0 = 7");
  package.guards[0].text = "Mod(s0, 2) == 0";
  EXPECT_EQ(check({odd, int64_t(3), y}),
            "guard 'Mod(s0, 2) == 0' does not hold with s0 = 7");
  EXPECT_EQ(check({OpValue(), int64_t(3), y}),
            "expected 'x' to be a tensor, but found nothing");
  Guard &size = add(KILN_GUARD_SIZE_EXPR, 2);
  size.expr = half;
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  Tensor ten = floats({10, 4}, std::vector<float>(40));
  EXPECT_EQ(check({ten, int64_t(3), y}),
            "tensor 'y' size mismatch at index 0. expected 5, actual 4");
  package.guards[0].text.clear();
  package.guards[0].expr = broken;
  EXPECT_EQ(check({x, int64_t(3), y}),
            "guard 's0//0' does not hold (division by zero) with s0 = 8");
}

TEST_F(Guards, WhatIsWrittenHasMemoryOfItsOwn) {
  add(KILN_GUARD_NO_ALIAS, 0);
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  const std::string shared =
      "tensors 'x' and 'y' share memory, and the program writes to 'x'. expected "
      "memory of its own, such as a copy";
  EXPECT_EQ(check({x, int64_t(3), x.asStrided({4}, {1}, 28)}), shared);
  // The first four of 48 and eight rows of four behind them.
  Tensor all = floats({48}, std::vector<float>(48));
  Tensor rows = all.asStrided({8, 4}, {4, 1}, 16);
  EXPECT_EQ(check({rows, int64_t(3), all.asStrided({4}, {1}, 12)}), "");
  EXPECT_EQ(check({rows, int64_t(3), all.asStrided({4}, {1}, 13)}), shared);
  // Other storages of the same memory.
  auto same = Storage::borrow(rows.data(), 16, nullptr, /*readOnly=*/false);
  auto view = Tensor::view(same, DType::F32, {4}, {1}, 0);
  ASSERT_TRUE(view);
  EXPECT_EQ(check({rows, int64_t(3), *view}), shared);
  // Columns of one array that have no element in common, and that have.
  Tensor left = all.asStrided({8, 4}, {6, 1}, 0);
  EXPECT_EQ(check({left, int64_t(3), all.asStrided({4}, {6}, 4)}), "");
  EXPECT_EQ(check({left, int64_t(3), all.asStrided({4}, {6}, 5)}), "");
  EXPECT_EQ(check({all.asStrided({8, 4}, {6, 1}, 2), int64_t(3),
                   all.asStrided({4}, {6}, 7)}),
            "");
  EXPECT_EQ(check({left, int64_t(3), all.asStrided({4}, {6}, 3)}), shared);
  EXPECT_EQ(check({all.asStrided({8, 4}, {6, 1}, 2), int64_t(3),
                   all.asStrided({4}, {6}, 8)}),
            shared);
  EXPECT_EQ(check({left, int64_t(3), all.asStrided({4}, {7}, 4)}), shared);
}

/// Contiguous pieces of one array, at places that a generator gives, some
/// within others and some empty: each of them as the one that is written, with
/// all others.
TEST_F(Guards, OfManyTensorsTheFirstThatOverlapsIsFound) {
  constexpr int64_t kTensors = 24;
  Tensor all = floats({256}, std::vector<float>(256));
  uint32_t state = 7;
  auto draw = [&](uint32_t end) {
    state = state * 1664525u + 1013904223u;
    return int64_t((state >> 16) % end);
  };
  for (int round = 0; round < 20; ++round) {
    ProgramBuilder b;
    b.sizeSymbol("s0", 0, 0, 0, 256);
    std::vector<std::pair<int64_t, int64_t>> pieces;
    std::vector<OpValue> inputs;
    for (int64_t k = 0; k < kTensors; ++k) {
      int64_t begin = draw(240), size = k % 9 == 8 ? 0 : 1 + draw(k ? 8 : 200);
      pieces.emplace_back(begin, std::min<int64_t>(begin + size, 256));
      size = pieces.back().second - begin;
      b.slot("t" + std::to_string(k), {b.integer(size)});
      inputs.push_back(all.asStrided({size}, {1}, begin));
    }
    package = {};
    package.programs.push_back(b.program);
    for (int64_t written = 0; written < kTensors; ++written) {
      package.guards.clear();
      add(KILN_GUARD_NO_ALIAS, written);
      std::string expected;
      for (int64_t k = 0; k < kTensors && expected.empty(); ++k) {
        auto [begin, end] = pieces[k];
        auto [first, last] = pieces[written];
        if (k != written && begin < end && first < last && begin < last &&
            first < end)
          expected = "tensors 't" + std::to_string(written) + "' and 't" +
                     std::to_string(k) + "' share memory, and the program " +
                     "writes to 't" + std::to_string(written) +
                     "'. expected memory of its own, such as a copy";
      }
      EXPECT_EQ(check(inputs), expected);
    }
  }
}

TEST_F(Guards, StridesAreThoseOfTheCapture) {
  Guard &rows = add(KILN_GUARD_STRIDE, 0, 0, 0);
  rows.expr = package.programs[0].exprs.size();
  package.programs[0].exprs.push_back(ExprBuilder().integer(4).build());
  Guard &columns = add(KILN_GUARD_STRIDE, 0, 0, 1);
  columns.expr = package.programs[0].exprs.size();
  package.programs[0].exprs.push_back(ExprBuilder().integer(1).build());
  EXPECT_EQ(check({x, int64_t(3), y}), "");
  EXPECT_EQ(check({x.asStrided({8, 4}, {1, 8}, 0), int64_t(3), y}),
            "tensor 'x' stride mismatch at index 0. expected 4, actual 1");
  EXPECT_EQ(check({x.asStrided({4, 4}, {4, 2}, 0), int64_t(3), y}),
            "tensor 'x' stride mismatch at index 1. expected 1, actual 2");
  // Of symbols, and where nothing is stepped along.
  package.guards[0].expr = package.programs[0].exprs.size();
  package.programs[0].exprs.push_back(ExprBuilder().symbol(0).build());
  EXPECT_EQ(check({x, int64_t(3), y}),
            "tensor 'x' stride mismatch at index 0. expected 8, actual 4");
  package.programs[0].symbols[0].min = 0;
  EXPECT_EQ(check({x.asStrided({1, 4}, {77, 1}, 0), int64_t(3), y}), "");
  EXPECT_EQ(check({x.asStrided({0, 4}, {77, 3}, 0), int64_t(3), y}), "");
}

TEST_F(Guards, WeightsMayShareMemoryAsTheyWereExported) {
  package.programs[0].slots[0].kind = Slot::Kind::Buffer;
  package.programs[0].slots[2].kind = Slot::Kind::Parameter;
  add(KILN_GUARD_NO_ALIAS, 0);
  OpValue tied = x.asStrided({4}, {1}, 28);
  EXPECT_EQ(check({x, int64_t(3), tied}), "");
  package.programs[0].slots[2].kind = Slot::Kind::UserInput;
  EXPECT_NE(check({x, int64_t(3), tied}), "");
}

TEST_F(Guards, TakeFarLessThanAMicrosecond) {
  add(KILN_GUARD_SIZE, 0, 8, 0);
  add(KILN_GUARD_NO_ALIAS, 0);
  add(KILN_GUARD_EXPR, 0).expr = 0;
  GuardTable table(package);
  std::vector<OpValue> inputs = {x, int64_t(3), y};
  std::string failure;
  double best = 1e9;
  for (int attempt = 0; attempt < 10; ++attempt) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10000; ++i)
      ASSERT_TRUE(table.check(inputs, failure));
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / 10000);
  }
  std::printf("  %zu checks: %.0f ns\n", table.size(), best);
  EXPECT_LT(best, 10000);
}
