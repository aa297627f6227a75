//===- AssertionsTest.cpp - Kernels that look at what they read -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `loop-fuse-checks` makes of nests and assertions, fused, scheduled and run on the
// interpreter of threads: results are those of the nests, and a wrong index, wherever it
// stands, ends the run with the message of its assertion.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <random>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
/// An argument of a case; of indices also where they end, and how it is told that one is wrong.
struct Given {
  int64_t limit = 0;
  std::string message = "";
};
} // namespace

static constexpr const char *kFirst =
    "aten._assert_async.msg: first (at model.py:3)";
static constexpr const char *kSecond =
    "aten._assert_async.msg: second (at model.py:4)";

/// Two tables, and the sum of a row of each.
static const char kTwoTables[] = R"(
!i = tensor<4x5xi64>
!o = tensor<4x5x8xf32>
func.func @main(%t: tensor<7x8xf32>, %u: tensor<9x8xf32>, %i: !i, %j: !i) -> !o {
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %f = loop.reduce parallel () in [] reduction (%a, %b) in [4, 5] <all> : tensor<i1> {
    %e = loop.load %i[%a, %b] : !i
    %low = arith.cmpi sge, %e, %zero : i64
    %high = arith.cmpi slt, %e, %seven : i64
    %both = arith.andi %low, %high : i1
    loop.yield %both : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "first"] : (tensor<i1>) -> () loc("model.py":3:1)
  %g = loop.reduce parallel () in [] reduction (%a) in [20] <all> : tensor<i1> {
    %e = loop.load %j[floordiv(%a, 5), mod(%a, 5)] : !i
    %nine = arith.constant 9 : i64
    %high = arith.cmpi ult, %e, %nine : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%g) arguments [#loop.operand<0>, "second"] : (tensor<i1>) -> () loc("model.py":4:1)
  %r = loop.pointwise (%a, %b, %c) in [4, 5, 8] : !o {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %e = loop.load %i[%a, %b] : !i
    %p = arith.index_cast %e : i64 to index
    %m = arith.minsi %p, %c6 : index
    %n = arith.maxsi %m, %c0 : index
    %x = loop.load %t[%n, %c] : tensor<7x8xf32>
    %d = loop.load %j[%a, %b] : !i
    %q = arith.index_cast %d : i64 to index
    %k = arith.minsi %q, %c8 : index
    %l = arith.maxsi %k, %c0 : index
    %y = loop.load %u[%l, %c] : tensor<9x8xf32>
    %s = arith.addf %x, %y : f32
    loop.yield %s : f32
  }
  return %r : !o
})";

/// An index for each element, so that lanes have their own; and their sum for all of them.
static const char kElements[] = R"(
!i = tensor<6x16xi64>
!o = tensor<6x16xf32>
!s = tensor<f32>
func.func @main(%t: tensor<6x3xf32>, %i: !i, %j: tensor<3000xi64>, %v: tensor<5xf32>) -> (!o, !s) {
  %f = loop.reduce parallel () in [] reduction (%a, %b) in [6, 16] <all> : tensor<i1> {
    %three = arith.constant 3 : i64
    %e = loop.load %i[%a, %b] : !i
    %high = arith.cmpi ult, %e, %three : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "first"] : (tensor<i1>) -> () loc("model.py":3:1)
  %r = loop.pointwise (%a, %b) in [6, 16] : !o {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %e = loop.load %i[%a, %b] : !i
    %p = arith.index_cast %e : i64 to index
    %m = arith.minsi %p, %c2 : index
    %n = arith.maxsi %m, %c0 : index
    %x = loop.load %t[%a, %n] : tensor<6x3xf32>
    loop.yield %x : f32
  }
  %g = loop.reduce parallel () in [] reduction (%a) in [3000] <all> : tensor<i1> {
    %five = arith.constant 5 : i64
    %e = loop.load %j[%a] : tensor<3000xi64>
    %high = arith.cmpi ult, %e, %five : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%g) arguments [#loop.operand<0>, "second"] : (tensor<i1>) -> () loc("model.py":4:1)
  %s = loop.reduce parallel () in [] reduction (%a) in [3000] <sum> : !s {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = loop.load %j[%a] : tensor<3000xi64>
    %p = arith.index_cast %e : i64 to index
    %m = arith.minsi %p, %c4 : index
    %n = arith.maxsi %m, %c0 : index
    %x = loop.load %v[%n] : tensor<5xf32>
    loop.yield %x : f32
  }
  return %r, %s : !o, !s
})";

