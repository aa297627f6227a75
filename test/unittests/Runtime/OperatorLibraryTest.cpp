//===- OperatorLibraryTest.cpp - Operators over the C interface -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/OperatorLibrary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::runtime;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr uint32_t kF32 = static_cast<uint32_t>(DType::F32);
constexpr uint32_t kI64 = static_cast<uint32_t>(DType::I64);

/// Registers one function and calls it.
Result<std::vector<OpValue>> call(kiln_operator function,
                                  const OpArguments &arguments) {
  kiln_operator_entry entry = {"mylib.op.default", function};
  kiln_operator_library library = {sizeof(library), KILN_OPERATOR_ABI_VERSION,
                                   1, &entry};
  OperatorRegistry registry;
  auto names = addOperators(library, registry);
  if (!names)
    return names.takeError();
  EXPECT_THAT(*names, ElementsAre("mylib.op.default"));
  return registry.find("mylib.op.default")(arguments);
}

std::string errorOf(kiln_operator function, const OpArguments &arguments) {
  auto results = call(function, arguments);
  return results ? "none" : results.error().message;
}

Tensor iota(std::vector<int64_t> sizes) {
  auto tensor = Tensor::empty(DType::F32, std::move(sizes));
  for (int64_t i = 0; i < tensor->numel(); ++i)
    tensor->dataAs<float>()[i] = float(i);
  return *tensor;
}

/// Writes what kinds the arguments have.
int kinds(kiln_operator_call *call) {
  int64_t sizes[] = {int64_t(call->argument_count)};
  kiln_tensor result;
  if (call->make_result(call, 0, kI64, 1, sizes, &result))
    return 1;
  for (size_t i = 0; i < call->argument_count; ++i)
    static_cast<int64_t *>(result.data)[i] = call->arguments[i].kind;
  return 0;
}

TEST(OperatorLibrary, HandsOverEveryKindOfArgument) {
  OpValue::List list = {int64_t(3), OpValue::List{2.0}};
  auto results =
      call(kinds, {OpValue(), iota({2}), true, int64_t(7), 0.5,
                   std::string("none"), DType::F32, OpValue(list), Tensor()});
  ASSERT_TRUE(results) << results.error().message;
  const Tensor &got = std::get<Tensor>((*results)[0].value);
  std::vector<int64_t> values(got.dataAs<int64_t>(),
                              got.dataAs<int64_t>() + got.numel());
  EXPECT_THAT(values,
              ElementsAre(KILN_ARGUMENT_NONE, KILN_ARGUMENT_TENSOR,
                          KILN_ARGUMENT_BOOL, KILN_ARGUMENT_INT,
                          KILN_ARGUMENT_FLOAT, KILN_ARGUMENT_STRING,
                          KILN_ARGUMENT_DTYPE, KILN_ARGUMENT_LIST,
                          KILN_ARGUMENT_NONE));
}

