//===- BytecodeTest.cpp - Expressions for the runtime ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/ABI/GuardABI.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::guard;

namespace {

class BytecodeTest : public ::testing::Test {
protected:
  BytecodeTest() { context.loadDialect<GuardDialect>(); }

  static std::optional<uint32_t> lookUp(StringRef name) {
    if (name == "s0")
      return 2;
    return std::nullopt;
  }

  MLIRContext context;
  std::vector<uint8_t> code;
  std::string error;
};

TEST_F(BytecodeTest, PostfixOrder) {
  ExprAttr e = getSymbol(&context, "s0") * 3 + 1;
  ASSERT_TRUE(succeeded(encodeExpr(e, lookUp, code, error)));
  std::vector<uint8_t> expected = {
      KILN_EXPR_PUSH_SYMBOL, 2, 0, 0, 0,
      KILN_EXPR_PUSH_INT,    3, 0, 0, 0, 0, 0, 0, 0,
      KILN_EXPR_MUL,
      KILN_EXPR_PUSH_INT,    1, 0, 0, 0, 0, 0, 0, 0,
      KILN_EXPR_ADD};
  EXPECT_EQ(code, expected);
}

TEST_F(BytecodeTest, UnknownSymbolLeavesTheCodeAlone) {
  code = {42};
  ExprAttr e = getSymbol(&context, "s0") + getSymbol(&context, "s9");
  EXPECT_TRUE(failed(encodeExpr(e, lookUp, code, error)));
  EXPECT_EQ(error, "symbol 's9' is not bound by any input or step");
  EXPECT_EQ(code, std::vector<uint8_t>{42});
}

TEST_F(BytecodeTest, IndicesHaveNoValue) {
  EXPECT_TRUE(failed(encodeExpr(getDim(&context, 0), lookUp, code, error)));
  EXPECT_EQ(error, "loop index 'd0' has no value outside of a kernel");
}

} // namespace
