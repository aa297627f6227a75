//===- ReductionsTest.cpp - What every kind of reduction promises ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For all records of LoopReductions.td and all types that they accept. Formulas are
// evaluated by folding the operations that they give.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

using State = SmallVector<Attribute>;

/// A kind on accumulators of one type; indices are i64.
struct Case {
  ReductionKind kind;
  Type type;
  bool isUnsigned;

  const ReductionRecord &record() const { return getRecord(kind); }
  Type typeOf(unsigned position) const {
    return record().carried[position].name == "index"
               ? IntegerType::get(type.getContext(), 64)
               : type;
  }
};

class Reductions : public testing::Test {
protected:
  Reductions() { context.loadDialect<LoopDialect>(); }

  std::vector<Case> getCases() {
    Builder b(&context);
    std::vector<Case> cases;
    for (unsigned k = 0; k <= getMaxEnumValForReductionKind(); ++k) {
      auto kind = static_cast<ReductionKind>(k);
      for (auto [type, isUnsigned] :
           {std::pair<Type, bool>(b.getF32Type(), false),
            {b.getI32Type(), false},
            {b.getI32Type(), true},
            {b.getI1Type(), true}})
        if (kind != ReductionKind::Generic &&
            getRecord(kind).carried[0].accepts(type))
          cases.push_back({kind, type, isUnsigned});
    }
    return cases;
  }

  State getNeutral(const Case &test) {
    Builder b(&context);
    State state;
    for (unsigned p = 0; p < test.record().carried.size(); ++p)
      state.push_back(loop::getNeutral(b, test.kind, p, test.typeOf(p),
                                       test.isUnsigned));
    return state;
  }

  /// What bodies may yield.
  std::vector<State> getSamples(const Case &test) {
    Builder b(&context);
    std::vector<State> samples;
    for (int x : {3, -2, 1, 3, 0}) {
      State state;
      for (auto [p, value] : llvm::enumerate(test.record().carried)) {
        int64_t number = value.name == "index"     ? samples.size()
                         : value.name == "weight"  ? 1
                         : value.name == "squares" ? 0
                                                   : x;
        Type type = test.typeOf(p);
        if (type.isInteger(1))
          state.push_back(b.getBoolAttr(number & 1));
        else if (isa<FloatType>(type))
          state.push_back(b.getFloatAttr(type, double(number) / 4));
        else
          state.push_back(b.getIntegerAttr(type, number));
      }
      samples.push_back(state);
    }
    return samples;
  }

  State combine(const Case &test, const State &left, const State &right) {
    Block block;
    ImplicitLocOpBuilder b(UnknownLoc::get(&context), &context);
    b.setInsertionPointToEnd(&block);
    llvm::DenseMap<Value, Attribute> known;
    auto add = [&](const State &state) {
      SmallVector<Value> values;
      for (Attribute attr : state)
        values.push_back(
            arith::ConstantOp::create(b, cast<TypedAttr>(attr)));
      return values;
    };
    SmallVector<Value> x = add(left), y = add(right), result;
    combineKind(b, test.kind, test.isUnsigned, x, y, result);
    for (Operation &op : block) {
      SmallVector<Attribute> operands;
      for (Value operand : op.getOperands())
        operands.push_back(known.lookup(operand));
      SmallVector<OpFoldResult> folded;
      if (failed(op.fold(operands, folded)) || folded.size() != 1) {
        ADD_FAILURE() << op.getName().getStringRef().str() << " is not folded";
        return {};
      }
      auto value = dyn_cast<Value>(folded[0]);
      known[op.getResult(0)] =
          value ? known.lookup(value) : cast<Attribute>(folded[0]);
    }
    return llvm::map_to_vector(result,
                               [&](Value value) { return known.lookup(value); });
  }

  static void expectEqual(const State &found, const State &expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (auto [x, y] : llvm::zip_equal(found, expected)) {
      auto number = dyn_cast_or_null<FloatAttr>(x);
      if (number && x != y)
        EXPECT_NEAR(number.getValueAsDouble(),
                    cast<FloatAttr>(y).getValueAsDouble(), 1e-6);
      else
        EXPECT_EQ(x, y);
    }
  }

  MLIRContext context;
};

