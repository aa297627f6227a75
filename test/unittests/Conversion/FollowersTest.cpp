//===- FollowersTest.cpp - What follows a product in its kernel -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nests that follow a product read its elements as they are stored, so the numbers here, all
// of them exact but for what is rounded to 16 bits, have the bits that nest by nest they
// have. By warpgroups they are compiled, and recorded for a machine that has these.
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"
#include "GridSchedules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

// A product of 75 rows that others count as 3 by 25, one nest behind it that has them as one
// and f32, and one that reads both, and of other tensors an element and that of a column.
static const char kBehind[] = R"(
!a = tensor<3x25x24xbf16>
!b = tensor<24x40xbf16>
!c = tensor<3x25x40xbf16>
!d = tensor<75x40xf32>
!n = tensor<40xf32>
!s = tensor<3x40xf32>
func.func @main(%x: !a, %y: !b, %z: !c, %o: !n) -> (RESULTS) {
  %r:COUNT = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %u = %z : !c, %n = %o : !n)
      shared [] -> (RESULTS) {
    %c = loop.contract parallel [3, 25, 40] reduction [24]
        lhs %a[d0, d1, d3] : !a rhs %b[d3, d2] : !b acc f32 : !c
    %half = arith.constant 0.5 : f32
    %d = loop.pointwise (%i, %j) in [75, 40] : !d {
      %e = loop.load %c[floordiv(%i, 25), mod(%i, 25), %j] : !c
      %f = arith.extf %e : bf16 to f32
      %g = arith.mulf %f, %half : f32
      %l = loop.load %n[%j] : !n
      %m = arith.addf %g, %l : f32
      loop.yield %m : f32
    }
    %g = loop.pointwise (%i, %j, %k) in [3, 25, 40] : !c {
      %e = loop.load %d[%i * 25 + %j, %k] : !d
      %f = loop.load %u[%i, %j, %k] : !c
      %h = arith.extf %f : bf16 to f32
      %l = loop.load %c[%i, %j, %k] : !c
      %m = arith.extf %l : bf16 to f32
      %p = arith.mulf %h, %m : f32
      %q = arith.addf %e, %p : f32
      %t = arith.truncf %q : f32 to bf16
      loop.yield %t : bf16
    }
    SUM
    loop.return NAMES : RESULTS
  }
  return VALUES : RESULTS
})";

// Sums over the rows of tiles of what the product makes, beside what follows it.
static const char kSum[] = R"(
    %s = loop.reduce parallel (%p, %j) in [3, 40] reduction (%r) in [32] <sum> : !s {
      %zero = arith.constant 0.0 : f32
      %none = arith.constant 0.0 : bf16
      %c0 = arith.constant 0 : index
      %is = loop.index (lt(%p * 32 + %r, 75))
      %there = arith.cmpi ne, %is, %c0 : index
      %e = loop.load %c[floordiv(%p * 32 + %r, 25), mod(%p * 32 + %r, 25), %j]
          mask %there, %none : !c
      %f = arith.extf %e : bf16 to f32
      %v = arith.select %there, %f, %zero : f32
      loop.yield %v : f32
    }
)";

/// `text` with each of the words replaced.
static std::string
replace(std::string text,
        ArrayRef<std::pair<StringRef, std::string>> words) {
  for (const auto &[word, other] : words)
    for (size_t at; (at = text.find(word.str())) != std::string::npos;)
      text.replace(at, word.size(), other);
  return text;
}

/// The case that returns these of the kernel's values.
static std::string makeBehind(ArrayRef<StringRef> names, StringRef sum = "") {
  std::vector<std::string> values, types;
  for (auto [k, name] : llvm::enumerate(names)) {
    values.push_back("%r#" + std::to_string(k));
    types.push_back(name == "%d" ? "!d" : name == "%s" ? "!s" : "!c");
  }
  std::string count = std::to_string(names.size());
  return replace(kBehind, {{"RESULTS", llvm::join(types, ", ")},
                           {"COUNT", count},
                           {"SUM", sum.str()},
                           {"NAMES", llvm::join(names, ", ")},
                           {"VALUES", llvm::join(values, ", ")}});
}

