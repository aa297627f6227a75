//===- TensorTest.cpp - Tensors, copies, comparison ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "kiln/Runtime/Compare.h"
#include "kiln/Runtime/Element.h"
#include "kiln/Runtime/MemoryUse.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace kiln;
using namespace kiln::runtime;
using kiln::test::floats;
using kiln::test::valuesOf;

TEST(Tensor, StorageIsAligned) {
  for (int64_t size : {0, 1, 3, 17, 1000}) {
    Tensor tensor = *Tensor::empty(DType::F32, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    EXPECT_EQ(tensor.storage()->bytes(), static_cast<size_t>(size) * 4);
  }
}

TEST(Tensor, LargeStorageBeginsAtAHugePage) {
  constexpr size_t huge = size_t(2) << 20;
  for (size_t bytes : {2 * huge, 2 * huge + 1, 5 * huge - 7}) {
    auto storage = Storage::allocate(bytes);
    ASSERT_TRUE(storage);
    uint8_t *data = (*storage)->data();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % huge, 0u);
    data[0] = data[bytes - 1] = 1; // all of it is there
  }
}

TEST(Tensor, RefusesSizesThatDoNotFit) {
  EXPECT_FALSE(Tensor::empty(DType::F32, {-1}));
  EXPECT_FALSE(Tensor::empty(DType::F32, {int64_t(1) << 46}));
  EXPECT_FALSE(Tensor::empty(DType::F32, {int64_t(1) << 40,
                                          int64_t(1) << 40}));
  Tensor base = floats({4}, {1, 2, 3, 4});
  EXPECT_TRUE(Tensor::view(base.storage(), DType::F32, {2}, {2}, 1));
  EXPECT_FALSE(Tensor::view(base.storage(), DType::F32, {2}, {2}, 2));
  EXPECT_FALSE(Tensor::view(base.storage(), DType::F32, {5}, {1}, 0));
  EXPECT_FALSE(Tensor::view(base.storage(), DType::F32, {2}, {-1}, 1));
  EXPECT_TRUE(Tensor::view(base.storage(), DType::F32, {0, 9}, {9, 1}, 0));
}

TEST(Tensor, KnowsContiguity) {
  Tensor t = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(t.isContiguous());
  EXPECT_FALSE(t.asStrided({3, 2}, {1, 3}, 0).isContiguous());
  EXPECT_TRUE(t.asStrided({1, 3}, {77, 1}, 0).isContiguous());
  EXPECT_TRUE(t.asStrided({0, 3}, {1, 5}, 0).isContiguous());
  EXPECT_EQ(t.typeString(), "f32[2, 3]");
}

// Every copy agrees with an element-by-element walk.
TEST(Tensor, CopiesAnyStrides) {
  std::mt19937 random(3);
  const DType dtypes[] = {DType::U8, DType::BF16, DType::F32, DType::F64,
                          DType::C128};
  for (int round = 0; round < 400; ++round) {
    DType dtype = dtypes[random() % 5];
    int64_t item = static_cast<int64_t>(itemSize(dtype));
    int64_t rank = random() % 5;
    std::vector<int64_t> sizes(rank), sourceStrides(rank), order(rank);
    for (int64_t i = 0; i < rank; ++i) {
      sizes[i] = random() % 6 == 0 ? random() % 70 : 1 + random() % 5;
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), random);
    int64_t stride = 1 + random() % 2;
    int64_t extent = 1;
    for (int64_t dim : order) {
      sourceStrides[dim] = random() % 7 == 0 ? 0 : stride;
      extent += std::max<int64_t>(sizes[dim] - 1, 0) * sourceStrides[dim];
      stride *= std::max<int64_t>(sizes[dim], 1);
    }
    Tensor base = *Tensor::empty(DType::U8, {(extent + 3) * item});
    for (int64_t i = 0; i < base.numel(); ++i)
      base.data()[i] = static_cast<uint8_t>(random());
    Tensor source = *Tensor::view(base.storage(), dtype, sizes, sourceStrides,
                                  random() % 3);
    Tensor copy = *source.clone();
    std::vector<int64_t> index(rank);
    for (int64_t n = 0; n < copy.numel(); ++n) {
      int64_t rest = n, at = 0;
      for (int64_t i = rank; i-- > 0;) {
        at += rest % sizes[i] * sourceStrides[i];
        rest /= sizes[i];
      }
      ASSERT_EQ(std::memcmp(copy.data() + n * item, source.data() + at * item,
                            item),
                0);
    }
    // And back into a permuted target.
    Tensor target = *Tensor::empty(dtype, {copy.numel()});
    std::vector<int64_t> targetStrides(rank);
    int64_t step = 1;
    for (int64_t dim : order) {
      targetStrides[dim] = step;
      step *= sizes[dim];
    }
    Tensor permuted = target.asStrided(sizes, targetStrides, 0);
    ASSERT_TRUE(copyElements(copy, permuted));
    EXPECT_TRUE(compareTensors(permuted, copy, {0, 0}).ok);
  }
}

