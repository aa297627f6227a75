//===- ColumnsTest.cpp - Rows that lie across memory, on a GPU ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax, its gradient and statistics along a dimension that is not the last,
// on the interpreter of threads, which reports races: columns that fill no tile
// and elements that fill no step, threads that have them alone, share them in a
// warp, or in several.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"
#include "LoopCases.h"

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
/// Sizes of images, elements of a column and neighbours behind them.
struct Sizes {
  int64_t images, elements, inner;
};
/// Numbers of `#loop.gpu_columns`, without steps.
struct Tile {
  int64_t threads, lanes, columns;
};
} // namespace

/// A text in which $N, $M, $K stand for the sizes, $T for the type of elements
/// and $widen and $narrow for what makes f32 of them and back.
static std::string getText(StringRef text, const Sizes &sizes, bool isHalf) {
  std::string result;
  auto add = [&](StringRef name) -> std::string {
    if (name == "N")
      return std::to_string(sizes.images);
    if (name == "M")
      return std::to_string(sizes.elements);
    if (name == "K")
      return std::to_string(sizes.inner);
    if (name == "T")
      return isHalf ? "bf16" : "f32";
    if (name == "widen")
      return isHalf ? "arith.extf" : "arith.addf %zero,";
    if (name == "narrow")
      return isHalf ? "arith.truncf" : "arith.addf %zero,";
    StringRef from = name == "widened" ? "bf16" : "f32";
    StringRef to = name == "widened" ? "f32" : "bf16";
    return isHalf ? (": " + from + " to " + to).str() : ": f32";
  };
  while (!text.empty()) {
    auto [before, rest] = text.split('$');
    result += before;
    StringRef name = rest.take_while([](char c) { return llvm::isLower(c); });
    if (name.empty())
      name = rest.take_front(1); // a size, or the type
    if (!name.empty())
      result += add(name);
    text = rest.drop_front(name.size());
  }
  return result;
}

// What is kept of a column behind the kernel, too: its largest element and the
// sum.
static const char kColumnSoftmax[] = R"(
!a = tensor<$Nx$Mx$Kx$T>
!e = tensor<$Nx$Mx$Kxf32>
!c = tensor<$Nx1x$Kxf32>
!d = tensor<$Nx$Kxf32>
func.func @main(%x: !a) -> (!a, !c, !d) {
  %r:3 = loop.kernel @k ins(%a = %x : !a) shared [$N] -> (!a, !c, !d) {
    %zero = arith.constant 0.0 : f32
    %m = loop.reduce parallel (%i, %u, %k) in [$N, 1, $K] reduction (%j) in [$M] <max> : !c {
      %0 = loop.load %a[%i, %j, %k] : !a
      %1 = $widen %0 $widened
      loop.yield %1 : f32
    }
    %e = loop.pointwise (%i, %j, %k) in [$N, $M, $K] : !e {
      %0 = loop.load %a[%i, %j, %k] : !a
      %1 = $widen %0 $widened
      %2 = loop.load %m[%i, 0, %k] : !c
      %3 = arith.subf %1, %2 : f32
      %4 = math.exp %3 : f32
      loop.yield %4 : f32
    }
    %s = loop.reduce parallel (%i, %k) in [$N, $K] reduction (%j) in [$M] <sum> : !d {
      %0 = loop.load %e[%i, %j, %k] : !e
      loop.yield %0 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [$N, $M, $K] : !a {
      %0 = loop.load %e[%i, %j, %k] : !e
      %1 = loop.load %s[%i, %k] : !d
      %2 = arith.divf %0, %1 : f32
      %3 = $narrow %2 $narrowed
      loop.yield %3 : $T
    }
    loop.return %p, %m, %s : !a, !c, !d
  }
  return %r#0, %r#1, %r#2 : !a, !c, !d
})";