namespace {
struct Tiles {
  const char *name;
  IndexWidth width;
  ProductUnit unit;
  int64_t lanes, split;
};
class LoopToNvvmFollowers : public testing::TestWithParam<Tiles> {};
} // namespace

static void checkTiles(const Tiles &tiles, const char *name,
                       const std::string &text) {
  SCOPED_TRACE(name);
  checkLowering(
      LoopCase{name, text.c_str(), {{}}, 0, /*ulps=*/0},
      [&](KernelOp kernel) {
        int64_t part = tiles.unit == ProductUnit::Mma ? 16 : 4;
        auto attr = GPUProductScheduleAttr::get(
            kernel.getContext(), tiles.unit, /*rows=*/32, /*columns=*/32,
            /*sum=*/16, part, part, /*stages=*/2, tiles.lanes, /*group=*/2,
            tiles.split, /*blocks=*/0, /*cluster=*/1, /*turns=*/1,
            GPULibrary::None);
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
      },
      lowerToNVVM,
      [&](ModuleOp module, ArrayRef<Array> arguments,
          const SymbolValues &symbols) {
        return runGrids(module, tiles.width, arguments, symbols, nullptr);
      });
}

TEST_P(LoopToNvvmFollowers, HaveTheElementsThatAreStored) {
  checkTiles(GetParam(), "All", makeBehind({"%c", "%d", "%g"}));
  checkTiles(GetParam(), "Last", makeBehind({"%g"}));
  checkTiles(GetParam(), "Behind", makeBehind({"%g", "%d"}));
}

TEST(LoopToNvvmFollowersAndSums, AreOfOneProduct) {
  for (auto [width, lanes] : {std::pair(IndexWidth::Narrow, 4),
                              std::pair(IndexWidth::Wide, 1)})
    checkTiles({"", width, ProductUnit::Mma, lanes, /*split=*/1}, "Sums",
               makeBehind({"%c", "%g", "%s"}, kSum));
}

