//===- StagingTest.cpp - Large copies by way of page-locked memory --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver without a GPU reads page-locked memory as late as it may, so a
// buffer that is filled too early gives wrong bytes.
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "kiln/Base/FileSystem.h"

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::test;

namespace {

constexpr size_t kMiB = size_t(1) << 20;
constexpr size_t kBufferBytes = 16 * kMiB, kWorth = 128 * kMiB;

class Staging : public kiln::test::CudaDevice {
protected:
  Staging() {
    std::filesystem::remove(log_);
    ::setenv("KILN_FAKE_CUDA_LOG", log_.c_str(), 1);
  }
  ~Staging() override {
    ::unsetenv("KILN_FAKE_CUDA_LOG");
    ::unsetenv("KILN_FAKE_CUDA");
    std::filesystem::remove(log_);
  }

  /// Bytes that say where they are, others for each seed.
  static std::vector<uint8_t> bytesOf(size_t bytes, uint64_t seed) {
    std::vector<uint8_t> made(bytes);
    uint8_t *to = made.data();
    for (size_t i = 0; i < bytes; ++i)
      to[i] = uint8_t((i + seed) * 0x9e3779b97f4a7c15u >> 56);
    return made;
  }
  std::vector<uint8_t> download(const Storage &memory, size_t bytes) {
    std::vector<uint8_t> found(bytes);
    EXPECT_TRUE(device->download(found.data(), memory.data(), bytes));
    return found;
  }
  std::shared_ptr<Storage> allocate(size_t bytes) {
    return *device->allocate(bytes, "test");
  }
  /// From the last byte of so many on, copies go by way of buffers.
  void upload(size_t bytes) {
    auto memory = allocate(4 * kMiB);
    std::vector<uint8_t> piece(4 * kMiB);
    for (; bytes != 0; bytes -= std::min(bytes, piece.size()))
      ASSERT_TRUE(device->upload(memory->data(), piece.data(),
                                 std::min(bytes, piece.size())));
  }
  /// Lines of what the driver was asked for.
  size_t count(const std::string &line) {
    auto text = readFile(log_);
    std::string all = "\n" + std::string(text->begin(), text->end());
    size_t found = 0;
    for (size_t at = 0; (at = all.find("\n" + line + "\n", at)) != all.npos;
         ++at)
      ++found;
    return found;
  }
  const std::string pin_ = "pin " + std::to_string(kBufferBytes);

private:
  const std::string log_ = (std::filesystem::temp_directory_path() /
                            ("kiln-staging." + std::to_string(::getpid())))
                               .string();
};

TEST_F(Staging, BringsTheBytes) {
  upload(kWorth);
  for (size_t bytes :
       {kMiB, kBufferBytes - 1, kBufferBytes, kBufferBytes + 1,
        2 * kBufferBytes, 2 * kBufferBytes + 1, 3 * kBufferBytes - 5}) {
    std::vector<uint8_t> sent = bytesOf(bytes, 7);
    auto memory = allocate(bytes);
    ASSERT_TRUE(device->upload(memory->data(), sent.data(), bytes));
    EXPECT_TRUE(download(*memory, bytes) == sent) << bytes;
  }
  EXPECT_EQ(count("upload " + std::to_string(kBufferBytes)),
            1u + 1 + 2 + 2 + 2);
}

// The source is changed before anything was waited for, and each buffer is used
// anew.
TEST_F(Staging, HasReadTheSourceWhenItReturns) {
  upload(kWorth);
  constexpr size_t kBytes = kBufferBytes + 3;
  std::vector<std::shared_ptr<Storage>> memories;
  for (unsigned i = 0; i < 4; ++i) {
    memories.push_back(allocate(kBytes));
    std::vector<uint8_t> sent = bytesOf(kBytes, i);
    ASSERT_TRUE(device->upload(memories[i]->data(), sent.data(), kBytes));
    std::fill(sent.begin(), sent.end(), 0);
  }
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_TRUE(download(*memories[i], kBytes) == bytesOf(kBytes, i)) << i;
}

TEST_F(Staging, WaitsForNothingButTheBuffer) {
  upload(kWorth);
  auto memory = allocate(5 * kBufferBytes);
  std::vector<uint8_t> sent(5 * kBufferBytes);
  uint64_t waits = device->stats().synchronizations;
  size_t ends = count("wait");
  ASSERT_TRUE(device->upload(memory->data(), sent.data(), sent.size()));
  EXPECT_EQ(device->stats().synchronizations, waits);
  EXPECT_EQ(count("wait"), ends);
}

TEST_F(Staging, KeepsTheOrderOfTheStream) {
  upload(kWorth);
  auto memory = allocate(kMiB), copy = allocate(kMiB);
  std::vector<uint8_t> first = bytesOf(kMiB, 1), second = bytesOf(1000, 2);
  ASSERT_TRUE(device->upload(memory->data(), first.data(), kMiB));
  ASSERT_TRUE(device->copy(copy->data(), memory->data(), kMiB));
  ASSERT_TRUE(device->upload(memory->data(), second.data(), second.size()));
  EXPECT_TRUE(download(*copy, kMiB) == first);
  std::copy(second.begin(), second.end(), first.begin());
  EXPECT_TRUE(download(*memory, kMiB) == first);
}

TEST_F(Staging, MayBeAskedByThreads) {
  upload(kWorth);
  constexpr size_t kBytes = 2 * kBufferBytes + 1;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      std::vector<uint8_t> sent = bytesOf(kBytes, i);
      auto memory = allocate(kBytes);
      EXPECT_TRUE(device->upload(memory->data(), sent.data(), kBytes));
      EXPECT_TRUE(download(*memory, kBytes) == sent) << i;
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Staging, BeginsWhenItIsWorthItsMemory) {
  upload(kWorth - 1);
  EXPECT_EQ(count(pin_), 0u);
  upload(kMiB - 1); // small ones do not count
  EXPECT_EQ(count(pin_), 0u);
  upload(kMiB);
  EXPECT_EQ(count(pin_), 2u);
  upload(kWorth);
  EXPECT_EQ(count(pin_), 2u);
  EXPECT_EQ(count("un" + pin_), 0u);
  // Copies may be under way.
  std::shared_ptr<Storage> memory = allocate(kMiB);
  std::vector<uint8_t> sent(kMiB);
  ASSERT_TRUE(device->upload(memory->data(), sent.data(), kMiB));
  memory.reset();
  device.reset();
  EXPECT_EQ(count("un" + pin_), 2u);
  device = *cuda::openDevice({});
  EXPECT_TRUE(device->synchronize());
}

TEST_F(Staging, LeavesCopiesToTheDriverWhereMemoryIsShort) {
  // One buffer is made and given back; it is not tried again.
  ::setenv("KILN_FAKE_CUDA", "pinned=20000000", 1);
  upload(2 * kWorth);
  EXPECT_EQ(count(pin_), 1u);
  EXPECT_EQ(count("un" + pin_), 1u);
  const size_t bytes = kBufferBytes + 1;
  auto memory = allocate(bytes);
  std::vector<uint8_t> sent = bytesOf(bytes, 3);
  ASSERT_TRUE(device->upload(memory->data(), sent.data(), bytes));
  EXPECT_TRUE(download(*memory, bytes) == sent);
  EXPECT_EQ(count("upload " + std::to_string(bytes)), 1u);
}

// What is page-locked already goes as it is.
TEST_F(Staging, TakesNoPageLockedMemory) {
  upload(kWorth);
  const size_t bytes = kBufferBytes + 1;
  std::vector<uint8_t> sent = bytesOf(bytes, 4);
  std::copy_n("page-locked", 11, sent.begin());
  auto memory = allocate(bytes);
  uint64_t waits = device->stats().synchronizations;
  ASSERT_TRUE(device->upload(memory->data(), sent.data(), bytes));
  EXPECT_EQ(device->stats().synchronizations, waits + 1);
  EXPECT_EQ(count("upload " + std::to_string(bytes)), 1u);
  EXPECT_TRUE(download(*memory, bytes) == sent);
}

} // namespace
