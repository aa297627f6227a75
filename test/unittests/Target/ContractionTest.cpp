//===- ContractionTest.cpp - Matrix products against three loops ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernels.h"
#include "ContractionKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <random>

using namespace kiln;
using namespace kiln::target;

namespace {

/// An executable product with 64-byte aligned scratch.
struct Product {
  LoadedImage image;
  ProductPlan plan;

  void run(std::vector<void *> pointers, const ProductShape &shape) {
    kiln_cpu_kernel_t kernel = image.find("k");
    ASSERT_TRUE(kernel);
    int64_t symbols[] = {shape.batch, shape.m, shape.n, shape.k};
    // Exactly as large as was asked for, so that a sanitizer sees overruns.
    size_t bytes = (plan.scratchBytes + 63) / 64 * 64;
    void *scratch = bytes ? std::aligned_alloc(64, bytes) : nullptr;
    if (scratch)
      std::memset(scratch, 0xff, bytes); // NaN, should any of it be read
    int64_t items = plan.workItems(shape.batch, shape.m, shape.n);
    // In two parts, the later first: items do not depend on each other.
    kernel(pointers.data(), symbols, items / 2, items, scratch);
    kernel(pointers.data(), symbols, 0, items / 2, scratch);
    std::free(scratch);
  }
};

/// bf16, rounded to nearest even; the host's library may lack conversions.
struct BFloat16 {
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t all;
    std::memcpy(&all, &value, sizeof(all));
    bits = static_cast<uint16_t>((all + 0x7fff + ((all >> 16) & 1)) >> 16);
  }
  explicit operator float() const {
    uint32_t all = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &all, sizeof(value));
    return value;
  }
  uint16_t bits = 0;
};

template <typename T> struct TypeOf;
template <> struct TypeOf<float> {
  static mlir::Type get(mlir::Builder b) { return b.getF32Type(); }
};
template <> struct TypeOf<double> {
  static mlir::Type get(mlir::Builder b) { return b.getF64Type(); }
};
template <> struct TypeOf<_Float16> {
  static mlir::Type get(mlir::Builder b) { return b.getF16Type(); }
};
template <> struct TypeOf<BFloat16> {
  static mlir::Type get(mlir::Builder b) { return b.getBF16Type(); }
};

Product compileProduct(
    const ProductShape &shape, const CPUTarget &target,
    const std::function<mlir::Type(mlir::Builder)> &type,
    const std::function<void(mlir::OpBuilder &, loop::ContractionSpec &,
                             mlir::Value)> &adjust = {}) {
  Product product;
  auto context = makeKernelContext();
  mlir::Type element = type(mlir::Builder(context.get()));
  mlir::Type sum = element.isF64() ? element
                                   : mlir::Float32Type::get(context.get());
  auto module = buildProduct(*context, shape, element, sum, target,
                             product.plan, adjust);
  product.image = compileKernels(*module, target);
  return product;
}

template <typename T> std::vector<T> randomValues(size_t count, int seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-8, 8);
  std::vector<T> values(count + 1);
  // Small multiples of 1/8: sums are exact in f32, whatever their order.
  for (T &value : values)
    value = static_cast<T>(number(random) * 0.125f);
  return values;
}

template <typename T>
void check(const ProductShape &s, Product &product, const char *what) {
  std::vector<T> a = randomValues<T>(s.batch * s.m * s.k, 1),
                 b = randomValues<T>(s.batch * s.k * s.n, 2);
  size_t count = s.batch * s.m * s.n;
  const float kGuard = 77;
  std::vector<T> c(count + 8, static_cast<T>(kGuard));
  product.run({a.data(), b.data(), c.data()}, s);
  size_t wrong = 0;
  for (int64_t z = 0; z < s.batch; ++z)
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        double sum = 0;
        for (int64_t q = 0; q < s.k; ++q) {
          int64_t ia = s.transposeA ? q * s.m + i : i * s.k + q;
          int64_t ib = s.transposeB ? j * s.k + q : q * s.n + j;
          sum +=
              static_cast<double>(static_cast<float>(a[z * s.m * s.k + ia])) *
              static_cast<double>(static_cast<float>(b[z * s.k * s.n + ib]));
        }
        int64_t ic = s.transposeC ? j * s.m + i : i * s.n + j;
        T expected = static_cast<T>(static_cast<float>(sum));
        if (static_cast<float>(c[z * s.m * s.n + ic]) !=
            static_cast<float>(expected))
          ++wrong;
      }
  EXPECT_EQ(wrong, 0u) << what << " " << s.batch << "x" << s.m << "x" << s.n
                       << "x" << s.k << " transposed " << s.transposeA
                       << s.transposeB << s.transposeC << " dynamic "
                       << s.dynamic;
  for (size_t i = count; i < c.size(); ++i)
    EXPECT_EQ(static_cast<float>(c[i]), kGuard) << what << " wrote beyond C";
}

