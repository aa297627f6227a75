//===- BroughtRowsTest.cpp - Rows that a copy engine brings ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of parts and rows in pieces, on the interpreter of threads, by more and fewer stages,
// threads and lanes. With KILN_GRID_CASES they are written for a device as other cases are.
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"
#include "GridSchedules.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

// The gradient of a norm: rows of two inputs, a value of the row, a weight, and sums of
// the columns of six rows each. Two reductions wait for each other.
static const char kGradient[] = R"(
!x = tensor<12x128xbf16>
!m = tensor<12xf32>
!w = tensor<128xbf16>
!p = tensor<2x128xf32>
func.func @main(%x: !x, %g: !x, %w: !w, %v: !m) -> (!x, !p, !p) {
  %r:3 = loop.kernel @k ins(%a = %x : !x, %b = %g : !x, %c = %w : !w, %d = %v : !m)
      shared [12] -> (!x, !p, !p) {
    %m = loop.reduce parallel (%i) in [12] reduction (%j) in [128] <sum> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %n = loop.reduce parallel (%i) in [12] reduction (%j) in [128] <sum> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %h = loop.load %b[%i, %j] : !x
      %k = arith.extf %h : bf16 to f32
      %t = loop.load %m[%i] : !m
      %y = arith.mulf %f, %k : f32
      %z = arith.addf %y, %t : f32
      loop.yield %z : f32
    }
    %p = loop.pointwise (%i, %j) in [12, 128] : !x {
      %h = loop.load %b[%i, %j] : !x
      %k = arith.extf %h : bf16 to f32
      %u = loop.load %c[%j] : !w
      %y = arith.extf %u : bf16 to f32
      %t = loop.load %n[%i] : !m
      %s = loop.load %d[%i] : !m
      %z = arith.mulf %k, %y : f32
      %q = arith.mulf %z, %s : f32
      %o = arith.addf %q, %t : f32
      %l = arith.truncf %o : f32 to bf16
      loop.yield %l : bf16
    }
    %s = loop.reduce parallel (%q, %j) in [2, 128] reduction (%n1) in [6] <sum> : !p {
      %e = loop.load %a[%q * 6 + %n1, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %h = loop.load %b[%q * 6 + %n1, %j] : !x
      %k = arith.extf %h : bf16 to f32
      %y = arith.mulf %f, %k : f32
      loop.yield %y : f32
    }
    %t = loop.reduce parallel (%q, %j) in [2, 128] reduction (%n1) in [6] <sum> : !p {
      %h = loop.load %b[%q * 6 + %n1, %j] : !x
      %k = arith.extf %h : bf16 to f32
      loop.yield %k : f32
    }
    loop.return %p, %s, %t : !x, !p, !p
  }
  return %r#0, %r#1, %r#2 : !x, !p, !p
})";

// No row waits for anything, so nothing but the stages has a barrier; rows of two dimensions,
// of which another input has elements in other places.
static const char kColumnsAlone[] = R"(
!x = tensor<4x2x8x16xf32>
!y = tensor<4x2x128xf32>
!p = tensor<2x8x16xf32>
func.func @main(%x: !x, %z: !y) -> !p {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %z : !y) shared [4, 2] -> !p {
    %s = loop.reduce parallel (%q, %c, %d) in [2, 8, 16] reduction (%n, %j) in [2, 2] <sum> : !p {
      %e = loop.load %a[%q * 2 + %n, %j, %c, %d] : !x
      %f = loop.load %b[%q * 2 + %n, %j, 127 - %d] : !y
      %y = arith.mulf %e, %f : f32
      loop.yield %y : f32
    }
    loop.return %s : !p
  }
  return %r : !p
})";

