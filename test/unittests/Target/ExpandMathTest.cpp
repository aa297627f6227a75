//===- ExpandMathTest.cpp - The error of each math function ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles every function, runs it over dense samples and special values, and
// measures the distance to libm of the next wider type: f32 against double, f64
// against long double. KILN_MATH_TABLE=1 prints the table of
// lib/Conversion/Numerics.md.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernels.h"
#include "MathSamples.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>
#include <random>

using namespace kiln;
using namespace kiln::target;

namespace {

using Unary = Wide (*)(Wide);
using Binary = Wide (*)(Wide, Wide);

struct Function {
  const char *op;
  Unary unary;
  Binary binary;
  /// Allowed error in ulp.
  double f32Bound;
  double f64Bound;
};

Wide rsqrtWide(Wide x) { return 1 / std::sqrt(x); }
Wide exp2Wide(Wide x) { return std::exp2(x); }
Wide roundEvenWide(Wide x) { return std::nearbyint(x); }

/// NaN wins, and of two zeros the first.
Wide maximumWide(Wide x, Wide y) { return std::isnan(y) || y > x ? y : x; }
Wide minimumWide(Wide x, Wide y) { return std::isnan(y) || y < x ? y : x; }

#define KILN_UNARY(name, function, f32, f64)                                   \
  { name, [](Wide x) -> Wide { return function(x); }, nullptr, f32, f64 }
#define KILN_BINARY(name, function, f32, f64)                                  \
  {                                                                            \
    name, nullptr, [](Wide x, Wide y) -> Wide { return function(x, y); }, f32, \
        f64                                                                    \
  }

const Function kFunctions[] = {
    KILN_UNARY("math.exp", std::exp, 2, 2),
    KILN_UNARY("math.exp2", exp2Wide, 2, 2),
    KILN_UNARY("math.expm1", std::expm1, 2, 2),
    KILN_UNARY("math.log", std::log, 2, 2),
    KILN_UNARY("math.log1p", std::log1p, 2, 2),
    KILN_UNARY("math.log2", std::log2, 2, 3),
    KILN_UNARY("math.log10", std::log10, 2, 3),
    KILN_UNARY("math.sin", std::sin, 2, 3),
    KILN_UNARY("math.cos", std::cos, 2, 3),
    KILN_UNARY("math.tan", std::tan, 1, 4),
    KILN_UNARY("math.asin", std::asin, 1, 3),
    KILN_UNARY("math.acos", std::acos, 1, 3),
    KILN_UNARY("math.atan", std::atan, 1, 3),
    KILN_UNARY("math.sinh", std::sinh, 1, 4),
    KILN_UNARY("math.cosh", std::cosh, 1, 4),
    KILN_UNARY("math.tanh", std::tanh, 2, 4),
    KILN_UNARY("math.asinh", std::asinh, 1, 4),
    KILN_UNARY("math.acosh", std::acosh, 1, 4),
    KILN_UNARY("math.atanh", std::atanh, 1, 4),
    KILN_UNARY("math.erf", std::erf, 2, 4),
    KILN_UNARY("math.erfc", std::erfc, 1, 6),
    KILN_UNARY("math.sqrt", std::sqrt, 0.51, 0.51),
    KILN_UNARY("math.rsqrt", rsqrtWide, 2, 2),
    KILN_UNARY("math.cbrt", std::cbrt, 1, 2),
    KILN_UNARY("math.floor", std::floor, 0, 0),
    KILN_UNARY("math.ceil", std::ceil, 0, 0),
    KILN_UNARY("math.trunc", std::trunc, 0, 0),
    KILN_UNARY("math.round", std::round, 0, 0),
    KILN_UNARY("math.roundeven", roundEvenWide, 0, 0),
    KILN_BINARY("math.powf", std::pow, 1, 2),
    KILN_BINARY("math.atan2", std::atan2, 1, 3),
    KILN_BINARY("arith.remf", std::fmod, 0, 0),
    KILN_BINARY("arith.maximumf", maximumWide, 0, 0),
    KILN_BINARY("arith.minimumf", minimumWide, 0, 0),
};

template <typename T>
void measure(const Function &function, const CPUTarget &target, unsigned lanes,
             double &worst, T &worstX, T &worstY) {
  LoadedImage image = compileKernels(
      kernelSource(function.op, function.binary != nullptr, typeName<T>(),
                   lanes),
      target);
  kiln_cpu_kernel_t kernel = image.find("k");
  ASSERT_TRUE(kernel) << function.op;
  // Whole blocks, of different neighbours for each width.
  size_t count = (lanes == 1 ? 20000 : 200000) / lanes * lanes;
  std::vector<T> x = samples<T>(count, lanes), y = samples<T>(count, lanes + 7),
                 r(count);
  x.resize(count);
  y.resize(count);
  if (function.binary) {
    // Every special value against every other first.
    std::vector<T> special = specialValues<T>();
    size_t at = 0;
    for (T a : special)
      for (T b : special)
        if (at < count) {
          x[at] = a;
          y[at++] = b;
        }
    std::mt19937_64 random(5);
    std::shuffle(y.begin() + at, y.end(), random);
  }
  void *ptr[] = {x.data(), y.data(), r.data()};
  kernel(ptr, nullptr, 0, static_cast<int64_t>(count / lanes), nullptr);
  worst = 0;
  for (size_t i = 0; i < count; ++i) {
    Wide truth =
        function.unary ? function.unary(x[i]) : function.binary(x[i], y[i]);
    double distance = ulpDistance(r[i], truth);
    if (distance > worst) {
      worst = distance;
      worstX = x[i];
      worstY = y[i];
    }
  }
}

class MathAccuracy : public testing::TestWithParam<Function> {};

TEST_P(MathAccuracy, StaysWithinItsBound) {
  const Function &function = GetParam();
  std::string row = function.op;
  for (const CPUTarget &target : runnableTargets()) {
    for (unsigned lanes : {1u, target.vectorLanes(32), 2u, 64u}) {
      double error32 = 0, error64 = 0;
      float x32 = 0, y32 = 0;
      double x64 = 0, y64 = 0;
      measure<float>(function, target, lanes, error32, x32, y32);
      measure<double>(function, target, lanes, error64, x64, y64);
      EXPECT_LE(error32, function.f32Bound)
          << function.op << " f32 x " << lanes << " for " << target.name
          << " at " << x32 << ", " << y32;
      EXPECT_LE(error64, function.f64Bound)
          << function.op << " f64 x " << lanes << " for " << target.name
          << " at " << x64 << ", " << y64;
      if (lanes == target.vectorLanes(32))
        row += llvm::formatv(" | {0:F2} | {1:F2}", error32, error64).str();
    }
  }
  if (std::getenv("KILN_MATH_TABLE"))
    printf("%s\n", row.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    All, MathAccuracy, testing::ValuesIn(kFunctions),
    [](const testing::TestParamInfo<Function> &info) {
      std::string name = info.param.op;
      return name.substr(name.find('.') + 1);
    });

// e^0 is 1, whatever is looked up for it: a row's largest element has it in a softmax.
TEST(ExpandMath, ExponentialOfZeroIsOne) {
  for (const CPUTarget &target : runnableTargets())
    for (const char *op : {"math.exp", "math.exp2"})
      for (unsigned lanes : {1u, 4u, 16u, 32u}) {
        LoadedImage image =
            compileKernels(kernelSource(op, false, "f32", lanes), target);
        kiln_cpu_kernel_t kernel = image.find("k");
        ASSERT_TRUE(kernel);
        std::vector<float> x(lanes, 0.0f), y(lanes), r(lanes);
        x[0] = -0.0f;
        void *ptr[] = {x.data(), y.data(), r.data()};
        kernel(ptr, nullptr, 0, 1, nullptr);
        for (float value : r)
          EXPECT_EQ(value, 1.0f) << op << " of " << lanes << " lanes";
      }
}

// f16 and bf16 operands are computed in f32: the result is the f32 function of
// the extended operand, rounded once.
TEST(ExpandMath, ComputesSmallFloatsInF32) {
  for (const CPUTarget &target : runnableTargets()) {
    LoadedImage image = compileKernels(
        kernelSource("math.exp", false, "f16", 16), target);
    kiln_cpu_kernel_t kernel = image.find("k");
    ASSERT_TRUE(kernel);
    _Float16 x[16], y[16], r[16];
    for (int i = 0; i < 16; ++i)
      x[i] = static_cast<_Float16>(i * 0.5 - 4);
    void *ptr[] = {x, y, r};
    kernel(ptr, nullptr, 0, 1, nullptr);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(static_cast<float>(r[i]),
                static_cast<float>(static_cast<_Float16>(
                    std::exp(static_cast<float>(x[i])))));
  }
}

} // namespace
