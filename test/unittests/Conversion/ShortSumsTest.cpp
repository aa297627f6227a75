//===- ShortSumsTest.cpp - Sums of f64 whose terms are added in f32 -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns of 16 bits that a variance of two sums is hard on, as a GPU adds them up, beside
// sums of doubles; and the same numbers as rows. What is claimed here is in lib/Conversion/Numerics.md.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "kiln/Interfaces/SumMark.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

static constexpr int64_t kRows = 1003, kColumns = 16;

// What a batch norm adds up of x: elements and their squares; and of its gradient g, behind a
// mask: elements, and products with distances from m.
static const char kText[] = R"(
!x = tensor<1003x16xTYPE>
!m = tensor<16xf32>
!s = tensor<16xf64>
func.func @main(%x: !x, %g: !x, %m: !m) -> (!s, !s, !s, !s) {
  %r:4 = loop.kernel @k ins(%a = %x : !x, %b = %g : !x, %c = %m : !m) shared [16]
      -> (!s, !s, !s, !s) {
    %s = loop.reduce parallel (%j) in [16] reduction (%i) in [1003] <sum>
        attributes {kiln.short_sums} : !s {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : TYPE to f32
      %d = arith.extf %f : f32 to f64
      loop.yield %d : f64
    }
    %q = loop.reduce parallel (%j) in [16] reduction (%i) in [1003] <sum>
        SQUARES : !s {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : TYPE to f32
      %d = arith.extf %f : f32 to f64
      %p = arith.mulf %d, %d : f64
      loop.yield %p : f64
    }
    %t = loop.reduce parallel (%j) in [16] reduction (%i) in [1003] <sum>
        attributes {kiln.short_sums} : !s {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : TYPE to f32
      %h = loop.load %b[%i, %j] : !x
      %k = arith.extf %h : TYPE to f64
      %zero = arith.constant 0.0 : f32
      %wide = arith.constant 0.0 : f64
      %n = arith.cmpf ugt, %f, %zero : f32
      %v = arith.select %n, %k, %wide : f64
      loop.yield %v : f64
    }
    %u = loop.reduce parallel (%j) in [16] reduction (%i) in [1003] <sum>
        attributes {kiln.short_sums} : !s {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : TYPE to f32
      %o = loop.load %c[%j] : !m
      %y = arith.subf %f, %o : f32
      %w = arith.extf %y : f32 to f64
      %h = loop.load %b[%i, %j] : !x
      %k = arith.extf %h : TYPE to f64
      %p = arith.mulf %k, %w : f64
      loop.yield %p : f64
    }
    loop.return %s, %q, %t, %u : !s, !s, !s, !s
  }
  return %r#0, %r#1, %r#2, %r#3 : !s, !s, !s, !s
})";

namespace {

/// How numbers are added up: as columns in `parts`, `lanes` beside each other, or, without parts,
/// as rows.
struct Form {
  int64_t lanes, parts;

  bool isOfRows() const { return parts == 0; }
};

} // namespace

static std::string getText(StringRef type, bool hasShortSquares, Form form) {
  std::string text = kText;
  auto replace = [&](StringRef word, StringRef by) {
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, word.size(), by.str());
  };
  replace("TYPE", type);
  replace("SQUARES", hasShortSquares ? "attributes {kiln.short_sums}" : "");
  if (form.isOfRows()) {
    replace("1003x16x", "16x1003x");
    replace("[%i, %j]", "[%j, %i]");
  }
  return text;
}

namespace {

/// What lies in a column.
enum Column {
  Alike,      ///< around 30 by 0.1
  Negative,   ///< around -30 by 0.1
  Straddling, ///< around 32, where the exponent changes, by 0.1
  Outlier,    ///< around 30 by 0.1, but for one element of 10000
  FirstOutlier,
  Standard, ///< around 0 by 1
  Opposite, ///< 30 and -30 by turns
  Same,     ///< all of them equal
  Zeros,
  Mixed,      ///< 1000, 1000 and 0.001 by turns
  Small,      ///< around 0.01 by 0.00003
  Infinite,   ///< around 0, and an infinity
  Infinities, ///< one of either sign
  NotANumber
};

struct Columns {
  Array x, g, m;
};

} // namespace

