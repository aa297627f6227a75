//===- SteadyCallsTest.cpp - Calls that are repeated keep nothing ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A server makes the same call for months. Every byte that `operator new` gave
// and did not get back is counted here, together with the memory of tensors: it
// must be the same after one call and after hundreds. A timing or the size of
// the process would show a few bytes a call only after a long run. Nor does a call
// get memory for tensors, and the locks that it takes are counted.
//
//===----------------------------------------------------------------------===//

#include "kiln-run/Benchmark.h"

#include "kiln/Archive/IoFile.h"
#include "kiln/Runtime/MemoryUse.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <iostream>
#include <new>
#include <pthread.h>

static std::atomic<int64_t> newBytes = 0, newCalls = 0, locks = 0;

/// Before each block is how many bytes were asked for: what a block has may be more, by what
/// was free where it was found.
static constexpr size_t kHeader = alignof(std::max_align_t);

// These serve the libraries of the process as well.
void *operator new(size_t size) {
  auto *memory = static_cast<char *>(std::malloc(kHeader + size));
  if (!memory)
    throw std::bad_alloc();
  std::memcpy(memory, &size, sizeof(size));
  newBytes += static_cast<int64_t>(size);
  ++newCalls;
  return memory + kHeader;
}

void operator delete(void *memory) noexcept {
  if (!memory)
    return;
  char *begin = static_cast<char *>(memory) - kHeader;
  size_t size = 0;
  std::memcpy(&size, begin, sizeof(size));
  newBytes -= static_cast<int64_t>(size);
  std::free(begin);
}

void operator delete(void *memory, size_t) noexcept { operator delete(memory); }

extern "C" int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t *);
  static std::atomic<Lock> next = nullptr;
  Lock lock = next;
  if (!lock) {
    lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    next = lock;
  }
  ++locks;
  return lock(mutex);
}

namespace kiln {
namespace {

using runtime::OpValue;
using session::Session;

int64_t liveBytes() {
  return newBytes + runtime::memoryUse().currentBytes;
}

std::string input(const std::string &name) {
  const char *root = std::getenv("KILN_TEST_INPUTS");
  return std::string(root ? root : "test/Inputs") + "/pt2/" + name;
}

/// Standard input that asks the same question again and again, and notes what
/// is alive whenever the next one is read.
class Questions : public std::streambuf {
public:
  explicit Questions(unsigned count) : left(count) {
    seen.reserve(count + 1);
    previous = std::cin.rdbuf(this);
    std::cin.clear();
  }
  ~Questions() override { std::cin.rdbuf(previous); }

  std::vector<int64_t> seen;

private:
  int_type underflow() override {
    seen.push_back(liveBytes());
    if (left-- == 0)
      return traits_type::eof();
    setg(text, text, text + std::strlen(text));
    return traits_type::to_int_type(text[0]);
  }