template <typename T> void checkSizes(const char *what) {
  const int64_t sizes[][4] = {
      {1, 1, 1, 1},   {1, 2, 3, 4},    {1, 5, 70, 33},  {1, 1, 100, 37},
      {1, 8, 33, 64}, {1, 13, 31, 15}, {1, 12, 32, 16}, {1, 25, 65, 17},
      {3, 7, 9, 5},   {2, 37, 45, 50}, {1, 64, 300, 7}, {1, 9, 16, 1},
      {1, 0, 4, 4},   {1, 4, 0, 4},    {1, 9, 9, 0},    {1, 1, 40, 0},
  };
  for (const CPUTarget &target : runnableTargets())
    for (const auto &size : sizes)
      for (int layout = 0; layout < 8; ++layout) {
        ProductShape s{size[0], size[1], size[2], size[3],
                       (layout & 1) != 0, (layout & 2) != 0,
                       (layout & 4) != 0, false};
        Product product = compileProduct(s, target, TypeOf<T>::get);
        check<T>(s, product, what);
      }
}

TEST(Contraction, IsRightForEverySizeAndLayoutF32) {
  checkSizes<float>("f32");
}

TEST(Contraction, IsRightForEverySizeAndLayoutF64) {
  checkSizes<double>("f64");
}

TEST(Contraction, IsRightForSmallFloats) {
  for (const CPUTarget &target : runnableTargets())
    for (int layout = 0; layout < 4; ++layout)
      for (int64_t m : {1, 3, 21}) {
        ProductShape s{1, m, 45, 39, (layout & 1) != 0, (layout & 2) != 0};
        Product half = compileProduct(s, target, TypeOf<_Float16>::get);
        check<_Float16>(s, half, "f16");
        Product brain = compileProduct(s, target, TypeOf<BFloat16>::get);
        check<BFloat16>(s, brain, "bf16");
      }
}

/// Targets of this machine that multiply bf16 by other units than f32, whether or not
/// they are the fastest.
std::vector<CPUTarget> bf16Targets() {
  std::vector<CPUTarget> targets;
  auto native = CPUTarget::parse("native");
  for (const char *name : {"x86-64-v4+avx512bf16", "x86-64-v4+amx-bf16"}) {
    auto target = CPUTarget::parse(name);
    if (native && target && (target->featureBits & ~native->featureBits) == 0)
      targets.push_back(std::move(*target));
  }
  return targets;
}

TEST(Contraction, MultipliesWordsOfBF16) {
  const int64_t sizes[][4] = {{1, 16, 16, 32},  {2, 33, 31, 33},
                              {1, 50, 100, 65}, {1, 70, 70, 2100},
                              {1, 12, 5, 0},    {1, 600, 40, 34}};
  for (const CPUTarget &target : bf16Targets())
    for (const auto &size : sizes)
      for (int layout = 0; layout < 8; ++layout) {
        ProductShape s{size[0], size[1], size[2], size[3],
                       (layout & 1) != 0, (layout & 2) != 0,
                       (layout & 4) != 0, false};
        Product product = compileProduct(s, target, TypeOf<BFloat16>::get);
        check<BFloat16>(s, product, target.name.c_str());
      }
}

TEST(Contraction, MultipliesWordsOfDynamicSizes) {
  for (const CPUTarget &target : bf16Targets())
    for (int layout = 0; layout < 4; ++layout) {
      ProductShape s{1, 1, 1, 1, (layout & 1) != 0, (layout & 2) != 0, false,
                     true};
      Product product = compileProduct(s, target, TypeOf<BFloat16>::get);
      const int64_t sizes[][4] = {{1, 1, 1, 1},    {2, 13, 40, 31},
                                  {1, 130, 300, 100}, {1, 17, 33, 4100},
                                  {1, 3, 2, 0},    {1, 0, 2, 4}};
      for (const auto &size : sizes) {
        s.batch = size[0];
        s.m = size[1];
        s.n = size[2];
        s.k = size[3];
        check<BFloat16>(s, product, target.name.c_str());
      }
    }
}

