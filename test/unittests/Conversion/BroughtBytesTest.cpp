//===- BroughtBytesTest.cpp - Bytes that warpgroups multiply --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What warpgroups do is no interpreter's: products of bytes are compiled, and
// recorded for a device with what their nests give, which is exact.
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"
#include "GridSchedules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

// A batch, whose rows, columns and sum end within a tile.
static const char kSumsOfBytes[] = R"(
!a = tensor<2x100x304xui8>
!b = tensor<2x200x304xui8>
!c = tensor<2x100x200xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [] -> !c {
    %s = loop.contract parallel [2, 100, 200] reduction [304]
        lhs %a[d0, d1, d3] : !a rhs %b[d0, d2, d3] : !b acc i32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// Floats of 16 bits, made of sums in registers and stored in boxes.
static const char kScaledBytes[] = R"(
!a = tensor<200x256xi8>
!b = tensor<136x256xi8>
!s = tensor<136xf32>
!c = tensor<200x136xbf16>
func.func @main(%x: !a, %y: !b, %z: !s) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %d = %z : !s) shared [] -> !c {
    %s = loop.contract parallel [200, 136] reduction [256]
        lhs %a[d0, d2] : !a rhs %b[d1, d2] : !b acc i32 : !c
        epilogue (%acc, %i, %j) {
      %e = arith.sitofp %acc : i32 to f32
      %f = loop.load %d[%j] : !s
      %g = arith.mulf %e, %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Windows of an image, which threads bring; zeros around it.
static const char kBroughtWindows[] = R"(
!x = tensor<2x9x11x64xi8>
!w = tensor<72x3x3x64xi8>
!y = tensor<2x9x11x72xi32>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [] -> !y {
    %s = loop.contract parallel [2, 9, 11, 72] reduction [3, 3, 64]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 9), le(1, d2 + d5), lt(d2 + d5 - 1, 11))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc i32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

namespace {
struct Bytes {
  const char *name, *text;
  int64_t rows, columns;
  const char *types; ///< of `wgmma`
  int64_t maps = 2;  ///< of operands and results
  int64_t split = 1, cluster = 1, turns = 1;
};
class LoopToNvvmBroughtBytes : public testing::TestWithParam<Bytes> {};
} // namespace

TEST_P(LoopToNvvmBroughtBytes, AreCompiled) {
  const Bytes &bytes = GetParam();
  LoopCase test = {bytes.name, bytes.text, {{}}, 0, /*ulps=*/1};
  checkLowering(
      test,
      [&](KernelOp kernel) {
        MLIRContext *context = kernel.getContext();
        kernel->getParentOfType<ModuleOp>()->setAttr(
            kTargetAttrName, getHopper(context, /*deterministic=*/false));
        auto attr = GPUProductScheduleAttr::get(
            context, ProductUnit::Wgmma, bytes.rows, bytes.columns,
            /*sum=*/128, /*part_rows=*/64, bytes.columns, /*stages=*/3,
            /*lanes=*/8, /*group=*/2, bytes.split, /*blocks=*/2, bytes.cluster,
            bytes.turns, GPULibrary::None);
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
      },
      lowerToNVVM,
      [&](ModuleOp module, ArrayRef<Array> arguments,
          const SymbolValues &symbols) {
        auto source =
            parseSourceString<ModuleOp>(test.text, module.getContext());
        std::vector<Array> expected =
            interpretOnce(test, source->lookupSymbol<func::FuncOp>("main"),
                          arguments, symbols);
        GridRecord record;
        recordGrids(module, IndexWidth::Narrow, arguments, expected, symbols,
                    record);
        EXPECT_EQ(record.steps.size(), bytes.split > 1 ? 2u : 1u);
        EXPECT_EQ(int64_t(record.maps.size()), bytes.maps);
        StringRef code =
            compilePTX(record.steps[0].function->getParentOp(), "sm_90a");
        std::string unit = "wgmma.mma_async.sync.aligned.m64n" +
                           std::to_string(bytes.columns) + "k32.s32." +
                           bytes.types;
        EXPECT_GE(code.count(unit), 4u); // of a step
        EXPECT_EQ(code.count("wgmma.mma_async"), code.count(unit));
        if (const char *folder = std::getenv("KILN_GRID_CASES"))
          exportGrids(folder, std::string(bytes.name) + "-Bytes", module,
                      record, test.ulps);
        return expected;
      });
}

static const Bytes kByteTiles[] = {
    {"Batch", kSumsOfBytes, 128, 128, "u8.u8"},
    {"Narrow", kSumsOfBytes, 64, 32, "u8.u8"},
    {"Parts", kSumsOfBytes, 64, 96, "u8.u8", 2, /*split=*/2},
    {"Clusters", kSumsOfBytes, 64, 64, "u8.u8", 2, /*split=*/1, /*cluster=*/2},
    {"Turns", kSumsOfBytes, 128, 64, "u8.u8", 2, /*split=*/1, /*cluster=*/1,
     /*turns=*/2},
    {"Boxes", kScaledBytes, 128, 128, "s8.s8", 3},
    {"BoxesByTurns", kScaledBytes, 64, 256, "s8.s8", 3, /*split=*/1,
     /*cluster=*/1, /*turns=*/2},
    {"Windows", kBroughtWindows, 128, 96, "s8.s8", 1},
};
INSTANTIATE_TEST_SUITE_P(Tiles, LoopToNvvmBroughtBytes,
                         testing::ValuesIn(kByteTiles), [](const auto &info) {
                           return std::string(info.param.name);
                         });