  unsigned left;
  char text[16] = "time 50\n";
  std::streambuf *previous;
};

struct Steady {
  const char *model;
  Backend backend;
  bool training;
};

/// The stored inputs as tensors.
void copyInputs(const std::vector<archive::IoValue> &stored,
                std::vector<OpValue> &values) {
  for (const archive::IoValue &value : stored) {
    auto tensor = runtime::Tensor::empty(value.dtype, value.sizes);
    ASSERT_TRUE(bool(tensor));
    std::memcpy(tensor->data(), value.bytes.data(), value.bytes.size());
    values.emplace_back(std::move(*tensor));
  }
}

class SteadyCalls : public testing::TestWithParam<Steady> {};

TEST_P(SteadyCalls, KeepNothing) {
  session::SessionOptions options;
  options.backend = GetParam().backend;
  options.training = GetParam().training;
  options.threads = 1;
  options.verifyEach = true;
  options.reuseOutputs = true;
  auto io = archive::loadIoFile(input(std::string(GetParam().model) +
                                      "/io.json"));
  ASSERT_TRUE(bool(io)) << io.error().message;
  int64_t before = liveBytes();
  auto session =
      Session::open(input(std::string(GetParam().model) + "/train.pt2"),
                    options);
  ASSERT_TRUE(bool(session)) << session.error().message;
  EXPECT_GT(liveBytes(), before) << "allocations are not seen";

  std::vector<OpValue> values;
  ASSERT_NO_FATAL_FAILURE(copyInputs(io->main.inputs, values));
  std::vector<run::TimedCall> calls(1);
  calls[0].sets.push_back(values);
  if (GetParam().training) {
    ASSERT_TRUE(bool((*session)->prepareFor(values)));
    // 1 for each result: any tangent will do.
    const package::Program &forward =
        (*session)->function().variant(0).package().programs[0];
    calls[0].tangents.assign(forward.outputs.size(), OpValue(1.0));
  }
  Questions questions(20);
  Status served = run::serve(**session, GetParam().training, calls);
  ASSERT_TRUE(bool(served)) << served.error().message;
  // What the first fifty calls keep, the next use again.
  ASSERT_EQ(questions.seen.size(), 21u);
  for (size_t i = 2; i < questions.seen.size(); ++i)
    EXPECT_EQ(questions.seen[i], questions.seen[1])
        << "after " << 50 * i << " calls";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, SteadyCalls,
    testing::Values(Steady{"attention_static", Backend::Eager, false},
                    Steady{"attention_static", Backend::AotEager, true},
                    Steady{"attention_static", Backend::Inductor, false},
                    Steady{"attention_static", Backend::Inductor, true},
                    Steady{"attention_dynamic_batch", Backend::Inductor, true}),
    [](const testing::TestParamInfo<Steady> &info) {
      return std::string(info.param.model) + "_" + wordOf(info.param.backend) +
             (info.param.training ? "_training" : "");
    });

/// A compiled session that was called, and its inputs.
void openWarm(const char *model, std::unique_ptr<Session> &session,
              std::vector<OpValue> &values) {
  session::SessionOptions options;
  options.threads = 1;
  options.verifyEach = true;
  options.reuseOutputs = true;
  auto io = archive::loadIoFile(input(std::string(model) + "/io.json"));
  ASSERT_TRUE(bool(io)) << io.error().message;
  auto opened =
      Session::open(input(std::string(model) + "/train.pt2"), options);
  ASSERT_TRUE(bool(opened)) << opened.error().message;
  session = std::move(*opened);
  ASSERT_NO_FATAL_FAILURE(copyInputs(io->main.inputs, values));
  for (unsigned call = 0; call < 20; ++call)
    ASSERT_TRUE(bool(session->call(values)));
}

struct Overhead {
  const char *model;
  int64_t news, locks; ///< of a call, at most
};

class SteadyOverhead : public testing::TestWithParam<Overhead> {};

// What a call gets is the list of its results, and what it locks the list of frames and the
// arena: nothing for tensors or handles of them, and nothing to look at its guards.
TEST_P(SteadyOverhead, ACallGetsNoMemoryForTensors) {
  constexpr int64_t kCalls = 100;
  std::unique_ptr<Session> session;
  std::vector<OpValue> values;
  ASSERT_NO_FATAL_FAILURE(openWarm(GetParam().model, session, values));
  EXPECT_GT(locks, 0) << "locks are not seen";
  ASSERT_GT(session->function().variant(0).guards().size(), 0u);
  runtime::resetMemoryPeak();
  const runtime::MemoryUse before = runtime::memoryUse();
  const int64_t newsBefore = newCalls, locksBefore = locks;
  for (int64_t call = 0; call < kCalls; ++call)
    ASSERT_TRUE(bool(session->call(values)));
  EXPECT_EQ(runtime::memoryUse().peakBytes, before.currentBytes);
  EXPECT_LE(newCalls - newsBefore, kCalls * GetParam().news);
  EXPECT_LE(locks - locksBefore, kCalls * GetParam().locks);
}

INSTANTIATE_TEST_SUITE_P(Programs, SteadyOverhead,
                         testing::Values(Overhead{"attention_static", 1, 2},
                                         Overhead{"attention_dynamic_batch", 1, 3}),
                         [](const testing::TestParamInfo<Overhead> &info) {
                           return std::string(info.param.model);
                         });

TEST(SteadySteps, KeepNothing) {
  session::SessionOptions options;
  options.training = true;
  options.threads = 1;
  options.verifyEach = true;
  options.optimizer = "adamw";
  options.reuseOutputs = true;
  auto io = archive::loadIoFile(input("tied_weights/io.json"));
  ASSERT_TRUE(bool(io)) << io.error().message;
  auto session = Session::open(input("tied_weights/train.pt2"), options);
  ASSERT_TRUE(bool(session)) << session.error().message;
  std::vector<OpValue> values;
  ASSERT_NO_FATAL_FAILURE(copyInputs(io->main.inputs, values));
  int64_t afterWarmUp = 0;
  for (unsigned step = 0; step < 500; ++step) {
    auto result = (*session)->step(values, 1e-3);
    ASSERT_TRUE(bool(result)) << result.error().message;
    result = Error::internal("dropped");
    if (step == 20)
      afterWarmUp = liveBytes();
  }
  EXPECT_EQ(liveBytes(), afterWarmUp);
}

} // namespace
} // namespace kiln