// Neither rows nor columns are words, and a map must be seen.
TEST(Contraction, StagesWordsOfAnyStridesAndMaps) {
  for (const CPUTarget &target : bf16Targets()) {
    ProductShape s{1, 14, 37, 41};
    Product product = compileProduct(
        s, target, TypeOf<BFloat16>::get,
        [](mlir::OpBuilder &, loop::ContractionSpec &spec, mlir::Value) {
          spec.a.rowStride = 0;
          spec.a.columnStride = 2;
          spec.b.rowStride = 3;
          spec.b.columnStride = 2;
          spec.b.map = [](mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                          const loop::ContractionIndex &) -> mlir::Value {
            return mlir::arith::AddFOp::create(b, loc, v, v);
          };
        });
    std::vector<BFloat16> a = randomValues<BFloat16>(2 * 41, 1),
                          b = randomValues<BFloat16>(3 * 41 + 2 * 37, 2),
                          c(14 * 37);
    product.run({a.data(), b.data(), c.data()}, s);
    for (int i = 0; i < 14; ++i)
      for (int j = 0; j < 37; ++j) {
        float sum = 0;
        for (int q = 0; q < 41; ++q)
          sum += float(a[2 * q]) * 2 * float(b[3 * q + 2 * j]);
        ASSERT_EQ(float(c[i * 37 + j]), float(BFloat16(sum)))
            << target.name << " at " << i << ", " << j;
      }
  }
}

// What a machine without these instructions can see of them.
TEST(Contraction, TakesTheInstructionsOfItsTarget) {
  auto assemble = [](const char *name) {
    auto context = makeKernelContext();
    mlir::Builder b(context.get());
    ProductPlan plan;
    auto target = CPUTarget::parse(name);
    EXPECT_TRUE(target);
    auto module = buildProduct(*context, {1, 64, 64, 64}, b.getBF16Type(),
                               b.getF32Type(), *target, plan);
    KernelCompileOptions options;
    options.keepAssembly = true;
    KernelCompileReport report;
    LoadedImage image = compileKernels(*module, *target, &report, options);
    EXPECT_EQ(image.image.requiredFeatures, target->featureBits);
    return report.assembly;
  };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  std::string tiles = assemble("x86-64-v4+amx-bf16"),
              pairs = assemble("x86-64-v4+avx512bf16"),
              floats = assemble("x86-64-v4");
  for (const char *part :
       {"ldtilecfg", "tileloadd", "tdpbf16ps", "tilestored", "tilerelease"})
    EXPECT_TRUE(has(tiles, part)) << part;
  EXPECT_FALSE(has(tiles, "vfmadd"));
  EXPECT_TRUE(has(pairs, "vdpbf16ps"));
  EXPECT_FALSE(has(pairs, "vfmadd"));
  EXPECT_FALSE(has(pairs, "tdpbf16ps"));
  EXPECT_TRUE(has(floats, "vfmadd"));
  EXPECT_FALSE(has(floats, "dpbf16ps"));
}

// One kernel with sizes that are known at run time serves all of them, blocks
// of k and of rows included.
TEST(Contraction, ServesDynamicSizes) {
  for (const CPUTarget &target : runnableTargets())
    for (int layout = 0; layout < 8; ++layout) {
      ProductShape s{1, 1, 1, 1, (layout & 1) != 0, (layout & 2) != 0,
                     (layout & 4) != 0, true};
      Product product = compileProduct(s, target, TypeOf<float>::get);
      const int64_t sizes[][4] = {{1, 1, 1, 1},       {2, 13, 40, 30},
                                  {1, 130, 300, 100}, {1, 17, 33, 2500},
                                  {1, 1000, 35, 20},  {1, 3, 2, 0},
                                  {0, 3, 2, 4},       {1, 0, 2, 4}};
      for (const auto &size : sizes) {
        s.batch = size[0];
        s.m = size[1];
        s.n = size[2];
        s.k = size[3];
        check<float>(s, product, "dynamic");
      }
    }
}

// Several blocks of rows, columns and k, with sizes known beforehand.
TEST(Contraction, CutsLargeSizesIntoBlocks) {
  for (const CPUTarget &target : runnableTargets())
    for (int layout = 0; layout < 4; ++layout) {
      ProductShape s{1, 250, 550, 2100, (layout & 1) != 0, (layout & 2) != 0};
      Product product = compileProduct(s, target, TypeOf<float>::get);
      check<float>(s, product, "large");
      ProductShape few{1, 4, 3000, 2100, (layout & 1) != 0, (layout & 2) != 0};
      Product skinny = compileProduct(few, target, TypeOf<float>::get);
      check<float>(few, skinny, "skinny");
    }
}