TEST(Tensor, ReadOnlyStorageIsNotWritten) {
  float memory[2] = {1, 2};
  auto storage = Storage::borrow(memory, sizeof(memory), nullptr, true);
  Tensor tensor = *Tensor::view(storage, DType::F32, {2}, {1}, 0);
  Status status = copyElements(floats({2}, {3, 4}), tensor);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "cannot write to a read-only tensor of type f32[2]");
  EXPECT_EQ(memory[0], 1);
}

TEST(Tensor, MemoryIsCounted) {
  int64_t before = memoryUse().currentBytes;
  resetMemoryPeak();
  {
    Tensor a = *Tensor::empty(DType::F32, {1000});
    Tensor view = a.asStrided({10}, {1}, 0);
    EXPECT_EQ(memoryUse().currentBytes, before + 4000);
  }
  EXPECT_EQ(memoryUse().currentBytes, before);
  EXPECT_EQ(memoryUse().peakBytes, before + 4000);
}

TEST(Element, LoadsSmallFloats) {
  auto load = [](DType dtype, uint32_t bits) {
    return std::get<double>(
        loadElement(dtype, reinterpret_cast<uint8_t *>(&bits)).value);
  };
  EXPECT_EQ(load(DType::F16, 0x3c00), 1.0);
  EXPECT_EQ(load(DType::F16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(load(DType::F16, 0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(load(DType::F16, 0x7e00)));
  EXPECT_EQ(load(DType::BF16, 0xbf80), -1.0);
  EXPECT_EQ(load(DType::F8E4M3FN, 0x7e), 448.0);
  EXPECT_TRUE(std::isnan(load(DType::F8E4M3FN, 0x7f)));
  EXPECT_EQ(load(DType::F8E4M3FN, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(load(DType::F8E5M2, 0x7b), 57344.0);
  EXPECT_EQ(load(DType::F8E5M2, 0x7c), INFINITY);
  EXPECT_EQ(load(DType::F8E4M3FNUZ, 0x7f), 240.0);
  EXPECT_TRUE(std::isnan(load(DType::F8E5M2FNUZ, 0x80)));
  EXPECT_EQ(load(DType::F8E8M0FNU, 0x00), std::ldexp(1.0, -127));
  EXPECT_EQ(load(DType::F8E8M0FNU, 0x80), 2.0);
  EXPECT_TRUE(std::isnan(load(DType::F8E8M0FNU, 0xff)));
}

TEST(Compare, FollowsTheRule) {
  Tensor want = floats({2, 2}, {1, 2, NAN, INFINITY});
  EXPECT_TRUE(compareTensors(want, want, {0, 0}).ok);
  Tensor near = floats({2, 2}, {1.0000011f, 2, NAN, INFINITY});
  EXPECT_FALSE(compareTensors(near, want, {0, 1e-9}).ok);
  Comparison close = compareTensors(near, want, {1.3e-6, 0});
  EXPECT_TRUE(close.ok);
  EXPECT_NEAR(close.maxAbsErr, 1.1e-6, 1e-7);
  EXPECT_NEAR(close.maxRelErr, close.maxAbsErr / 2, 1e-12);
  Comparison wrong =
      compareTensors(floats({2, 2}, {1, 2, NAN, -INFINITY}), want, {1, 1});
  EXPECT_FALSE(wrong.ok);
  EXPECT_EQ(wrong.mismatches, 1);
  EXPECT_EQ(wrong.maxAbsErr, INFINITY);
  EXPECT_NE(wrong.message.find("1 of 4 elements differ, first at [1, 1]: "
                               "found -inf, expected inf"),
            std::string::npos)
      << wrong.message;
  EXPECT_TRUE(compareTensors(floats({1}, {0.0f}), floats({1}, {-0.0f}),
                             {0, 0}).ok);
  EXPECT_EQ(compareTensors(floats({4}, {1, 2, 3, 4}), want, {9, 9}).message,
            "found f32[4], expected f32[2, 2]");
  EXPECT_FALSE(compareValues(int64_t(1), 1.0, {1, 1}).ok);
  EXPECT_FALSE(compareValues(int64_t(1), int64_t(2), {1, 1}).ok);
  EXPECT_TRUE(compareValues(std::string("a"), std::string("a"), {}).ok);
  OpValue::List a = {1.0, OpValue()}, b = {1.5, OpValue()};
  EXPECT_TRUE(compareValues(a, b, {0, 0.5}).ok);
  EXPECT_EQ(compareValues(a, b, {0, 0.1}).message.substr(0, 10), "element 0:");
}
