//===- PlacePartsTest.cpp - Parts, stored where the whole has them --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that store where a concatenation has what they make, and those that
// read the parts and the whole, on the interpreter of threads.
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

// The gradients of attention, whose sums are saved, as columns of rows: those
// of queries, keys and values by heads. Somebody adds up the columns, and
// somebody else rows of a part.
static const char kGradients[] = R"(
!q = tensor<4x40x24xf16>
!s = tensor<4x40x40xf32>
!z = tensor<4x40xf32>
!r = tensor<40x288xf16>
!c = tensor<288xf32>
func.func @main(%x: !q, %y: !q, %u: !q, %g: !q, %l: !z) -> (!r, !c, !z) {
  %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !q) shared [4, 40, 40] -> !s {
    %c = loop.contract parallel [4, 40, 40] reduction [24] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !q acc f32 : !s
    loop.return %c : !s
  }
  %p = loop.kernel @slopes ins(%a = %g : !q, %b = %u : !q) shared [4, 40, 40] -> !s {
    %c = loop.contract parallel [4, 40, 40] reduction [24] lhs %a[d0, d1, d3] : !q
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
  %value = loop.kernel @value ins(%a = %w#0 : !s, %b = %g : !q) shared [4, 40, 24] -> !q {
    %c = loop.contract parallel [4, 40, 24] reduction [40] lhs %a[d0, d3, d1] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !q
    loop.return %c : !q
  }
  %key = loop.kernel @key ins(%a = %w#1 : !s, %b = %x : !q) shared [4, 40, 24] -> !q {
    %c = loop.contract parallel [4, 40, 24] reduction [40] lhs %a[d0, d3, d1] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !q
    loop.return %c : !q
  }
  %query = loop.kernel @query ins(%a = %w#1 : !s, %b = %y : !q) shared [4, 40, 24] -> !q {
    %c = loop.contract parallel [4, 40, 24] reduction [40] lhs %a[d0, d1, d3] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !q
    loop.return %c : !q
  }
  %r = loop.kernel @cat ins(%a = %query : !q, %b = %key : !q, %c = %value : !q) shared [40, 288] -> !r {
    %zero = arith.constant 0.0 : f16
    %c96 = arith.constant 96 : index
    %c192 = arith.constant 192 : index
    %m = loop.pointwise (%i, %j) in [40, 288] : !r {
      %0 = arith.cmpi slt, %j, %c96 : index
      %1 = loop.load %a[floordiv(%j, 24), %i, mod(%j, 24)] mask %0, %zero : !q
      %2 = arith.cmpi sge, %j, %c96 : index
      %3 = arith.cmpi slt, %j, %c192 : index
      %4 = arith.andi %2, %3 : i1
      %5 = loop.load %b[floordiv(%j, 24) - 4, %i, mod(%j, 24)] mask %4, %zero : !q
      %6 = arith.select %4, %5, %1 : f16
      %7 = arith.cmpi sge, %j, %c192 : index
      %8 = loop.load %c[floordiv(%j, 24) - 8, %i, mod(%j, 24)] mask %7, %zero : !q
      %9 = arith.select %7, %8, %6 : f16
      loop.yield %9 : f16
    }
    loop.return %m : !r
  }
  %t = loop.kernel @columns ins(%a = %r : !r) shared [288] -> !c {
    %m = loop.reduce parallel (%i) in [288] reduction (%j) in [40] <sum> : !c {
      %0 = loop.load %a[%j, %i] : !r
      %1 = arith.extf %0 : f16 to f32
      loop.yield %1 : f32
    }
    loop.return %m : !c
  }
  %v = loop.kernel @of_part ins(%a = %key : !q) shared [4, 40] -> !z {
    %m = loop.reduce parallel (%n, %i) in [4, 40] reduction (%j) in [24] <sum> : !z {
      %0 = loop.load %a[%n, %i, %j] : !q
      %1 = arith.extf %0 : f16 to f32
      loop.yield %1 : f32
    }
    loop.return %m : !z
  }
  return %r, %t, %v : !r, !c, !z
})";

