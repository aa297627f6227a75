//===- KernelImageTest.cpp - Native code in executable memory ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "kiln/Runtime/KernelImage.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::runtime;

/// Generated code has no record of its type for a sanitizer to check.
__attribute__((no_sanitize("function"))) static void
callKernel(kiln_cpu_kernel_t kernel, void *const *pointers,
           const int64_t *arguments, int64_t begin, int64_t end) {
  kernel(pointers, arguments, begin, end, nullptr);
}

TEST(KernelImage, RunsCopiedCode) {
  auto image = LoadedImage::load(kiln::test::testImage());
  ASSERT_TRUE(image) << image.error().message;
  ASSERT_EQ((*image)->kernelCount(), 3u);
  float in[4] = {1, 2, 3, 4}, out[4] = {};
  void *pointers[2] = {in, out};
  int64_t sym[1] = {10};
  callKernel((*image)->kernel(0), pointers, sym, 1, 3);
  EXPECT_EQ(std::vector<float>(out, out + 4),
            (std::vector<float>{0, 12, 13, 0}));
}

TEST(KernelImage, NamesMissingFeatures) {
  package::KernelImage image = kiln::test::testImage();
  image.target = "other";
  image.requiredFeatures = 1u << 31;
  auto loaded = LoadedImage::load(image);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(loaded.error().message,
            "kernel image for 'other' needs unknown feature 31, which this "
            "processor lacks; compile for this machine");
  EXPECT_EQ(cpuFeatureNames(KILN_CPU_AVX2 | KILN_CPU_AMX), "avx2, amx");
  EXPECT_EQ(cpuFeatureNames(0), "none");
  EXPECT_EQ(hostCpuFeatures(), hostCpuFeatures());
}

TEST(KernelImage, ChoosesTheVariantThatUsesMostOfTheProcessor) {
  const uint32_t v3 = KILN_CPU_AVX2 | KILN_CPU_FMA, v4 = v3 | KILN_CPU_AVX512;
  std::vector<package::VariantInfo> variants = {
      {"v3", KILN_IMAGE_NATIVE, v3, false},
      {"v4", KILN_IMAGE_NATIVE, v4, false},
      {"plain", KILN_IMAGE_NATIVE, 0, false},
      {"bf16", KILN_IMAGE_NATIVE, v4 | KILN_CPU_AVX512_BF16, false},
      {"amx", KILN_IMAGE_NATIVE, v4 | KILN_CPU_AMX, false}};
  auto choose = [&](const char *target, uint32_t features) {
    auto index = chooseVariant(variants, target, features);
    return index ? int(*index) : -1;
  };
  EXPECT_EQ(choose("", v4), 1);
  EXPECT_EQ(choose("native", v4 | KILN_CPU_AVX512_BF16 | KILN_CPU_AMX), 4);
  EXPECT_EQ(choose("native", v4 | KILN_CPU_AVX512_BF16), 3);
  EXPECT_EQ(choose("native", v3), 0);
  EXPECT_EQ(choose("native", KILN_CPU_AVX2), 2) << "half of v3 is not v3";
  EXPECT_EQ(choose("v3", v4), 0);

  auto lacking = chooseVariant(variants, "v4", v3);
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().kind, ErrorKind::Unsupported);
  variants.resize(2);
  auto none = chooseVariant(variants, "native", KILN_CPU_AVX2);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(none.error().message,
            "no variant of the package runs on this processor: 'v3' needs avx2, "
            "fma; 'v4' needs avx2, fma, avx512; the processor has avx2");
  auto unknown = chooseVariant(variants, "v5", v4);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Usage);
  EXPECT_EQ(unknown.error().message, "the package has no variant for 'v5', "
                                     "expected one of 'v3', 'v4'");
}

TEST(KernelImage, ChoosesTheLatestArchitectureThatAGPURuns) {
  std::vector<package::VariantInfo> variants = {
      {"sm_80", KILN_IMAGE_PTX, 80, false},
      {"sm_90", KILN_IMAGE_PTX, 90, false},
      {"sm_90a", KILN_IMAGE_PTX, 90 | KILN_GPU_EXACT, false},
      {"plain", KILN_IMAGE_NATIVE, 0, false}};
  auto choose = [&](const char *target, uint32_t capability) {
    auto index = chooseVariant(variants, target, capability, KILN_IMAGE_PTX);
    return index ? int(*index) : -1;
  };
  EXPECT_EQ(choose("native", 90), 2);
  EXPECT_EQ(choose("native", 100), 1) << "sm_90a is for sm_90 alone";
  EXPECT_EQ(choose("native", 86), 0);
  EXPECT_EQ(choose("native", 75), -1);
  EXPECT_EQ(choose("sm_80", 90), 0);
  EXPECT_EQ(choose("plain", 90), -1);
  EXPECT_EQ(*chooseVariant(variants, "native", 0), 3u);
}

TEST(KernelImage, RefusesEntriesOutside) {
  package::KernelImage image = kiln::test::testImage();
  image.kernels[1].entry = image.bytes.size();
  auto loaded = LoadedImage::load(image);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Malformed);
  EXPECT_TRUE(LoadedImage::load(package::KernelImage())) << "no kernels";
}
