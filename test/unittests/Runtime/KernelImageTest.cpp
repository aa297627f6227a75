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

TEST(KernelImage, RefusesEntriesOutside) {
  package::KernelImage image = kiln::test::testImage();
  image.kernels[1].entry = image.bytes.size();
  auto loaded = LoadedImage::load(image);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Malformed);
  EXPECT_TRUE(LoadedImage::load(package::KernelImage())) << "no kernels";
}