/// Rows without their maximum: threads share a row, and all of them look.
static const char kRows[] = R"(
!i = tensor<33xi64>
!t = tensor<5x100xf32>
!o = tensor<33x100xf32>
func.func @main(%t: !t, %i: !i) -> !o {
  %f = loop.reduce parallel () in [] reduction (%a) in [33] <all> : tensor<i1> {
    %five = arith.constant 5 : i64
    %e = loop.load %i[%a] : !i
    %high = arith.cmpi ult, %e, %five : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "first"] : (tensor<i1>) -> () loc("model.py":3:1)
  %m = loop.reduce parallel (%a) in [33] reduction (%b) in [100] <max> : tensor<33xf32> {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = loop.load %i[%a] : !i
    %p = arith.index_cast %e : i64 to index
    %q = arith.minsi %p, %c4 : index
    %n = arith.maxsi %q, %c0 : index
    %x = loop.load %t[%n, %b] : !t
    loop.yield %x : f32
  }
  %r = loop.pointwise (%a, %b) in [33, 100] : !o {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = loop.load %i[%a] : !i
    %p = arith.index_cast %e : i64 to index
    %q = arith.minsi %p, %c4 : index
    %n = arith.maxsi %q, %c0 : index
    %x = loop.load %t[%n, %b] : !t
    %y = loop.load %m[%a] : tensor<33xf32>
    %d = arith.subf %x, %y : f32
    loop.yield %d : f32
  }
  return %r : !o
})";

/// Any number of rows, added to others.
static const char kAdded[] = R"(
!z = tensor<11x8xf32>
!i = tensor<?xi64, #guard.shape<[s0]>>
!g = tensor<?x8xf32, #guard.shape<[s0, 8]>>
func.func @main(%z: !z, %i: !i, %w: !g) -> !z {
  %f = loop.reduce parallel () in [] reduction (%a) in [s0] <all> : tensor<i1> {
    %eleven = arith.constant 11 : i64
    %e = loop.load %i[%a] : !i
    %high = arith.cmpi ult, %e, %eleven : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "first"] : (tensor<i1>) -> () loc("model.py":3:1)
  %r = loop.scatter (%n, %d) in [s0, 8] into %z <add> : !z {
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %e = loop.load %i[%n] : !i
    %p = arith.index_cast %e : i64 to index
    %q = arith.minsi %p, %c10 : index
    %m = arith.maxsi %q, %c0 : index
    %x = loop.load %w[%n, %d] : !g
    loop.yield_at %x at [%m, %d] : f32
  }
  return %r : !z
})";

/// Indices that the kernel makes itself, and that somebody else sees, too.
static const char kOwnIndices[] = R"(
!i = tensor<20xi64>
!o = tensor<20x8xf32>
func.func @main(%t: tensor<7x8xf32>, %i: !i) -> (!i, !o) {
  %k = loop.pointwise (%a) in [20] : !i {
    %one = arith.constant 1 : i64
    %e = loop.load %i[%a] : !i
    %next = arith.addi %e, %one : i64
    loop.yield %next : i64
  }
  %f = loop.reduce parallel () in [] reduction (%a) in [20] <all> : tensor<i1> {
    %seven = arith.constant 7 : i64
    %e = loop.load %k[%a] : !i
    %high = arith.cmpi ult, %e, %seven : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "first"] : (tensor<i1>) -> () loc("model.py":3:1)
  %r = loop.pointwise (%a, %c) in [20, 8] : !o {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %e = loop.load %k[%a] : !i
    %p = arith.index_cast %e : i64 to index
    %m = arith.minsi %p, %c6 : index
    %n = arith.maxsi %m, %c0 : index
    %x = loop.load %t[%n, %c] : tensor<7x8xf32>
    loop.yield %x : f32
  }
  return %k, %r : !i, !o
})";

namespace {
class Assertions : public ::testing::TestWithParam<IndexWidth> {
protected:
  void lower(const char *text) {
    context = makeLoopContext();
    module = parseSourceString<ModuleOp>(text, context.get());
    ASSERT_TRUE(module);
    original = cast<ModuleOp>((*module)->clone());
    original->walk([](ExternOp op) { op.erase(); });
    (*module)->setAttr(kTargetAttrName,
                       getHopper(context.get(), /*deterministic=*/false));
    PassManager pm(context.get());
    OpPassManager &functions = pm.nest<func::FuncOp>();
    functions.addPass(createFusePass());
    functions.addPass(createChooseSchedulePass());
    functions.addPass(createFuseChecksPass());
    ASSERT_TRUE(succeeded(pm.run(*module)));
    module->walk([](ExternOp op) {
      ADD_FAILURE() << "an assertion is still asked for by a call";
    });
    // Constants of nests are in their kernels now.
    module->walk([](arith::ConstantOp op) {
      if (op->use_empty())
        op.erase();
    });
    ASSERT_TRUE(lowerToNVVM(*module));
  }