static std::string getSoftmax(const char *size) {
  std::string text = R"(
!x = tensor<5xNxbf16>
!m = tensor<5xf32>
!t = tensor<5xi64>
func.func @main(%x: !x, %t: !t) -> (!x, !m) {
  %r:2 = loop.kernel @k ins(%a = %x : !x, %p = %t : !t) shared [5] -> (!x, !m) {
    %m = loop.reduce parallel (%i) in [5] reduction (%j) in [N] <max> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %s = loop.reduce parallel (%i) in [5] reduction (%j) in [N] <sum> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %z = loop.load %m[%i] : !m
      %d = arith.subf %f, %z : f32
      %g = math.exp %d : f32
      loop.yield %g : f32
    }
    %o = loop.pointwise (%i, %j) in [5, N] : !x {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %z = loop.load %m[%i] : !m
      %d = arith.subf %f, %z : f32
      %g = math.exp %d : f32
      %y = loop.load %s[%i] : !m
      %q = arith.divf %g, %y : f32
      %b = arith.truncf %q : f32 to bf16
      loop.yield %b : bf16
    }
    %l = loop.pointwise (%i) in [5] : !m {
      %n = loop.load %p[%i] : !t
      %j = arith.index_cast %n : i64 to index
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %z = loop.load %m[%i] : !m
      %d = arith.subf %f, %z : f32
      loop.yield %d : f32
    }
    loop.return %o, %l : !x, !m
  }
  return %r#0, %r#1 : !x, !m
})";
  for (size_t at; (at = text.find('N')) != std::string::npos;)
    text.replace(at, 1, size);
  return text;
}

namespace {
/// Numbers of `#loop.gpu_rows`, and the places in its rows that are asked for each time.
struct Stages {
  int64_t threads, lanes, steps, stages;
};
} // namespace

/// Runs a case by schedules in which something is brought.
static void checkBrought(const char *name, const char *text,
                         ArrayRef<Stages> schedules) {
  for (const Stages &s : schedules) {
    std::string number = std::to_string(s.threads) + "x" +
                         std::to_string(s.lanes) + "in" +
                         std::to_string(s.stages);
    SCOPED_TRACE(std::string(name) + " by " + number);
    checkLowering(
        LoopCase{name, text, {{}}, /*indexLimit=*/100, /*ulps=*/1024},
        [&](KernelOp kernel) {
          kernel->getParentOfType<ModuleOp>()->setAttr(
              kTargetAttrName,
              getHopper(kernel.getContext(), /*deterministic=*/false));
          auto attr =
              GPURowsScheduleAttr::get(kernel.getContext(), s.threads,
                                       /*rows=*/1, s.lanes, s.steps, s.stages);
          kernel.setScheduleAttr(attr);
          EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
        },
        [](ModuleOp module) {
          bool isLowered = lowerToNVVM(module);
          int64_t copies = 0;
          module.walk(
              [&](NVVM::CpAsyncBulkGlobalToSharedClusterOp) { ++copies; });
          EXPECT_GT(copies, 0);
          return isLowered;
        },
        [&](ModuleOp module, ArrayRef<Array> arguments,
            const SymbolValues &symbols) {
          GridRecord record;
          std::vector<Array> results =
              runGrids(module, IndexWidth::Narrow, arguments, symbols, &record);
          if (const char *folder = std::getenv("KILN_GRID_CASES"))
            exportGrids(folder, std::string(name) + "-" + number, module,
                        record, /*ulps=*/1024);
          return results;
        });
  }
}

// Fewer rows than stages, as many, and more; of some threads no element.
TEST(LoopToNvvmBroughtRows, RowsOfPartsGoRound) {
  checkBrought("BroughtGradient", kGradient,
               {{32, 4, 1, 2}, {64, 2, 1, 3}, {32, 8, 1, 6}, {64, 8, 1, 8}});
}

TEST(LoopToNvvmBroughtRows, RowsThatWaitForNothingMeetOnce) {
  checkBrought("BroughtColumns", kColumnsAlone,
               {{32, 4, 1, 2}, {64, 1, 2, 3}, {64, 4, 1, 4}});
}

TEST(LoopToNvvmBroughtRows, RowsComeInPieces) {
  std::string even = getSoftmax("768");
  checkBrought("BroughtEven", even.c_str(),
               {{32, 8, 3, 2}, {64, 4, 3, 4}, {32, 8, 3, 8}, {128, 8, 1, 2}});
}

// Rows begin at each multiple of 2 bytes in turn. Of 519 elements some rows have 64 vectors,
// which fill the steps of 32 threads, and others 63; of 513 what may be the last of 64.
TEST(LoopToNvvmBroughtRows, EndsOfPeeledRowsAreNotBrought) {
  for (const char *size : {"421", "519", "513"}) {
    SCOPED_TRACE(size);
    std::string odd = getSoftmax(size), name = std::string("Brought") + size;
    checkBrought(name.c_str(), odd.c_str(),
                 {{32, 8, 3, 2}, {64, 8, 2, 2}, {32, 8, 3, 8}, {128, 8, 1, 3}});
  }
}
