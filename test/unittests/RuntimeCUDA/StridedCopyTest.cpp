//===- StridedCopyTest.cpp - Elements in another order --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compared with what the host does. Nothing here needs a driver without a GPU:
// on a real one it is the kernels that are tested.
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <random>

using namespace kiln;
using namespace kiln::runtime;

namespace {

/// Where elements of a tensor lie in a storage.
struct Layout {
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

/// Bytes of a storage that holds a layout, and some more.
size_t bytesOf(DType dtype, const std::vector<int64_t> &sizes,
               const Layout &layout) {
  int64_t last = layout.offset;
  for (size_t i = 0; i < sizes.size(); ++i)
    last += (sizes[i] - 1) * layout.strides[i];
  return size_t(last + 5) * itemSize(dtype);
}

/// A tensor over a storage of its own whose bytes differ, gaps included.
Tensor fill(DType dtype, const std::vector<int64_t> &sizes,
            const Layout &layout, unsigned seed) {
  auto storage = *Storage::allocate(bytesOf(dtype, sizes, layout));
  std::minstd_rand random(seed);
  for (size_t i = 0; i < storage->bytes(); ++i)
    storage->data()[i] = uint8_t(random() >> 8);
  return *Tensor::view(storage, dtype, sizes, layout.strides, layout.offset);
}

/// The whole storage of a tensor on a device or on the host, as bytes.
std::vector<uint8_t> storageOf(const Tensor &tensor) {
  auto bytes = int64_t(tensor.storage()->bytes());
  Tensor all = *Tensor::view(tensor.storage(), DType::U8, {bytes}, {1}, 0);
  Tensor host = *all.toHost();
  return {host.data(), host.data() + bytes};
}

/// The same storage on a device.
Tensor place(const Tensor &tensor, Device &device) {
  auto bytes = int64_t(tensor.storage()->bytes());
  Tensor all = *Tensor::view(tensor.storage(), DType::U8, {bytes}, {1}, 0);
  Tensor there = *all.toDevice(device);
  return *Tensor::view(there.storage(), tensor.dtype(), tensor.sizes(),
                       tensor.strides(), tensor.storageOffset());
}

using StridedCopies = test::CudaDevice;

/// Copies of all kinds between host and device, storages compared bit by bit.
void expectAsOnHost(Device &device, DType dtype,
                    const std::vector<int64_t> &sizes, const Layout &from,
                    const Layout &to) {
  Tensor source = fill(dtype, sizes, from, 1),
         target = fill(dtype, sizes, to, 2);
  Tensor sourceThere = place(source, device);
  Tensor there = place(target, device), fromHost = place(target, device);
  Tensor toHost = fill(dtype, sizes, to, 2);
  ASSERT_TRUE(copyElements(source, target));
  ASSERT_TRUE(copyElements(sourceThere, there));
  ASSERT_TRUE(copyElements(source, fromHost));
  ASSERT_TRUE(copyElements(sourceThere, toHost));
  const std::vector<uint8_t> expected = storageOf(target);
  EXPECT_EQ(storageOf(there), expected);
  EXPECT_EQ(storageOf(fromHost), expected);
  EXPECT_EQ(storageOf(toHost), expected);
}

/// Strides of some order of the dimensions; gaps are elements between rows.
Layout order(const std::vector<int64_t> &sizes,
             std::vector<size_t> outerToInner, int64_t gap = 0,
             int64_t offset = 0) {
  Layout layout{std::vector<int64_t>(sizes.size()), offset};
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    layout.strides[outerToInner[i]] = stride;
    stride = stride * sizes[outerToInner[i]] + gap;
  }
  return layout;
}

constexpr DType kTypes[] = {DType::U8, DType::BF16, DType::F32, DType::F64,
                            DType::C128};

TEST_F(StridedCopies, Transposes) {
  for (DType dtype : kTypes)
    for (std::vector<int64_t> sizes :
         {std::vector<int64_t>{70, 33}, {32, 64}, {8, 300}, {5, 9}, {1, 40}}) {
      SCOPED_TRACE(std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]));
      expectAsOnHost(*device, dtype, sizes, order(sizes, {0, 1}),
                     order(sizes, {1, 0}));
      expectAsOnHost(*device, dtype, sizes, order(sizes, {1, 0}, 3, 1),
                     order(sizes, {0, 1}, 2, 3));
    }
}

