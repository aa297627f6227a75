//===- SpecialFunctionsTest.cpp - The error of functions of bodies --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ScalarBuilder composes of other functions (lib/Lowering/ScalarFunctions.cpp), beside
// values in long double. Near a zero two terms cancel: there what counts is the error in
// units of the larger type, so f64 is measured where it is not.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernels.h"
#include "MathSamples.h"

#include "kiln/Lowering/ScalarBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace kiln;
using namespace kiln::target;

namespace {

using Composed = mlir::Value (loop::ScalarBuilder::*)(mlir::Value);

/// A kernel @k of `function`, which stands in the place of another.
LoadedImage compileFunction(Composed function, bool isShort,
                            const char *element, const CPUTarget &target) {
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      kernelSource("math.absf", false, element, 1), context.get());
  module->walk([&](mlir::math::AbsFOp place) {
    mlir::OpBuilder builder(place);
    loop::ScalarBuilder scalars(builder, place.getLoc(), place.getType());
    scalars.shortSpecials = isShort;
    place.replaceAllUsesWith((scalars.*function)(place.getOperand()));
    place.erase();
  });
  return compileKernels(*module, target);
}

/// The largest error of what `kernel` gives for `x`, and where.
template <typename T>
std::pair<double, T> measureError(const LoadedImage &image, std::vector<T> x,
                                  Wide (*truth)(Wide)) {
  std::vector<T> r(x.size());
  void *ptr[] = {x.data(), x.data(), r.data()};
  image.find("k")(ptr, nullptr, 0, int64_t(x.size()), nullptr);
  std::pair<double, T> worst(0, 0);
  for (size_t i = 0; i < x.size(); ++i)
    if (double error = ulpDistance(r[i], truth(x[i])); error > worst.first)
      worst = {error, x[i]};
  return worst;
}

Wide inverseErf(Wide x) {
  Wide magnitude = std::fabs(x);
  if (!(magnitude < 1))
    return magnitude == 1 ? std::copysign(Wide(INFINITY), x) : Wide(NAN);
  if (x == 0)
    return x;
  // From below: steps of erf - x, a convex function, do not overshoot.
  Wide y = magnitude / Wide(1.1283791670955126), slope = 1;
  for (int step = 0; step < 200 && slope != 0; ++step) {
    Wide error = magnitude > 0.5L ? (1 - magnitude) - std::erfc(y)
                                  : std::erf(y) - magnitude;
    slope = error / (Wide(1.128379167095512573896L) * std::exp(-y * y));
    Wide next = y - slope;
    if (next == y)
      break;
    y = next;
  }
  return std::copysign(y, x);
}

Wide logGamma(Wide x) {
  // C has it that way, and PyTorch.
  return std::lgamma(x);
}

/// Numbers as close to 1, or as far from it, as a type goes.
template <typename T> std::vector<T> belowOne(size_t count) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(0, std::numeric_limits<T>::digits);
  std::vector<T> values = {0, T(-0.0), 1, -1, T(1.5), T(NAN), T(INFINITY),
                           1 - std::numeric_limits<T>::epsilon() / 2,
                           std::numeric_limits<T>::denorm_min()};
  while (values.size() < count) {
    T distance = T(std::exp2(-any(random)));
    for (T x : {T(1 - distance), distance})
      values.insert(values.end(), {x, T(-x)});
  }
  return values;
}

TEST(SpecialFunctions, InverseErf) {
  for (const CPUTarget &target : runnableTargets())
    for (bool isShort : {false, true}) {
      auto f32 = measureError(
          compileFunction(&loop::ScalarBuilder::erfinv, isShort, "f32", target),
          belowOne<float>(40000), inverseErf);
      EXPECT_LE(f32.first, 0.52) << target.name << " at " << f32.second;
      auto f64 = measureError(
          compileFunction(&loop::ScalarBuilder::erfinv, isShort, "f64", target),
          belowOne<double>(10000), inverseErf);
      EXPECT_LE(f64.first, 4) << target.name << " at " << f64.second;
    }
}

TEST(SpecialFunctions, LogGamma) {
  for (const CPUTarget &target : runnableTargets())
    for (bool isShort : {false, true}) {
      std::vector<float> x = samples<float>(100000, 11);
      // Between the poles, and around the zeros at 1 and 2.
      std::mt19937_64 random(5);
      std::uniform_real_distribution<float> negative(-12, 0), positive(0.5, 3);
      for (int i = 0; i < 50000; ++i)
        x.insert(x.end(), {negative(random), positive(random)});
      auto f32 = measureError(
          compileFunction(&loop::ScalarBuilder::lgamma, isShort, "f32", target),
          x, logGamma);
      EXPECT_LE(f32.first, 0.51) << target.name << " at " << f32.second;
    }
}

} // namespace