static Columns makeColumns(Type type) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  auto element = [&](int64_t row, int64_t column) -> double {
    double part = normal(random);
    switch (column) {
    case Negative:
      return -30 + 0.1 * part;
    case Straddling:
      return 32 + 0.1 * part;
    case Outlier:
      return row == 517 ? 10000 : 30 + 0.1 * part;
    case FirstOutlier:
      return row == 0 ? 10000 : 30 + 0.1 * part;
    case Opposite:
      return row % 2 ? 30 : -30;
    case Same:
      return 29.875;
    case Zeros:
      return 0;
    case Mixed:
      return row % 3 ? 1000 : 0.001;
    case Small:
      return 0.01 + 0.00003 * part;
    case Infinite:
      return row == 700 ? INFINITY : part;
    case Infinities:
      return row == 3 ? INFINITY : row == 900 ? -INFINITY : part;
    case NotANumber:
      return row == 44 ? NAN : part;
    case Alike:
      return 30 + 0.1 * part;
    default:
      return part;
    }
  };
  Columns made;
  made.x.sizes = made.g.sizes = {kRows, kColumns};
  made.m.sizes = {kColumns};
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < kColumns; ++column) {
      made.x.elements.push_back(roundTo(type, {element(row, column), 0}));
      made.g.elements.push_back(roundTo(type, {normal(random), 0}));
    }
  for (int64_t column = 0; column < kColumns; ++column)
    made.m.elements.push_back(
        {double(float(column == Alike ? 29.9871 : 0.3)), 0});
  return made;
}

namespace {

/// Sums of doubles of a column, and what the terms' magnitudes add up to.
struct Sums {
  double x = 0, squares = 0, masked = 0, products = 0;
  double magnitudes = 0, productMagnitudes = 0;
  double deviations = 0; ///< squares of distances from the mean

  double getVariance() const {
    return squares / kRows - (x / kRows) * (x / kRows);
  }
};

} // namespace

static Sums addUp(const Columns &all, int64_t column) {
  Sums sums;
  auto at = [&](const Array &array, int64_t row) {
    return array.elements[row * kColumns + column].real;
  };
  for (int64_t row = 0; row < kRows; ++row) {
    double x = at(all.x, row), g = at(all.g, row);
    double apart = float(x) - float(all.m.elements[column].real);
    sums.x += x;
    sums.squares += x * x;
    if (!(x <= 0)) {
      sums.masked += g;
      sums.magnitudes += std::fabs(g);
    }
    double distance = double(float(apart));
    sums.products += g * distance;
    sums.productMagnitudes += std::fabs(g * distance);
  }
  for (int64_t row = 0; row < kRows; ++row)
    sums.deviations += std::pow(at(all.x, row) - sums.x / kRows, 2);
  return sums;
}

/// Rows of what are columns of `array`.
static Array transpose(const Array &array) {
  Array rows;
  rows.sizes = {kColumns, kRows};
  for (int64_t column = 0; column < kColumns; ++column)
    for (int64_t row = 0; row < kRows; ++row)
      rows.elements.push_back(array.elements[row * kColumns + column]);
  return rows;
}

static ScheduleAttr getSchedule(MLIRContext *context, Form form) {
  // More elements for a thread than a short sum has.
  if (form.isOfRows())
    return GPURowsScheduleAttr::get(context, /*threads=*/32, /*rows=*/1,
                                    form.lanes, /*steps=*/32, /*stages=*/0);
  return GPUPartsScheduleAttr::get(context, /*threads=*/32, form.lanes,
                                   form.parts, kColumns / form.lanes);
}

