//===- PadFactorsTest.cpp - Heads in rows that begin anywhere -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of attention with heads of 21 elements, joined, on the interpreter of threads.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"
#include "LoopCases.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

// Two heads share keys; values and keys are parts of one tensor, and a result has 13 elements.
static const char kOddHeads[] = R"(
!q = tensor<4x35x21xbf16>
!k = tensor<50x84xbf16>
!s = tensor<4x35x50xf32>
!z = tensor<4x35x1xf32>
!o = tensor<4x35x13xbf16>
func.func @main(%x: !q, %y: !k) -> !o {
  %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !k) shared [4, 35, 50] -> !s {
    %c = loop.contract parallel [4, 35, 50] reduction [21] lhs %a[d0, d1, d3] : !q
        rhs %b[d2, floordiv(d0, 2) * 42 + d3] : !k acc f32 : !s
    loop.return %c : !s
  }
  %w = loop.kernel @softmax ins(%a = %s : !s) shared [4, 35] -> !s {
    %m = loop.reduce parallel (%i, %j, %unit) in [4, 35, 1] reduction (%k) in [50] <max> : !z {
      %f = loop.load %a[%i, %j, %k] : !s
      loop.yield %f : f32
    }
    %e = loop.pointwise (%i, %j, %k) in [4, 35, 50] : !s {
      %f = loop.load %a[%i, %j, %k] : !s
      %g = loop.load %m[%i, %j, 0] : !z
      %d = arith.subf %f, %g : f32
      %h = math.exp %d : f32
      loop.yield %h : f32
    }
    %t = loop.reduce parallel (%i, %j, %unit) in [4, 35, 1] reduction (%k) in [50] <sum> : !z {
      %f = loop.load %e[%i, %j, %k] : !s
      loop.yield %f : f32
    }
    %w = loop.pointwise (%i, %j, %k) in [4, 35, 50] : !s {
      %f = loop.load %e[%i, %j, %k] : !s
      %g = loop.load %t[%i, %j, 0] : !z
      %d = arith.divf %f, %g : f32
      loop.yield %d : f32
    }
    loop.return %w : !s
  }
  %o = loop.kernel @values ins(%a = %w : !s, %b = %y : !k) shared [4, 35, 13] -> !o {
    %c = loop.contract parallel [4, 35, 13] reduction [50] lhs %a[d0, d1, d3] : !s
        rhs %b[d3, floordiv(d0, 2) * 42 + d2 + 21] : !k acc f32 : !o rhs_prologue (%v) {
      %f = arith.extf %v : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %c : !o
  }
  return %o : !o
})";

// The backward where sums are saved: both products of queries and of slopes read one copy.
static const char kOddGradients[] = R"(
!q = tensor<4x40x21xf16>
!s = tensor<4x40x40xf32>
!z = tensor<4x40xf32>
func.func @main(%x: !q, %y: !q, %u: !q, %g: !q, %l: !z) -> (!q, !q, !q) {
  %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !q) shared [4, 40, 40] -> !s {
    %c = loop.contract parallel [4, 40, 40] reduction [21] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !q acc f32 : !s
    loop.return %c : !s
  }
  %p = loop.kernel @slopes ins(%a = %g : !q, %b = %u : !q) shared [4, 40, 40] -> !s {
    %c = loop.contract parallel [4, 40, 40] reduction [21] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !q acc f32 : !s
    loop.return %c : !s
  }
  %w:2 = loop.kernel @rows ins(%a = %s : !s, %b = %p : !s, %c = %l : !z) shared [4, 40] -> (!s, !s) {
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %less = arith.constant -0.25 : f32
    %w = loop.pointwise (%n, %i, %j) in [4, 40, 40] : !s {
      %f = loop.load %a[%n, %i, %j] : !s
      %m = loop.load %c[%n, %i] : !z
      %k = arith.cmpf ole, %f, %m : f32
      %o = arith.select %k, %one, %half : f32
      loop.yield %o : f32
    }
    %t = loop.pointwise (%n, %i, %j) in [4, 40, 40] : !s {
      %f = loop.load %b[%n, %i, %j] : !s
      %m = loop.load %c[%n, %i] : !z
      %k = arith.cmpf ole, %f, %m : f32
      %h = loop.load %w[%n, %i, %j] : !s
      %o = arith.select %k, %h, %less : f32
      loop.yield %o : f32
    }
    loop.return %w, %t : !s, !s
  }
  %value = loop.kernel @value ins(%a = %w#0 : !s, %b = %g : !q) shared [4, 40, 21] -> !q {
    %c = loop.contract parallel [4, 40, 21] reduction [40] lhs %a[d0, d3, d1] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !q
    loop.return %c : !q
  }
  %key = loop.kernel @key ins(%a = %w#1 : !s, %b = %x : !q) shared [4, 40, 21] -> !q {
    %c = loop.contract parallel [4, 40, 21] reduction [40] lhs %a[d0, d3, d1] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !q
    loop.return %c : !q
  }
  %query = loop.kernel @query ins(%a = %w#1 : !s, %b = %y : !q) shared [4, 40, 21] -> !q {
    %c = loop.contract parallel [4, 40, 21] reduction [40] lhs %a[d0, d1, d3] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !q
    loop.return %c : !q
  }
  return %query, %key, %value : !q, !q, !q
})";

static void checkPadded(const LoopCase &test, unsigned copies) {
  checkPasses(
      test, /*deterministic=*/false,
      [](OpPassManager &pm) {
        OpPassManager &functions = pm.nest<func::FuncOp>();
        functions.addPass(createFuseProductsPass());
        functions.addPass(createChooseSchedulePass());
      },
      [&](ModuleOp module) {
        unsigned padded = 0, blocks = 0;
        module.walk([&](KernelOp kernel) {
          padded += kernel.getName().contains("_padded_");
          blocks += isa_and_present<GPUBlocksScheduleAttr>(
              kernel.getScheduleAttr());
        });
        EXPECT_EQ(padded, copies);
        EXPECT_EQ(blocks, 1u);
      });
}

TEST(GridPadFactors, HeadsOfSharedKeys) {
  checkPadded({"Heads", kOddHeads, {{}}, 0, /*ulps=*/2}, 3);
}

TEST(GridPadFactors, FactorsThatSumsReadToo) {
  checkPadded({"Gradients", kOddGradients, {{}}, 0, /*ulps=*/1}, 4);
}