#define TRACE(test)                                                            \
  std::string type;                                                            \
  llvm::raw_string_ostream(type) << (test).type;                               \
  SCOPED_TRACE(stringifyReductionKind((test).kind).str() + " of " + type +     \
               ((test).isUnsigned ? ", unsigned" : ""))

TEST_F(Reductions, NeutralElementsChangeNothing) {
  for (const Case &test : getCases()) {
    TRACE(test);
    for (const State &x : getSamples(test)) {
      expectEqual(combine(test, getNeutral(test), x), x);
      expectEqual(combine(test, x, getNeutral(test)), x);
    }
  }
}

TEST_F(Reductions, OrderAndGroupingDoNotMatter) {
  for (const Case &test : getCases()) {
    TRACE(test);
    std::vector<State> samples = getSamples(test);
    for (const State &x : samples)
      for (const State &y : samples) {
        expectEqual(combine(test, x, y), combine(test, y, x));
        for (const State &z : samples)
          expectEqual(combine(test, combine(test, x, y), z),
                      combine(test, x, combine(test, y, z)));
      }
  }
}

TEST_F(Reductions, FirstOfEqualValuesWins) {
  Builder b(&context);
  Case test{ReductionKind::ArgMax, b.getF32Type(), false};
  auto state = [&](double value, int64_t index) {
    return State{b.getF32FloatAttr(value), b.getI64IntegerAttr(index)};
  };
  EXPECT_EQ(combine(test, state(2, 5), state(2, 3)), state(2, 3));
  State nan = combine(test, state(NAN, 1), state(INFINITY, 0));
  EXPECT_EQ(nan[1], b.getI64IntegerAttr(1));
  State both = combine(test, state(NAN, 4), state(NAN, 2));
  EXPECT_EQ(both[1], b.getI64IntegerAttr(2));
}

TEST_F(Reductions, LastOfSeveralNaNsWins) {
  Builder b(&context);
  Case test{ReductionKind::ArgMaxLastNaN, b.getF32Type(), false};
  auto state = [&](double value, int64_t index) {
    return State{b.getF32FloatAttr(value), b.getI64IntegerAttr(index)};
  };
  auto expectIndex = [&](const State &x, const State &y, int64_t index) {
    for (const State &found : {combine(test, x, y), combine(test, y, x)})
      EXPECT_EQ(found[1], b.getI64IntegerAttr(index));
  };
  expectIndex(state(NAN, 2), state(NAN, 4), 4);
  expectIndex(state(NAN, 1), state(INFINITY, 3), 1);
  expectIndex(state(2, 3), state(2, 5), 3);
  expectIndex(state(-0.0, 3), state(0.0, 5), 3);
  expectIndex(getNeutral(test), state(NAN, 0), 0);
  expectIndex(getNeutral(test), state(-INFINITY, 7), 7);
}

/// Of -0.5, 0 and 0.75: mean 1/12, squared distances 0.25 + ... = 0.7916.
TEST_F(Reductions, WelfordIsMeanAndSquares) {
  Builder b(&context);
  Case test{ReductionKind::Welford, b.getF32Type(), false};
  State all = getNeutral(test);
  for (double x : {-0.5, 0.0, 0.75})
    all = combine(test, all,
                  {b.getF32FloatAttr(x), b.getF32FloatAttr(0),
                   b.getF32FloatAttr(1)});
  EXPECT_NEAR(cast<FloatAttr>(all[0]).getValueAsDouble(), 1.0 / 12, 1e-6);
  EXPECT_NEAR(cast<FloatAttr>(all[1]).getValueAsDouble(), 0.7916667, 1e-6);
  EXPECT_NEAR(cast<FloatAttr>(all[2]).getValueAsDouble(), 3, 0);
}

/// Though the square of the mean is more than a float holds.
TEST_F(Reductions, WelfordKeepsLargeMeansBesideNeutralElements) {
  Builder b(&context);
  Case test{ReductionKind::Welford, b.getF32Type(), false};
  State large = {b.getF32FloatAttr(1e30f), b.getF32FloatAttr(0),
                 b.getF32FloatAttr(1)};
  expectEqual(combine(test, getNeutral(test), large), large);
  expectEqual(combine(test, large, getNeutral(test)), large);
}

} // namespace