// Of Welford's moments both threads of a pair must take the same as the first.
static const char kColumnMoments[] = R"(
!a = tensor<$Nx$Mx$Kx$T>
!c = tensor<$Nx$Kxf32>
!g = tensor<$Nx$Mx$Kxf32>
func.func @main(%x: !a, %g: !g) -> (!g, !c) {
  %r:2 = loop.kernel @k ins(%a = %x : !a, %b = %g : !g) shared [$N] -> (!g, !c) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m, %q, %n = loop.reduce parallel (%i, %k) in [$N, $K] reduction (%j) in [$M]
        <welford> : !c, !c, !c {
      %0 = loop.load %a[%i, %j, %k] : !a
      %1 = $widen %0 $widened
      loop.yield %1, %zero, %one : f32, f32, f32
    }
    %v = loop.pointwise (%i, %k) in [$N, $K] : !c {
      %0 = loop.load %q[%i, %k] : !c
      %1 = loop.load %n[%i, %k] : !c
      %2 = arith.divf %0, %1 : f32
      %3 = arith.addf %2, %one : f32
      loop.yield %3 : f32
    }
    %s = loop.reduce parallel (%i, %k) in [$N, $K] reduction (%j) in [$M] <sum> : !c {
      %0 = loop.load %b[%i, %j, %k] : !g
      %1 = loop.load %a[%i, %j, %k] : !a
      %2 = $widen %1 $widened
      %3 = loop.load %m[%i, %k] : !c
      %4 = arith.subf %2, %3 : f32
      %5 = arith.mulf %0, %4 : f32
      loop.yield %5 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [$N, $M, $K] : !g {
      %0 = loop.load %b[%i, %j, %k] : !g
      %1 = loop.load %v[%i, %k] : !c
      %2 = arith.divf %0, %1 : f32
      %3 = loop.load %s[%i, %k] : !c
      %4 = arith.subf %2, %3 : f32
      loop.yield %4 : f32
    }
    loop.return %p, %v : !g, !c
  }
  return %r#0, %r#1 : !g, !c
})";

/// Runs a case of these sizes with tiles that hold it, and as it would be
/// chosen.
static void check(const char *name, StringRef text, const Sizes &sizes,
                  bool isHalf, ArrayRef<Tile> tiles, int64_t ulps) {
  std::string full = getText(text, sizes, isHalf);
  LoopCase test{name, full.c_str(), {{}}, 0, double(ulps)};
  auto run = [&](llvm::function_ref<ScheduleAttr(KernelOp)> getSchedule,
                 IndexWidth width) {
    checkLowering(
        test,
        [&](KernelOp kernel) {
          ScheduleAttr schedule = getSchedule(kernel);
          ASSERT_TRUE(isa_and_nonnull<GPUColumnsScheduleAttr>(schedule));
          kernel.setScheduleAttr(schedule);
        },
        lowerToNVVM,
        [&](ModuleOp module, ArrayRef<Array> arguments,
            const SymbolValues &symbols) {
          return runGrids(module, width, arguments, symbols);
        });
  };
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    SCOPED_TRACE(llvm::formatv("{0}: {1} threads, {2} lanes, {3} columns", name,
                               tile.threads, tile.lanes, tile.columns)
                     .str());
    int64_t steps =
        llvm::divideCeil(sizes.elements, tile.threads / tile.columns);
    run(
        [&, tile = tile](KernelOp kernel) {
          return GPUColumnsScheduleAttr::get(kernel.getContext(), tile.threads,
                                             tile.lanes, tile.columns, steps);
        },
        number % 2 ? IndexWidth::Wide : IndexWidth::Narrow);
  }
  if (sizes.inner == 1) // of which there are rows along memory
    return;
  SCOPED_TRACE("chosen");
  run(
      [](KernelOp kernel) {
        auto strides = analysis::getInputStrides(kernel);
        EXPECT_TRUE(succeeded(strides));
        analysis::SizeHints hints(kernel->getParentOfType<ModuleOp>());
        return chooseGPUSchedule(kernel, *strides, GPUMachine(), hints);
      },
      IndexWidth::Narrow);
}