/// The four sums as a GPU makes them.
static std::vector<Array> run(StringRef type, bool hasShortSquares,
                              const Columns &columns, Form form) {
  auto context = makeLoopContext();
  auto module = parseSourceString<ModuleOp>(
      getText(type, hasShortSquares, form), context.get());
  if (!module)
    return {};
  module->walk([&](KernelOp kernel) {
    kernel.setScheduleAttr(getSchedule(context.get(), form));
  });
  if (!lowerToNVVM(*module))
    return {};
  auto get = [&](const Array &array) {
    return form.isOfRows() ? transpose(array) : array;
  };
  return runGrids(*module, IndexWidth::Narrow,
                  {get(columns.x), get(columns.g), columns.m}, {});
}

static void check(StringRef type, bool hasShortSquares, Form form) {
  SCOPED_TRACE(type.str() + " in " + std::to_string(form.parts));
  MLIRContext context;
  Columns columns =
      makeColumns(type == "bf16" ? Type(BFloat16Type::get(&context))
                                 : Type(Float16Type::get(&context)));
  auto found = run(type, hasShortSquares, columns, form);
  ASSERT_EQ(found.size(), 4u);
  constexpr double kTerm = kMostShortTerms * 0x1p-24;
  for (int64_t column = 0; column < kColumns; ++column) {
    SCOPED_TRACE("column " + std::to_string(column));
    Sums expected = addUp(columns, column);
    double x = found[0].elements[column].real;
    double squares = found[1].elements[column].real;
    EXPECT_NEAR(found[2].elements[column].real, expected.masked,
                kTerm * expected.magnitudes);
    if (column >= Infinite && column <= NotANumber) {
      EXPECT_EQ(std::isnan(x), std::isnan(expected.x));
      EXPECT_EQ(std::isnan(squares), std::isnan(expected.squares));
      EXPECT_FALSE(std::isfinite(squares));
      EXPECT_FALSE(std::isfinite(found[3].elements[column].real));
      continue;
    }
    EXPECT_NEAR(found[3].elements[column].real, expected.products,
                2 * kTerm * expected.productMagnitudes);
    Sums own = expected;
    own.x = x;
    own.squares = squares;
    double variance = expected.deviations / kRows;
    EXPECT_NEAR(own.getVariance(), variance,
                0x1p-16 * variance + 0x1p-48 * expected.squares / kRows);
    // All digits are there where elements are alike.
    if (column <= Straddling || column == Opposite || column == Same ||
        column == Small) {
      EXPECT_EQ(x, expected.x);
      EXPECT_EQ(squares, expected.squares);
    }
  }
}

TEST(LoopToNvvmShortSums, KeepAVarianceOfBF16) {
  check("bf16", /*hasShortSquares=*/true, {/*lanes=*/8, /*parts=*/3});
  check("bf16", /*hasShortSquares=*/true, {/*lanes=*/4, /*parts=*/1});
  check("bf16", /*hasShortSquares=*/true, {/*lanes=*/1, /*parts=*/0});
}

/// Squares of f16 have too many digits for it.
TEST(LoopToNvvmShortSums, KeepAVarianceOfF16) {
  check("f16", /*hasShortSquares=*/false, {/*lanes=*/8, /*parts=*/3});
  check("f16", /*hasShortSquares=*/false, {/*lanes=*/1, /*parts=*/0});
}

/// What is not marked has the digits of f64, which f32 would lose here.
TEST(LoopToNvvmShortSums, LeaveOthersInF64) {
  MLIRContext context;
  Columns columns = makeColumns(BFloat16Type::get(&context));
  Sums expected = addUp(columns, Mixed);
  for (Form form : {Form{/*lanes=*/8, /*parts=*/3}, Form{1, 0}}) {
    auto squaresOf = [&](bool isShort) {
      auto found = run("bf16", isShort, columns, form);
      return found.size() == 4 ? found[1].elements[Mixed].real : NAN;
    };
    EXPECT_NEAR(squaresOf(false), expected.squares, 0x1p-45 * expected.squares);
    double error = std::fabs(squaresOf(true) - expected.squares);
    EXPECT_GT(error, 0x1p-45 * expected.squares);
    EXPECT_LT(error, kMostShortTerms * 0x1p-24 * expected.squares);
  }
}
