//===- InPlaceTest.cpp - Functional forms of operators --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are compared with PyTorch's by the pack of test/Inputs/in-place; here
// is which form each overload has, for all that PyTorch has.
//
//===----------------------------------------------------------------------===//

#include "ImportTestSupport.h"

#include "kiln/Import/InPlace.h"

#include <fstream>
#include <map>

using namespace kiln;
using namespace kiln::test;

/// Each overload of PyTorch that changes one tensor, with the overload that takes
/// the same arguments, by name and kind, and changes none.
TEST(InPlace, EachOverloadHasTheFormWithTheSameArguments) {
  const char *folder = std::getenv("KILN_TEST_INPUTS");
  ASSERT_NE(folder, nullptr);
  std::ifstream lines(std::string(folder) + "/in-place/functional-forms.txt");
  // These have a form that has no record, and another that does the same.
  const std::map<std::string, std::string> others = {
      {"aten.zero_.default", "aten.fill.Scalar"},
      {"aten._index_put_impl_.default", "aten.index_put.default"},
      {"aten.divide.out", "aten.div.Tensor"},
      {"aten.divide.out_mode", "aten.div.Tensor_mode"},
      {"aten.multiply.out", "aten.mul.Tensor"},
      {"aten.subtract.out", "aten.sub.Tensor"}};
  size_t count = 0;
  for (std::string changing, functional; lines >> changing >> functional;) {
    ++count;
    if (auto it = others.find(changing); it != others.end())
      functional = it->second;
    EXPECT_EQ(pt2::functionalName(changing), functional) << "of " << changing;
  }
  EXPECT_GT(count, 1000u);
}

TEST(InPlace, WhatChangesNothingHasNoForm) {
  for (const char *overload :
       {"aten.add.Tensor", "aten.__and__.Tensor", "aten._to_copy.default",
        "aten.silu.default", "aten.max.dim_max"})
    EXPECT_EQ(pt2::functionalName(overload), "") << "of " << overload;
}

/// What has no functional form here is refused by its name, never for the
/// arguments of another overload.
TEST(InPlace, WhatIsMissingIsNamed) {
  for (std::string name :
       {"_add_relu_.Tensor", "cauchy_.default", "copy_.float",
        "embedding_renorm_.default", "geometric_.default", "i0_.default",
        "igamma_.default", "log_normal_.default", "random_.from",
        "resize_as_.default", "rrelu_with_noise_.default", "set_.default",
        "max.dim_max"}) {
    ProgramMaker p = cloneOf({3});
    p.call("aten." + name, {{"self", t("y")}}, {"z", {3}});
    p.output("z");
    expectError(p, {iota({3})}, ErrorKind::Unsupported,
                {name.c_str(), "is neither compiled nor an eager operator"});
  }
}

/// The argument that changes need not be the functional form's first one.
TEST(InPlace, ArgumentsAreFoundByName) {
  ProgramMaker p = cloneOf({3});
  p.call("aten.polygamma_.default", {{"self", t("y")}, {"n", i(1)}},
         {"z", {3}});
  p.call("aten.mul_.Tensor", {{"self", t("z")}, {"other", i(0)}}, {"m", {3}});
  p.output("m");
  // polygamma(1, 0) is infinite.
  auto results = runBy(Backend::Inductor, p, {iota({3})});
  ASSERT_TRUE(results) << results.error().message;
  Floats found = floatsOf((*results)["m"]);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0], found[0]);
  EXPECT_EQ(found[1], 0);
}

TEST(InPlace, ANumberIsNoTensor) {
  ProgramMaker p = cloneOf({3});
  p.call("aten.pow_.Scalar", {{"self", t("y")}, {"exponent", f(2)}},
         {"z", {3}});
  p.output("y");
  expectResults(p, {iota({3})}, {{"y", {0, 1, 4}}});
}

TEST(InPlace, ATensorIsMadeInTheTypeThatIsWritten) {
  ProgramMaker p;
  p.input({"x", {3}, DType::I64});
  p.call("aten.clone.default", {{"self", t("x")}}, {"y", {3}, DType::I64});
  p.call("aten.ones.out", {{"size", ints({3})}, {"out", t("y")}},
         {"o", {3}, DType::I64});
  p.call("aten.to.dtype", {{"self", t("y")}, {"dtype", {DType::F32}}},
         {"z", {3}});
  p.output("z");
  auto x = runtime::Tensor::empty(DType::I64, {3});
  std::memset(x->data(), 0, 3 * sizeof(int64_t));
  expectResults(p, {*x}, {{"z", {1, 1, 1}}});
}
