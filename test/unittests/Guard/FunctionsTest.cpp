//===- FunctionsTest.cpp - Every function of expressions, every check -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/GuardBytecode.h"
#include "kiln/Package/ExprEvaluator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace kiln;
using namespace kiln::guard;
using package::Cell;
using package::ExprFailure;

namespace {

struct Function {
  ExprKind kind;
  const char *name;
  unsigned arity;
  kiln_expr_result result;
};

constexpr Function functions[] = {
#define KILN_EXPR_FUNCTION(kind, OPCODE, code, name, arity, result, text, binds) \
  {ExprKind::kind, name, arity, KILN_EXPR_RESULT_##result},
#include "kiln/ABI/ExprFunctions.def"
};

class FunctionsTest : public ::testing::TestWithParam<Function> {
protected:
  FunctionsTest() {
    context.loadDialect<GuardDialect>();
    // One more than the least of those that take any number.
    count = GetParam().arity == 0 ? 3 : GetParam().arity;
  }

  /// A call with symbols for operands: s0, s1, s2, or the floats zf0, zf1, zf2.
  ExprAttr parseCall(bool ofFloats) {
    std::string text = std::string("#guard.expr<") + GetParam().name + "(";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", " : "") + getName(ofFloats, i);
    return parse(text + ")>");
  }

  ExprAttr parse(const std::string &text) {
    return llvm::dyn_cast_if_present<ExprAttr>(
        mlir::parseAttribute(text, &context));
  }

  static std::string getName(bool ofFloats, unsigned i) {
    return (ofFloats ? "zf" : "s") + std::to_string(i);
  }

  std::vector<uint8_t> encode(ExprAttr expr) {
    std::vector<uint8_t> code;
    std::string error;
    auto index = [](StringRef name) -> std::optional<uint32_t> {
      return name.back() - '0';
    };
    EXPECT_TRUE(succeeded(encodeExpr(expr, index, code, error))) << error;
    return code;
  }

  /// Compares both evaluators, and what the function is by itself, on operands
  /// of one kind.
  void compare(bool ofFloats, ArrayRef<Number> values);

  MLIRContext context;
  unsigned count;
};

bool isSame(const Number &a, const Number &b) {
  if (a.isFloat != b.isFloat)
    return false;
  return a.isFloat ? a.real == b.real || (std::isnan(a.real) &&
                                          std::isnan(b.real))
                   : a.integer == b.integer;
}

void FunctionsTest::compare(bool ofFloats, ArrayRef<Number> values) {
  ExprAttr call = parseCall(ofFloats);
  ASSERT_TRUE(call);
  package::Expr program{encode(call)};
  ASSERT_TRUE(package::checkExpr(program, count));
  unsigned found = 0;
  SmallVector<unsigned> choice(count, 0);
  do {
    SmallVector<Number> operands;
    std::vector<Cell> cells;
    for (unsigned i : choice) {
      operands.push_back(values[i]);
      cells.push_back(ofFloats ? Cell::ofFloat(values[i].real)
                               : Cell::ofInteger(values[i].integer));
    }
    auto folded = evaluate(call, [&](ExprAttr leaf) -> std::optional<Number> {
      return operands[leaf.getSymbol().getValue().back() - '0'];
    });
    Cell cell;
    ExprFailure failure = package::evaluate(program, cells.data(), cell);
    ASSERT_EQ(folded.has_value(), failure == ExprFailure::None);
    auto plain = apply(GetParam().kind, operands);
    // What the builder wrote instead may have lost an error, never a value.
    ASSERT_TRUE(!plain || folded);
    if (!folded)
      continue;
    Number run = cell.isInteger() ? Number::of(cell.integer)
                                  : Number::of(cell.real);
    ASSERT_TRUE(isSame(*folded, run)) << call.str();
    ASSERT_TRUE(!plain || isSame(*folded, *plain)) << call.str();
    ASSERT_EQ(folded->isFloat, call.isFloatTyped()) << call.str();
    ++found;
  } while ([&] {
    for (unsigned &i : choice) {
      if (++i < values.size())
        return true;
      i = 0;
    }
    return false;
  }());
  EXPECT_GT(found, 0u) << call.str();
}

TEST_P(FunctionsTest, HasItsNameAndArity) {
  EXPECT_EQ(getFunctionName(GetParam().kind), GetParam().name);
  EXPECT_EQ(lookUpFunction(GetParam().name), GetParam().kind);
  EXPECT_EQ(getArity(GetParam().kind), GetParam().arity);
  EXPECT_EQ(isTruthFunction(GetParam().kind),
            GetParam().result == KILN_EXPR_RESULT_TRUTH);
}

TEST_P(FunctionsTest, TextIsReadBack) {
  ExprAttr call = parseCall(/*ofFloats=*/false);
  ASSERT_TRUE(call);
  EXPECT_EQ(parse("#guard.expr<" + call.str() + ">"), call);
}

TEST_P(FunctionsTest, IntegersGiveOneNumberEverywhere) {
  // The lowest integer has no negative, with which the builder writes `ceildiv`.
  std::vector<Number> values;
  for (int64_t value : {int64_t(0), int64_t(1), int64_t(2), int64_t(-1),
                        int64_t(-7), int64_t(12), Interval::kMax,
                        Interval::kMin + 1})
    values.push_back(Number::of(value));
  compare(/*ofFloats=*/false, values);
}

TEST_P(FunctionsTest, FloatsGiveOneNumberEverywhere) {
  if (GetParam().result == KILN_EXPR_RESULT_INTEGER && GetParam().arity == 2) {
    EXPECT_FALSE(apply(GetParam().kind, {Number::of(3.0), Number::of(2.0)}));
    return;
  }
  std::vector<Number> values;
  for (double value : {0.0, -0.0, 0.5, 1.0, -1.5, 2.5, 7.0, 1e300, HUGE_VAL})
    values.push_back(Number::of(value));
  compare(/*ofFloats=*/true, values);
}

INSTANTIATE_TEST_SUITE_P(Table, FunctionsTest, ::testing::ValuesIn(functions),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