// Any number of rows behind each other: a product of all of them, what is added
// to it, and a tensor of the caller, which is copied.
static const char kProducts[] = R"(
!x = tensor<?x24xf32, #guard.shape<[s0 * 3, 24]>>
!w = tensor<24x40xf32>
!y = tensor<?x3x40xf32, #guard.shape<[s0, 3, 40]>>
!p = tensor<?x40xf32, #guard.shape<[s0 * 3, 40]>>
!n = tensor<?x3x8xf32, #guard.shape<[s0, 3, 8]>>
!r = tensor<?x3x88xf32, #guard.shape<[s0, 3, 88]>>
module {
guard.symbol @s0 range [1, 50000] hint 40000
func.func @main(%x: !x, %w: !w, %y: !y, %z: !n) -> !r {
  %u = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [s0 * 3, 40] -> !p {
    %c = loop.contract parallel [s0 * 3, 40] reduction [24] lhs %a[d0, d2] : !x
        rhs %b[d2, d1] : !w acc f32 : !p
    loop.return %c : !p
  }
  %v = loop.kernel @double ins(%a = %y : !y) shared [s0, 3, 40] -> !y {
    %p = loop.pointwise (%i, %j, %k) in [s0, 3, 40] : !y {
      %0 = loop.load %a[%i, %j, %k] : !y
      %1 = arith.addf %0, %0 : f32
      loop.yield %1 : f32
    }
    loop.return %p : !y
  }
  %r = loop.kernel @cat ins(%d = %u : !p, %e = %z : !n, %f = %v : !y) shared [s0, 3, 88] -> !r {
    %zero = arith.constant 0.0 : f32
    %c40 = arith.constant 40 : index
    %c48 = arith.constant 48 : index
    %p = loop.pointwise (%i, %j, %k) in [s0, 3, 88] : !r {
      %0 = arith.cmpi slt, %k, %c40 : index
      %1 = loop.load %d[%i * 3 + %j, %k] mask %0, %zero : !p
      %2 = arith.cmpi sge, %k, %c40 : index
      %3 = arith.cmpi slt, %k, %c48 : index
      %4 = arith.andi %2, %3 : i1
      %5 = loop.load %e[%i, %j, %k - 40] mask %4, %zero : !n
      %6 = arith.select %4, %5, %1 : f32
      %7 = arith.cmpi sge, %k, %c48 : index
      %8 = loop.load %f[%i, %j, %k - 48] mask %7, %zero : !y
      %9 = arith.select %7, %8, %6 : f32
      loop.yield %9 : f32
    }
    loop.return %p : !r
  }
  return %r : !r
}
})";

/// Runs a case whose concatenation goes away, and leaves so many kernels, for a
/// GPU without warpgroups, which the interpreter does not know.
static void checkPlaced(const LoopCase &test, unsigned left) {
  checkPassesFor(
      [](MLIRContext *context) {
        return GPUTargetAttr::get(context, "sm_80", 108, 2048, 65536, 166912,
                                  41943040, /*tf32=*/false, /*conv_tf32=*/false,
                                  /*deterministic=*/false);
      },
      test,
      [](OpPassManager &pm) {
        OpPassManager &functions = pm.nest<func::FuncOp>();
        functions.addPass(createFuseProductsPass());
        functions.addPass(createPlacePartsPass());
        functions.addPass(createChooseSchedulePass());
      },
      [&](ModuleOp module) {
        unsigned kernels = 0, assembled = 0;
        module.walk([&](KernelOp) { ++kernels; });
        module.walk([&](AssembleOp) { ++assembled; });
        EXPECT_EQ(kernels, left);
        EXPECT_EQ(assembled, 1u);
      });
}

TEST(GridPlaceParts, GradientsOfAttention) {
  checkPlaced({"Gradients", kGradients, {{}}, 0, /*ulps=*/40}, 3);
}

TEST(GridPlaceParts, ProductsAndACopy) {
  checkPlaced({"Products", kProducts, {{{"s0", 1}}, {{"s0", 37}}}}, 3);
}
