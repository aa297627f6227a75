//===- CheckLowering.cpp - Lowered kernels against the interpreter --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Pipelines/LinalgPipeline.h"
#include "kiln/Target/CPU/KernelCompiler.h"
#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

std::unique_ptr<MLIRContext> loop::makeLoopContext() {
  DialectRegistry registry;
  target::registerKernelDialects(registry);
  target::registerGPUKernelDialects(registry);
  registerLinalgLoweringDialects(registry);
  registry.insert<LoopDialect, guard::GuardDialect>();
  auto context = std::make_unique<MLIRContext>(
      registry, MLIRContext::Threading::DISABLED);
  return context;
}

/// Numbers that are exact in every float type, so that ties occur and inputs
/// need no rounding: multiples of 1/8 of small magnitude.
static Array randomArray(RankedTensorType type, const SymbolValues &symbols,
                         const LoopCase &test, std::mt19937 &random) {
  Array array;
  array.sizes = evaluateSizes(type, symbols);
  Type element = type.getElementType();
  for (int64_t n = array.count(); n > 0; --n) {
    Scalar value;
    value.real = (int64_t(random() % 33) - 16) / 8.0;
    if (test.special && random() % 8 == 0)
      value.real = random() % 2 ? std::numeric_limits<double>::quiet_NaN()
                   : random() % 2 ? std::numeric_limits<double>::infinity()
                                  : -std::numeric_limits<double>::infinity();
    value.integer = test.indexLimit ? int64_t(random() % test.indexLimit)
                                    : int64_t(random() % 19) - 9;
    if (isa<FloatType>(element))
      value.integer = 0;
    else
      value = {0, roundTo(getBodyType(element), value).integer};
    array.elements.push_back(value);
  }
  return array;
}

static double precisionOf(Type element) {
  auto floatType = dyn_cast<FloatType>(element);
  return floatType ? std::ldexp(1.0, -int(floatType.getFPMantissaWidth())) : 0;
}

static void compareArrays(const Array &found, const Array &expected,
                          Type element, double ulps) {
  ASSERT_EQ(found.sizes, expected.sizes);
  ASSERT_EQ(found.elements.size(), expected.elements.size());
  double tolerance = precisionOf(element) * ulps;
  unsigned shown = 0;
  for (size_t n = 0; n < found.elements.size() && shown < 4; ++n) {
    if (!isa<FloatType>(element)) {
      int64_t x = found.elements[n].integer, y = expected.elements[n].integer;
      shown += x != y;
      EXPECT_EQ(x, y) << "element " << n;
      continue;
    }
    double x = found.elements[n].real, y = expected.elements[n].real;
    bool close = x == y || (std::isnan(x) && std::isnan(y)) ||
                 std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(y));
    shown += !close;
    EXPECT_TRUE(close) << "element " << n << ": found " << x << ", expected "
                       << y;
  }
}

const std::vector<Array> &loop::interpretOnce(const LoopCase &test,
                                              func::FuncOp function,
                                              ArrayRef<Array> arguments,
                                              const SymbolValues &symbols) {
  static std::map<std::tuple<std::string, std::string, SymbolValues>,
                  std::vector<Array>>
      known;
  auto [entry, isNew] = known.try_emplace({test.name, test.text, symbols});
  if (isNew)
    entry->second = interpret(function, arguments, symbols);
  return entry->second;
}

void loop::checkLowering(const LoopCase &test,
                         llvm::function_ref<void(KernelOp)> prepare,
                         const Lowering &lower, const Execution &run) {
  auto context = makeLoopContext();
  auto module = parseSourceString<ModuleOp>(test.text, context.get());
  ASSERT_TRUE(module) << "cannot parse " << test.name;
  OwningOpRef<ModuleOp> lowered(cast<ModuleOp>((*module)->clone()));
  lowered->walk([&](KernelOp kernel) { prepare(kernel); });
  ASSERT_TRUE(lower(*lowered));
  ASSERT_TRUE(succeeded(verify(*lowered)));

  auto function = module->lookupSymbol<func::FuncOp>("main");
  std::mt19937 random(7);
  for (const SymbolValues &symbols : test.sizes) {
    std::string text;
    for (const auto &[name, value] : symbols)
      text += name + " = " + std::to_string(value) + " ";
    SCOPED_TRACE(text);
    ASSERT_EQ(llvm::count(test.sizes, symbols), 1) << "values are known by sizes";
    std::vector<Array> arguments;
    for (Type type : function.getArgumentTypes())
      arguments.push_back(randomArray(cast<RankedTensorType>(type), symbols,
                                      test, random));
    const std::vector<Array> &expected =
        interpretOnce(test, function, arguments, symbols);
    std::vector<Array> found = run(*lowered, arguments, symbols);
    ASSERT_EQ(found.size(), expected.size());
    for (auto [k, type] : llvm::enumerate(function.getResultTypes())) {
      SCOPED_TRACE("result " + std::to_string(k));
      compareArrays(found[k], expected[k],
                    cast<RankedTensorType>(type).getElementType(), test.ulps);
    }
  }
}