  /// The values of arguments: indices within their limits, or small numbers.
  std::vector<Array> fill(ArrayRef<Given> given, const SymbolValues &symbols) {
    std::vector<Array> arguments;
    std::mt19937 random(7);
    for (auto [type, each] : llvm::zip_equal(
             module->lookupSymbol<func::FuncOp>("main").getArgumentTypes(),
             given)) {
      Array array;
      array.sizes = evaluateSizes(cast<RankedTensorType>(type), symbols);
      for (int64_t n = array.count(); n > 0; --n)
        array.elements.push_back(each.limit
                                     ? Scalar{0, int64_t(random() % each.limit)}
                                     : Scalar{double(random() % 16), 0});
      arguments.push_back(std::move(array));
    }
    return arguments;
  }

  std::vector<std::string> run(ArrayRef<Array> arguments,
                               const SymbolValues &symbols,
                               std::vector<Array> &results) {
    GridRecord record;
    results = runGrids(*module, GetParam(), arguments, symbols, &record);
    return record.failures;
  }

  /// Indices from `first` on are right.
  void check(const char *text, ArrayRef<Given> given,
             const SymbolValues &symbols = {}, int64_t first = 0) {
    if (!module)
      lower(text);
    if (HasFatalFailure())
      return;
    std::vector<Array> arguments = fill(given, symbols), results;
    EXPECT_TRUE(run(arguments, symbols, results).empty());
    std::vector<Array> expected = interpret(
        original->lookupSymbol<func::FuncOp>("main"), arguments, symbols);
    ASSERT_EQ(results.size(), expected.size());
    for (auto [result, array] : llvm::zip_equal(results, expected))
      for (auto [found, element] :
           llvm::zip_equal(result.elements, array.elements)) {
        EXPECT_EQ(found.real, element.real);
        EXPECT_EQ(found.integer, element.integer);
      }
    for (auto [k, each] : llvm::enumerate(given)) {
      int64_t count = arguments[k].count();
      if (!each.limit || !count)
        continue;
      for (int64_t at : {int64_t(0), count / 2, count - 1})
        for (int64_t wrong : {first - 1, each.limit, INT64_MIN, INT64_MAX}) {
          std::vector<Array> changed = arguments;
          changed[k].elements[at].integer = wrong;
          EXPECT_EQ(run(changed, symbols, results),
                    std::vector<std::string>{each.message})
              << "index " << at << " of argument " << k << " is " << wrong;
        }
    }
  }

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module, original;
};
} // namespace

TEST_P(Assertions, OfTwoTablesInOneKernelTellWhichIsMeant) {
  check(kTwoTables, {{}, {}, {7, kFirst}, {9, kSecond}});
  unsigned launches = 0;
  module->walk([&](LaunchGridOp op) {
    ++launches;
    EXPECT_EQ(op.getChecksAttr().size(), 2u);
  });
  EXPECT_EQ(launches, 1u);
  // At one point the first comes first.
  std::vector<Array> arguments = fill({{}, {}, {7, kFirst}, {9, kSecond}}, {}),
                     results;
  for (unsigned k : {2, 3})
    for (Scalar &index : arguments[k].elements)
      index.integer = 100;
  EXPECT_EQ(run(arguments, {}, results), std::vector<std::string>{kFirst});
}

TEST_P(Assertions, AreOfEachLaneAndOfReductions) {
  check(kElements, {{}, {3, kFirst}, {5, kSecond}, {}});
}

TEST_P(Assertions, AreOfRowsThatThreadsShare) {
  check(kRows, {{}, {5, kFirst}});
}

TEST_P(Assertions, AreOfAnyNumberOfPoints) {
  for (int64_t rows : {0, 1, 33})
    check(kAdded, {{}, {11, kFirst}, {}}, {{"s0", rows}});
}

TEST_P(Assertions, AreOfWhatTheKernelMakes) {
  check(kOwnIndices, {{}, {6, kFirst}}, {}, /*first=*/-1);
}

INSTANTIATE_TEST_SUITE_P(Widths, Assertions,
                         ::testing::Values(IndexWidth::Narrow,
                                           IndexWidth::Wide),
                         [](const auto &info) {
                           return info.param == IndexWidth::Narrow ? "Narrow"
                                                                   : "Wide";
                         });
