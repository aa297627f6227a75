//===- HostileArgumentsTest.cpp - Calls that make no sense ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operator is called with arguments of wrong number, type, rank and
// range. It may accept or refuse; it must return, and an error must say
// something.
//
//===----------------------------------------------------------------------===//

#include "kiln/Eager/Registry.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace kiln;
using namespace kiln::runtime;

static Tensor tensor(DType dtype, std::vector<int64_t> sizes) {
  auto result = Tensor::empty(dtype, std::move(sizes));
  EXPECT_TRUE(result);
  std::memset(result->storage()->data(), 1, result->storage()->bytes());
  if (dtype == DType::F32)
    for (int64_t i = 0; i < result->numel(); ++i)
      result->dataAs<float>()[i] = float(i) / 2 - 1;
  if (dtype == DType::I64)
    for (int64_t i = 0; i < result->numel(); ++i)
      result->dataAs<int64_t>()[i] = i % 3;
  return *result;
}

static std::vector<OpValue> strangeValues() {
  using List = OpValue::List;
  return {OpValue(),
          Tensor(),
          tensor(DType::F32, {}),
          tensor(DType::F32, {3}),
          tensor(DType::F32, {2, 3}),
          tensor(DType::F32, {1, 2, 4, 4}),
          tensor(DType::F32, {2, 2, 3}),
          tensor(DType::F32, {0, 3}),
          tensor(DType::I64, {2, 3}),
          tensor(DType::I64, {0}),
          tensor(DType::Bool, {3}),
          tensor(DType::C64, {2, 2}),
          tensor(DType::F8E4M3FN, {2, 2}),
          tensor(DType::U64, {2}),
          true,
          int64_t(-1),
          int64_t(0),
          int64_t(2),
          INT64_MIN,
          2.5,
          -1e300,
          std::complex<double>(0, 1),
          std::string("floor"),
          std::string(),
          DType::F32,
          DType::F8E5M2,
          List(),
          List{int64_t(0), int64_t(1)},
          List{int64_t(-1), int64_t(3)},
          List{int64_t(1) << 62, int64_t(1) << 62},
          List{tensor(DType::F32, {3}), tensor(DType::F32, {3})},
          List{OpValue(), tensor(DType::I64, {2})}};
}

TEST(HostileArgumentsTest, EveryOperatorReturns) {
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  std::mt19937 random(7);
  size_t accepted = 0;
  for (const std::string &name : registry.names()) {
    if (name == "aten._print.default")
      continue; // would write what it is given
    OpFunction function = registry.find(name);
    for (int round = 0; round < 60; ++round) {
      auto values = strangeValues();
      OpArguments arguments;
      size_t count = random() % 10;
      for (size_t i = 0; i < count; ++i) // tensors first, as in most schemas
        arguments.push_back(
            values[i == 0 || random() % 3 == 0 ? 2 + random() % 12
                                               : random() % values.size()]);
      SCOPED_TRACE(name);
      auto result = function(arguments);
      if (result)
        ++accepted;
      else
        EXPECT_FALSE(result.error().message.empty()) << name;
    }
  }
  EXPECT_GT(accepted, 1000u); // some of these calls do make sense
}

TEST(HostileArgumentsTest, ReadOnlyStorageIsNotWritten) {
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  float values[3] = {1, 2, 3};
  auto storage = Storage::borrow(values, sizeof(values), nullptr, true);
  auto x = Tensor::view(storage, DType::F32, {3}, {1}, 0);
  ASSERT_TRUE(x);
  for (const char *name : {"aten.relu_.default", "aten.zero_.default"}) {
    auto result = registry.find(name)({*x});
    ASSERT_FALSE(result) << name;
    EXPECT_NE(result.error().message.find("read-only"), std::string::npos);
  }
  EXPECT_EQ(values[1], 2);
}