TEST(OperatorLibrary, HandsOverTheElementsOfLists) {
  auto sum = [](kiln_operator_call *call) {
    const kiln_argument &outer = call->arguments[0];
    const kiln_argument &inner = outer.elements[1];
    kiln_tensor result;
    if (call->make_result(call, 0, kF32, 0, nullptr, &result))
      return 1;
    *static_cast<float *>(result.data) =
        float(outer.elements[0].integer + inner.elements[0].real +
              inner.elements[1].integer + double(outer.element_count));
    return 0;
  };
  OpValue::List list = {int64_t(3), OpValue::List{2.5, true}};
  auto results = call(sum, {OpValue(list)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(*std::get<Tensor>((*results)[0].value).dataAs<float>(), 8.5f);
}

TEST(OperatorLibrary, SeesStridesOfViews) {
  auto second = [](kiln_operator_call *call) {
    const kiln_tensor &x = call->arguments[0].tensor;
    kiln_tensor result;
    if (x.rank != 2 || x.sizes[0] != 3 || x.strides[0] != 1)
      return call->fail(call, "expected a transposed tensor");
    if (call->make_result(call, 0, kF32, 1, x.sizes + 1, &result))
      return 1;
    for (int64_t i = 0; i < x.sizes[1]; ++i)
      static_cast<float *>(result.data)[i] =
          static_cast<const float *>(x.data)[x.strides[0] + i * x.strides[1]];
    return 0;
  };
  auto results = call(second, {iota({2, 3}).asStrided({3, 2}, {1, 3}, 0)});
  ASSERT_TRUE(results) << results.error().message;
  const Tensor &got = std::get<Tensor>((*results)[0].value);
  EXPECT_EQ(got.dataAs<float>()[0], 1.0f);
  EXPECT_EQ(got.dataAs<float>()[1], 4.0f);
}

TEST(OperatorLibrary, ReportsWhatAFunctionSays) {
  EXPECT_EQ(errorOf([](kiln_operator_call *call) {
              return call->fail(call, "expected a tensor, found nothing");
            }, {}),
            "expected a tensor, found nothing");
  EXPECT_EQ(errorOf([](kiln_operator_call *) { return 7; }, {}),
            "failed with code 7");
}

int make(kiln_operator_call *call, size_t index, uint32_t dtype,
         uint32_t rank) {
  int64_t sizes[65] = {};
  kiln_tensor result;
  return call->make_result(call, index, dtype, rank, sizes, &result);
}
int makeUntyped(kiln_operator_call *call) { return make(call, 0, 0, 1); }
int makeUnknown(kiln_operator_call *call) { return make(call, 0, 99, 1); }
int makeDeep(kiln_operator_call *call) { return make(call, 0, kF32, 65); }
int makeSecond(kiln_operator_call *call) { return make(call, 1, kF32, 1); }
int makeTwice(kiln_operator_call *call) {
  return make(call, 0, kF32, 1) || make(call, 0, kF32, 1);
}

TEST(OperatorLibrary, RefusesResultsThatAreNone) {
  EXPECT_THAT(errorOf(makeUntyped, {}), HasSubstr("dtype 0"));
  EXPECT_THAT(errorOf(makeUnknown, {}), HasSubstr("dtype 99"));
  EXPECT_THAT(errorOf(makeDeep, {}), HasSubstr("rank 65"));
  EXPECT_EQ(errorOf(makeSecond, {}), "result 0 was not made");
  EXPECT_EQ(errorOf(makeTwice, {}), "result 0 is made twice");
}

TEST(OperatorLibrary, RefusesComplexNumbers) {
  EXPECT_THAT(errorOf(kinds, {std::complex<double>(1, 2)}),
              HasSubstr("complex number"));
}

TEST(OperatorLibrary, RefusesOtherVersionsAndNames) {
  OperatorRegistry registry;
  auto errorOfLibrary = [&](uint32_t version, kiln_operator_entry entry) {
    kiln_operator_library library = {sizeof(library), version, 1, &entry};
    auto names = addOperators(library, registry);
    return names ? std::string("none") : names.error().message;
  };
  EXPECT_THAT(errorOfLibrary(2, {"mylib.op.default", kinds}),
              HasSubstr("found version 2"));
  EXPECT_THAT(errorOfLibrary(1, {"mylib.op", kinds}),
              HasSubstr("operator 'mylib.op'"));
  EXPECT_THAT(errorOfLibrary(1, {nullptr, kinds}), HasSubstr("operator ''"));
  EXPECT_THAT(errorOfLibrary(1, {"mylib.op.default", nullptr}),
              HasSubstr("expected a function"));
  EXPECT_EQ(errorOfLibrary(1, {"mylib.op.default", kinds}), "none");
  EXPECT_THAT(errorOfLibrary(1, {"mylib.op.default", kinds}),
              HasSubstr("registered twice"));
}

TEST(OperatorLibrary, SaysWhyAFileIsNoLibrary) {
  OperatorRegistry registry;
  auto missing = loadOperatorLibrary("/nonexistent/libmylib.so", registry);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::Io);
  // A library, but not of operators.
  auto other = loadOperatorLibrary("libc.so.6", registry);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("exports no 'kiln_operators'"));
}

} // namespace