static const Tiles kTiles[] = {
    {"Units", IndexWidth::Narrow, ProductUnit::Mma, 8, 1},
    {"Elements", IndexWidth::Wide, ProductUnit::Mma, 1, 1},
    {"Fused", IndexWidth::Narrow, ProductUnit::Fma, 4, 1},
    {"Parts", IndexWidth::Wide, ProductUnit::Mma, 2, 2},
};
INSTANTIATE_TEST_SUITE_P(
    Tiles, LoopToNvvmFollowers, testing::ValuesIn(kTiles),
    [](const testing::TestParamInfo<Tiles> &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

// Rows and columns that end within a tile, the rows counted as one by what follows.
static const char kBrought[] = R"(
!a = tensor<ROWSxDEPTHxbf16>
!b = tensor<COLUMNSxDEPTHxbf16>
!c = tensor<2xHALFxCOLUMNSxbf16>
!d = tensor<ROWSxCOLUMNSxELEMENT>
!n = tensor<COLUMNSxbf16>
func.func @main(%x: !a, %y: !b, %o: !n) -> (!c, !d) {
  %r:2 = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %o : !n)
      shared [] -> (!c, !d) {
    %c = loop.contract parallel [2, HALF, COLUMNS] reduction [DEPTH]
        lhs %a[d0 * HALF + d1, d3] : !a rhs %b[d2, d3] : !b acc f32 : !c
        epilogue (%acc, %i, %j, %k) {
      %e = loop.load %n[%k] : !n
      %f = arith.extf %e : bf16 to f32
      %g = arith.addf %acc, %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    %d = loop.pointwise (%i, %j) in [ROWS, COLUMNS] : !d {
      %zero = arith.constant 0.0 : f32
      %e = loop.load %c[floordiv(%i, HALF), mod(%i, HALF), %j] : !c
      %f = arith.extf %e : bf16 to f32
      %l = loop.load %n[%j] : !n
      %m = arith.extf %l : bf16 to f32
      %p = arith.mulf %f, %m : f32
      %q = arith.maximumf %p, %zero : f32
      ROUND
    }
    loop.return %c, %d : !c, !d
  }
  return %r#0, %r#1 : !c, !d
})";

namespace {
struct Brought {
  const char *name;
  int64_t rows, columns, depth;
  bool isWide;       ///< what follows has f32
  int64_t boxes;     ///< that a warp stores of a tile
  int64_t turns = 1; ///< warpgroups that have tiles of their own
};
class LoopToNvvmBroughtFollowers : public testing::TestWithParam<Brought> {};
} // namespace

static std::string makeBrought(const Brought &brought) {
  std::string round = "%t = arith.truncf %q : f32 to bf16\n"
                      "loop.yield %t : bf16";
  return replace(kBrought,
                 {{"ROWS", std::to_string(brought.rows)},
                  {"HALF", std::to_string(brought.rows / 2)},
                  {"COLUMNS", std::to_string(brought.columns)},
                  {"DEPTH", std::to_string(brought.depth)},
                  {"ELEMENT", brought.isWide ? "f32" : "bf16"},
                  {"ROUND", brought.isWide ? "loop.yield %q : f32" : round}});
}

/// Times that a text is in another one.
static int64_t countIn(StringRef text, StringRef what) {
  return int64_t(text.count(what));
}

TEST_P(LoopToNvvmBroughtFollowers, AreCompiled) {
  const Brought &brought = GetParam();
  std::string text = makeBrought(brought);
  LoopCase test = {brought.name, text.c_str(), {{}}, 0, /*ulps=*/1};
  checkLowering(
      test,
      [&](KernelOp kernel) {
        MLIRContext *context = kernel.getContext();
        kernel->getParentOfType<ModuleOp>()->setAttr(
            kTargetAttrName, getHopper(context, /*deterministic=*/false));
        auto attr = GPUProductScheduleAttr::get(
            context, ProductUnit::Wgmma, /*rows=*/brought.turns > 1 ? 64 : 128,
            /*columns=*/128, /*sum=*/64, /*part_rows=*/64,
            /*part_columns=*/128, /*stages=*/4, /*lanes=*/8, /*group=*/2,
            /*split=*/1, /*blocks=*/2, /*cluster=*/1, brought.turns,
            GPULibrary::None);
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
      },
      lowerToNVVM,
      [&](ModuleOp module, ArrayRef<Array> arguments,
          const SymbolValues &symbols) {
        auto source = parseSourceString<ModuleOp>(test.text, module.getContext());
        std::vector<Array> expected = interpretOnce(
            test, source->lookupSymbol<func::FuncOp>("main"), arguments,
            symbols);
        GridRecord record;
        recordGrids(module, IndexWidth::Narrow, arguments, expected, symbols,
                    record);
        EXPECT_EQ(record.steps.size(), 1u);
        for (const GridRecord::Step &step : record.steps) {
          StringRef code =
              compilePTX(step.function->getParentOp(), "sm_90a");
          EXPECT_GT(countIn(code, "wgmma.mma_async"), 0);
          EXPECT_EQ(countIn(code, "cp.async.bulk.tensor.2d.global.shared"),
                    brought.boxes);
        }
        if (const char *folder = std::getenv("KILN_GRID_CASES"))
          exportGrids(folder, std::string(brought.name) + "-Followers", module,
                      record, test.ulps);
        return expected;
      });
}

static const Brought kBroughtTiles[] = {
    {"Boxes", 100, 136, 128, /*isWide=*/false, /*boxes=*/4},
    {"Turns", 200, 136, 128, /*isWide=*/false, /*boxes=*/4, /*turns=*/2},
    {"Threads", 40, 136, 832, /*isWide=*/false, /*boxes=*/0},
    {"Types", 100, 136, 128, /*isWide=*/true, /*boxes=*/0},
};
INSTANTIATE_TEST_SUITE_P(Tiles, LoopToNvvmBroughtFollowers,
                         testing::ValuesIn(kBroughtTiles),
                         [](const testing::TestParamInfo<Brought> &info) {
                           return info.param.name;
                         });
