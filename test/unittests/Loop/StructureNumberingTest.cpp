//===- StructureNumberingTest.cpp - Which operations are equal ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Utils/StructureNumbering.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

class Numbering : public testing::Test {
protected:
  Numbering() { context.loadDialect<LoopDialect, func::FuncDialect>(); }

  /// The numbers of all nests or kernels of a function of two arguments, `%x` and
  /// `%y`, in order.
  std::vector<unsigned> number(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) {" + body +
            "return }",
        &context);
    EXPECT_TRUE(module);
    std::vector<unsigned> found;
    if (!module)
      return found;
    auto function = cast<func::FuncOp>(module->getBody()->front());
    for (Operation &op : function.getBody().front())
      if (isa<NestOpInterface, KernelOp>(op))
        found.push_back(numbers.getNumber(&op));
    return found;
  }

  /// A nest whose value is `formula`, as %v, of %a = tensor[%i].
  static std::string nest(const std::string &formula,
                          const std::string &tensor = "%x",
                          const std::string &clause = "") {
    return "%n" + std::to_string(++count) +
           " = loop.pointwise (%i) in [4] " + clause +
           " : tensor<4xf32> { %a = loop.load " + tensor +
           "[%i] : tensor<4xf32>\n" + formula + "\nloop.yield %v : f32 }\n";
  }

  static std::string kernel(const std::string &name, const std::string &input,
                            const std::string &clause, const char *extent) {
    return "%k" + std::to_string(++count) + " = loop.kernel @" + name +
           " ins(%t = " + input + " : tensor<4xf32>) shared [4] " + clause +
           " -> tensor<4xf32> {" +
           "%p = loop.pointwise (%i) in [" + extent +
           "] origins [\"" + name + "\"] : tensor<4xf32> {" +
           "%a = loop.load %t[%i] : tensor<4xf32>\nloop.yield %a : f32 }\n"
           "loop.return %p : tensor<4xf32> }\n";
  }

  static inline int count = 0;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  StructureNumbering numbers;
};

TEST_F(Numbering, NamesSayNothing) {
  auto n = number(nest("%v = math.exp %a : f32") +
                  nest("%v = math.exp %a : f32", "%x", "origins [\"exp\"]") +
                  nest("%v = math.sin %a : f32"));
  EXPECT_EQ(n[0], n[1]);
  EXPECT_NE(n[0], n[2]);
}

TEST_F(Numbering, AdditionCommutesAndSubtractionDoesNot) {
  const char *two = "%b = math.exp %a : f32\n%v = arith.";
  auto n = number(nest(two + std::string("addf %a, %b : f32")) +
                  nest(two + std::string("addf %b, %a : f32")) +
                  nest(two + std::string("subf %a, %b : f32")) +
                  nest(two + std::string("subf %b, %a : f32")));
  EXPECT_EQ(n[0], n[1]);
  EXPECT_NE(n[2], n[3]);
}

TEST_F(Numbering, AttributesAndTypesCount) {
  auto n = number(nest("%v = arith.mulf %a, %a : f32") +
                  nest("%v = arith.mulf %a, %a fastmath<contract> : f32") +
                  nest("%c = arith.constant 1.0 : f32\n%v = arith.addf %a, %c : f32") +
                  nest("%c = arith.constant 2.0 : f32\n%v = arith.addf %a, %c : f32"));
  EXPECT_NE(n[0], n[1]);
  EXPECT_NE(n[2], n[3]);
}

TEST_F(Numbering, ConstantsAreEqualWhereverTheyStand) {
  auto n = number("%c = arith.constant 1.0 : f32\n%d = arith.constant 1.0 : f32\n" +
                  nest("%v = arith.addf %a, %c : f32") +
                  nest("%v = arith.addf %a, %d : f32"));
  EXPECT_EQ(n[0], n[1]);
}