// 3 elements are fewer than threads of a column, 21 and 150 leave some of the
// last step; 7 and 49 columns end within a tile, and tiles have those of two
// images.
TEST(GridColumns, Softmax) {
  check("Few", kColumnSoftmax, {5, 3, 7}, false,
        {{32, 1, 8}, {32, 1, 32}, {64, 1, 2}}, 64);
  check("Odd", kColumnSoftmax, {2, 21, 49}, false,
        {{32, 1, 1}, {64, 1, 16}, {64, 1, 64}}, 64);
  check("Vectors", kColumnSoftmax, {2, 21, 196}, false,
        {{32, 4, 4}, {64, 4, 32}, {32, 2, 16}}, 64);
  check("Long", kColumnSoftmax, {1, 150, 196}, false,
        {{512, 4, 4}, {128, 2, 32}}, 64);
  check("Longer", kColumnSoftmax, {1, 1000, 12}, false,
        {{1024, 2, 2}, {512, 4, 4}}, 256);
  check("One", kColumnSoftmax, {3, 21, 1}, false, {{32, 1, 1}, {64, 1, 2}}, 64);
}

TEST(GridColumns, SoftmaxOfHalves) {
  check("OddHalves", kColumnSoftmax, {2, 21, 49}, true,
        {{32, 1, 4}, {128, 1, 32}}, 64);
  check("Halves", kColumnSoftmax, {1, 150, 48}, true, {{256, 8, 4}, {64, 4, 2}},
        64);
}

TEST(GridColumns, Moments) {
  check("FewMoments", kColumnMoments, {3, 3, 7}, false,
        {{32, 1, 4}, {32, 1, 32}}, 256);
  check("MomentsOfHalves", kColumnMoments, {2, 37, 24}, true,
        {{32, 4, 1}, {128, 8, 2}, {256, 2, 64}}, 256);
  check("LongMoments", kColumnMoments, {1, 300, 20}, false,
        {{256, 4, 2}, {512, 2, 16}}, 1024);
}

/// What threads of a column have is the same, to the last bit.
TEST(GridColumns, ThreadsOfAColumnHaveTheSameBits) {
  static const char kMean[] = R"(
!a = tensor<2x96x6xf32>
!c = tensor<2x6xf32>
func.func @main(%x: !a) -> !a {
  %r = loop.kernel @k ins(%a = %x : !a) shared [2] -> !a {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m, %q, %n = loop.reduce parallel (%i, %k) in [2, 6] reduction (%j) in [96]
        <welford> : !c, !c, !c {
      %0 = loop.load %a[%i, %j, %k] : !a
      loop.yield %0, %zero, %one : f32, f32, f32
    }
    %p = loop.pointwise (%i, %j, %k) in [2, 96, 6] : !a {
      %0 = loop.load %m[%i, %k] : !c
      loop.yield %0 : f32
    }
    loop.return %p : !a
  }
  return %r : !a
})";
  for (auto [threads, columns] : {std::pair(128, 2), std::pair(256, 8),
                                  std::pair(64, 64), std::pair(32, 1)}) {
    SCOPED_TRACE(columns);
    checkLowering(
        LoopCase{"ColumnMeans", kMean},
        [&, threads = threads, columns = columns](KernelOp kernel) {
          kernel.setScheduleAttr(GPUColumnsScheduleAttr::get(
              kernel.getContext(), threads, /*lanes=*/1, columns,
              llvm::divideCeil(96, threads / columns)));
        },
        lowerToNVVM,
        [](ModuleOp module, ArrayRef<Array> arguments,
           const SymbolValues &symbols) {
          std::vector<Array> results =
              runGrids(module, IndexWidth::Narrow, arguments, symbols);
          for (int64_t i = 0; i < 2; ++i)
            for (int64_t j = 1; j < 96; ++j)
              for (int64_t k = 0; k < 6; ++k)
                EXPECT_EQ(results[0].at({i, j, k}).real,
                          results[0].at({i, 0, k}).real)
                    << "image " << i << ", element " << j << ", column " << k;
          return results;
        });
  }
}
