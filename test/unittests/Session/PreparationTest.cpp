//===- PreparationTest.cpp - Weights that are packed once -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session that computes things of its weights once gives the values of one
// that computes everything in each call, whatever happens to the weights.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include <thread>

using namespace kiln;
using namespace kiln::test;
using namespace kiln::session;
using runtime::Tensor;

namespace {

constexpr const char *kModel = "attention_dynamic_batch/train.pt2";

/// Sessions of one model, of which the second prepares nothing.
class Preparation : public testing::Test {
protected:
  void SetUp() override {
    auto read = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
    ASSERT_TRUE(bool(read));
    io = std::move(*read);
    for (bool prepares : {true, false}) {
      SessionOptions wanted = options("", Backend::Inductor);
      if (!prepares)
        wanted.preparedMemory = 0;
      auto opened = Session::open(inputs(kModel), wanted);
      ASSERT_TRUE(bool(opened)) << opened.error().message;
      (prepares ? session : plain) = std::move(*opened);
    }
  }

  static std::vector<runtime::OpValue> inputsOf(const archive::IoSet &set) {
    std::vector<runtime::OpValue> values;
    for (const archive::IoValue &input : set.inputs)
      values.emplace_back(tensorOf(input));
    return values;
  }

  /// Both give the same for each recorded set of inputs.
  void compare(const char *when) {
    std::vector<const archive::IoSet *> sets = {&io.main};
    for (const archive::IoSet &other : io.alts)
      sets.push_back(&other);
    for (const archive::IoSet *set : sets) {
      auto got = session->call(inputsOf(*set));
      auto expected = plain->call(inputsOf(*set));
      ASSERT_TRUE(got && expected) << when;
      for (size_t i = 0; i < got->size(); ++i) {
        auto &a = std::get<Tensor>((*got)[i].value);
        auto &b = std::get<Tensor>((*expected)[i].value);
        ASSERT_EQ(a.numel(), b.numel());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.numel() * 4), 0) << when;
      }
    }
  }

  /// The first weight with rows and columns, and its contents times `factor`.
  std::pair<std::string, Tensor> scaled(float factor) {
    const package::Program &program =
        session->function().variant(0).package().programs.front();
    for (const package::Slot &slot : program.slots) {
      if (slot.kind != package::Slot::Kind::Parameter || slot.sizes.size() != 2)
        continue;
      Tensor weight = *session->weight(slot.path).clone();
      for (int64_t i = 0; i < weight.numel(); ++i)
        weight.dataAs<float>()[i] *= factor;
      return {slot.path, weight};
    }
    ADD_FAILURE() << "there is no such weight";
    return {};
  }

  /// Launches of a call.
  uint64_t countLaunches() {
    uint64_t before = session->function().stats().kernels;
    EXPECT_TRUE(bool(session->call(inputsOf(io.main))));
    return session->function().stats().kernels - before;
  }

  archive::IoFile io;
  std::unique_ptr<Session> session, plain;
};

} // namespace

TEST_F(Preparation, IsDoneOnceAndAgainForOtherWeights) {
  uint64_t first = countLaunches(), second = countLaunches();
  EXPECT_LT(second, first);
  EXPECT_EQ(countLaunches(), second);
  compare("at the beginning");
  auto [name, contents] = scaled(-1.5f);
  for (Session *each : {session.get(), plain.get()})
    ASSERT_TRUE(bool(each->setWeight(name, contents)));
  EXPECT_EQ(countLaunches(), first);
  EXPECT_EQ(countLaunches(), second);
  compare("with another weight");
  for (Session *each : {session.get(), plain.get()})
    ASSERT_TRUE(bool(each->resetWeights()));
  compare("with the first weights again");
}

TEST_F(Preparation, IsNotDisturbedByCallsThatFail) {
  std::vector<runtime::OpValue> wrong = inputsOf(io.main);
  wrong[0] = *Tensor::empty(DType::F32, {1});
  EXPECT_FALSE(bool(session->call(wrong)));
  compare("behind a first call that failed");
  EXPECT_FALSE(bool(session->call(wrong)));
  compare("behind another one");
}

TEST_F(Preparation, GivesOutWeightsToReadAlone) {
  compare("at the beginning");
  auto [name, contents] = scaled(2);
  for (Session *each : {session.get(), plain.get()})
    ASSERT_TRUE(bool(each->setWeight(name, contents)));
  EXPECT_TRUE(session->weight(name).storage()->readOnly());
  // The session has a copy of what it was given.
  contents.dataAs<float>()[0] = 1e9f;
  compare("with another weight");
}

TEST_F(Preparation, IsSharedByThreads) {
  auto expected = plain->call(inputsOf(io.main));
  ASSERT_TRUE(bool(expected));
  ASSERT_TRUE(bool(session->call(inputsOf(io.main))));
  auto [name, contents] = scaled(1);
  ASSERT_TRUE(bool(session->setWeight(name, contents)));
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        auto got = session->callShared(inputsOf(io.main));
        ASSERT_TRUE(bool(got));
        auto &a = std::get<Tensor>((*got)[0].value);
        auto &b = std::get<Tensor>((*expected)[0].value);
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.numel() * 4), 0);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