TEST_F(Numbering, WhatIsCapturedMustBeEqual) {
  std::string exp = "%v = math.exp %a : f32";
  int first = count + 1;
  std::string chain = nest(exp) + nest(exp) + nest(exp, "%y");
  auto name = [&](int k) { return "%n" + std::to_string(first + k); };
  chain += nest(exp, name(0)) + nest(exp, name(1)) + nest(exp, name(2));
  auto n = number(chain);
  EXPECT_EQ(n[0], n[1]);
  EXPECT_NE(n[0], n[2]);
  // Equal nests give equal tensors.
  EXPECT_EQ(n[3], n[4]);
  EXPECT_NE(n[3], n[5]);
}

TEST_F(Numbering, InputsOfKernelsCorrespondByPosition) {
  std::string traffic =
      "traffic #loop.traffic<read = 1, written = 2, unfused = 3>";
  auto n = number(kernel("k0", "%x", "", "4") + kernel("k1", "%y", traffic, "4"));
  EXPECT_EQ(n[0], n[1]);
}

TEST_F(Numbering, SchedulesOfKernelsCount) {
  auto schedule = [](int lanes) {
    return "schedule #loop.across<lanes = " + std::to_string(lanes) +
           ", chunk = 8, sum_block = 0, masked = false, grain = 1>";
  };
  auto n = number(kernel("k0", "%x", schedule(4), "4") +
                  kernel("k1", "%x", schedule(4), "4") +
                  kernel("k2", "%x", schedule(8), "4"));
  EXPECT_EQ(n[0], n[1]);
  EXPECT_NE(n[0], n[2]);
}

/// Which number is which still does.
TEST_F(Numbering, NumbersAreNoPartOfAKernel) {
  auto code = [](int first, int second, const char *used) {
    return nest("%m = loop.number " + std::to_string(first) +
                    "\n%n = loop.number " + std::to_string(second) +
                    "\n%s = arith.addi %m, " + used +
                    " : i64\n%v = arith.sitofp %s : i64 to f32",
                "%t");
  };
  auto around = [&](const std::string &body) {
    return "%k" + std::to_string(++count) +
           " = loop.kernel @k ins(%t = %x : tensor<4xf32>) shared [4] -> "
           "tensor<4xf32> {\n" +
           body + "loop.return %n" + body.substr(2, body.find(' ') - 2) +
           " : tensor<4xf32> }\n";
  };
  auto n = number(around(code(1, 2, "%n")) + around(code(3, 3, "%n")) +
                  around(code(1, 2, "%m")));
  EXPECT_EQ(n[0], n[1]);
  EXPECT_NE(n[0], n[2]);
  // Two nests are not the same tensor.
  std::string convert = "\n%v = arith.sitofp %m : i64 to f32";
  auto nests = number(nest("%m = loop.number 1" + convert) +
                      nest("%m = loop.number 2" + convert) +
                      nest("%m = loop.number 1" + convert));
  EXPECT_NE(nests[0], nests[1]);
  EXPECT_EQ(nests[0], nests[2]);
}

TEST_F(Numbering, WhatHasEffectsIsItsOwn) {
  const char *call = "= loop.extern \"aten.rand.default\"() arguments [] reason "
                     "\"\" : () -> tensor<4xf32>\n";
  auto n = number("%r " + std::string(call) + "%s " + call +
                  nest("%v = math.exp %a : f32", "%r") +
                  nest("%v = math.exp %a : f32", "%s"));
  EXPECT_NE(n[0], n[1]);
}

/// A value that is used twice at each of 60 steps: 2^60 paths, 60 operations.
TEST_F(Numbering, EachOperationIsLookedAtOnce) {
  std::string body;
  std::string last = "%a";
  for (int k = 0; k < 60; ++k) {
    std::string next = k == 59 ? "%v" : "%v" + std::to_string(k);
    body += next + " = arith.addf " + last + ", " + last + " : f32\n";
    last = next;
  }
  auto n = number(nest(body) + nest(body));
  EXPECT_EQ(n[0], n[1]);
}

} // namespace