// A strided operand with neither stride 1 is read element by element.
TEST(Contraction, ReadsAnyStrides) {
  for (const CPUTarget &target : runnableTargets()) {
    ProductShape s{1, 14, 37, 19};
    Product product = compileProduct(
        s, target, TypeOf<float>::get,
        [](mlir::OpBuilder &, loop::ContractionSpec &spec, mlir::Value) {
          spec.a.rowStride = 0;
          spec.a.columnStride = 2;
          spec.b.rowStride = 3;
          spec.b.columnStride = 2;
        });
    std::vector<float> a = randomValues<float>(2 * 19, 1),
                       b = randomValues<float>(3 * 19 + 2 * 37, 2), c(14 * 37);
    product.run({a.data(), b.data(), c.data()}, s);
    for (int i = 0; i < 14; ++i)
      for (int j = 0; j < 37; ++j) {
        float sum = 0;
        for (int q = 0; q < 19; ++q)
          sum += a[2 * q] * b[3 * q + 2 * j];
        ASSERT_EQ(c[i * 37 + j], sum) << i << ", " << j;
      }
  }
}

/// C = max(A' B + bias, 0) with A' = 2 A, for vectors and scalars.
void addMaps(mlir::OpBuilder &b, loop::ContractionSpec &spec,
             mlir::Value pointers) {
  using namespace mlir;
  Location loc = b.getUnknownLoc();
  Type ptr = pointers.getType();
  Value at = LLVM::GEPOp::create(b, loc, ptr, ptr, pointers,
                                 ArrayRef<LLVM::GEPArg>{3});
  Value bias = LLVM::LoadOp::create(b, loc, ptr, at);
  spec.a.map = [](OpBuilder &b, Location loc, Value v,
                  const loop::ContractionIndex &) -> Value {
    return arith::AddFOp::create(b, loc, v, v);
  };
  spec.c.map = [bias](OpBuilder &b, Location loc, Value v,
                      const loop::ContractionIndex &index) -> Value {
    Type f32 = b.getF32Type();
    Value from = LLVM::GEPOp::create(b, loc, bias.getType(), f32, bias,
                                     ArrayRef<LLVM::GEPArg>{index.column});
    Type type = v.getType();
    Value zero = arith::ConstantOp::create(
        b, loc, type, cast<TypedAttr>(b.getZeroAttr(type)));
    Value add;
    if (index.mask)
      add = LLVM::MaskedLoadOp::create(b, loc, type, from, index.mask, zero,
                                       b.getI32IntegerAttr(4), UnitAttr());
    else
      add = LLVM::LoadOp::create(b, loc, type, from, 4);
    Value sum = arith::AddFOp::create(b, loc, v, add);
    return arith::MaximumFOp::create(b, loc, sum, zero);
  };
}

// Prologue and epilogue run in every scheme, with the right indices.
TEST(Contraction, AppliesPrologueAndEpilogue) {
  for (const CPUTarget &target : runnableTargets())
    for (int layout = 0; layout < 4; ++layout)
      for (int64_t m : {1, 6, 30}) {
        ProductShape s{1, m, 70, 21, (layout & 1) != 0, (layout & 2) != 0};
        Product product =
            compileProduct(s, target, TypeOf<float>::get, addMaps);
        std::vector<float> a = randomValues<float>(s.m * s.k, 1),
                           b = randomValues<float>(s.k * s.n, 2),
                           bias = randomValues<float>(s.n, 3), c(s.m * s.n);
        bias.resize(s.n);
        product.run({a.data(), b.data(), c.data(), bias.data()}, s);
        for (int64_t i = 0; i < s.m; ++i)
          for (int64_t j = 0; j < s.n; ++j) {
            float sum = bias[j];
            for (int64_t q = 0; q < s.k; ++q)
              sum += 2 * a[s.transposeA ? q * s.m + i : i * s.k + q] *
                     b[s.transposeB ? j * s.k + q : q * s.n + j];
            ASSERT_EQ(c[i * s.n + j], std::max(sum, 0.0f))
                << m << " layout " << layout << " at " << i << ", " << j;
          }
      }
}

} // namespace