TEST_F(StridedCopies, ChannelsFirstAndLast) {
  for (DType dtype : kTypes)
    for (std::vector<int64_t> sizes :
         {std::vector<int64_t>{2, 16, 9, 11}, {3, 3, 8, 8}, {2, 40, 1, 6}}) {
      expectAsOnHost(*device, dtype, sizes, order(sizes, {0, 1, 2, 3}),
                     order(sizes, {0, 2, 3, 1}));
      expectAsOnHost(*device, dtype, sizes, order(sizes, {0, 2, 3, 1}),
                     order(sizes, {0, 1, 2, 3}));
      expectAsOnHost(*device, dtype, sizes, order(sizes, {3, 0, 2, 1}, 1),
                     order(sizes, {1, 2, 0, 3}, 2));
    }
}

TEST_F(StridedCopies, AnyOrder) {
  std::minstd_rand random(7);
  for (int i = 0; i < 200; ++i) {
    size_t rank = random() % 6;
    std::vector<int64_t> sizes;
    std::vector<size_t> from, to;
    for (size_t k = 0; k < rank; ++k) {
      sizes.push_back(1 + int64_t(random() % (rank < 4 ? 21 : 7)));
      from.push_back(k);
      to.push_back(k);
    }
    std::shuffle(from.begin(), from.end(), random);
    std::shuffle(to.begin(), to.end(), random);
    Layout source = order(sizes, from, random() % 3, random() % 4);
    if (rank != 0 && random() % 4 == 0)
      source.strides[random() % rank] = 0; // an expanded dimension
    SCOPED_TRACE(i);
    expectAsOnHost(*device, kTypes[random() % std::size(kTypes)], sizes, source,
                   order(sizes, to, random() % 3, random() % 4));
  }
}

TEST_F(StridedCopies, StaysOnTheDevice) {
  const std::vector<int64_t> sizes = {4, 30, 6, 50};
  Tensor source =
      place(fill(DType::BF16, sizes, order(sizes, {0, 1, 2, 3}), 1), *device);
  Tensor target = place(
      fill(DType::BF16, sizes, order(sizes, {0, 2, 3, 1}, 1), 2), *device);
  DeviceStats before = device->stats();
  ASSERT_TRUE(copyElements(source, target));
  ASSERT_TRUE(target.clone());
  DeviceStats after = device->stats();
  EXPECT_EQ(after.stridedCopies - before.stridedCopies, 2u);
  EXPECT_EQ(after.downloads, before.downloads);
  EXPECT_EQ(after.uploads, before.uploads);
  EXPECT_EQ(after.synchronizations, before.synchronizations);
}

// What the device does not do side by side the host does.
TEST_F(StridedCopies, OtherCopiesGoByTheHost) {
  // More dimensions than a launch has room for.
  std::vector<int64_t> sizes(10, 2);
  std::vector<size_t> forth, back;
  for (size_t i = 0; i < sizes.size(); ++i) {
    forth.push_back(i);
    back.insert(back.begin(), i);
  }
  expectAsOnHost(*device, DType::F32, sizes, order(sizes, forth),
                 order(sizes, back));
  // Places that several elements go to: the last one stays.
  Layout same{{3, 0}, 0};
  expectAsOnHost(*device, DType::F32, {2, 2}, order({2, 2}, {0, 1}), same);
  // A matrix onto its own transpose.
  Tensor host = count({40, 40}), there = *host.toDevice(*device);
  Tensor turned = there.asStrided({40, 40}, {1, 40}, 0);
  std::vector<float> expected = contentsOf(turned);
  ASSERT_TRUE(copyElements(turned, there));
  EXPECT_EQ(contentsOf(there), expected);
}

TEST_F(StridedCopies, LargeOnes) {
  const std::vector<int64_t> sizes = {3, 700, 301};
  for (DType dtype : {DType::BF16, DType::F32})
    expectAsOnHost(*device, dtype, sizes, order(sizes, {2, 0, 1}),
                   order(sizes, {0, 1, 2}));
}

} // namespace
