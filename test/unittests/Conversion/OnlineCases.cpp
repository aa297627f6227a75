//===- OnlineCases.cpp - Two products in one walk -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes below, at and above tiles of rows and columns, and rows of factors that are no
// multiple of what a matrix unit takes.
//
//===----------------------------------------------------------------------===//

#include "OnlineCases.h"

using namespace kiln;
using namespace kiln::loop;

// A causal mask, two heads of queries for one of keys, values that lie in one tensor with
// the keys, and a result in another order.
static const char kCausalUnits[] = R"(
!q = tensor<2x?x24xbf16, #guard.shape<[2, s0, 24]>>
!k = tensor<1x?x64xbf16, #guard.shape<[1, s1, 64]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?xf32, #guard.shape<[2, s0]>>
!o = tensor<?x2x40xbf16, #guard.shape<[s0, 2, 40]>>
func.func @main(%x: !q, %y: !k) -> !o {
  %r = loop.kernel @k ins(%a = %x : !q, %b = %y : !k) shared [2, s0] -> !o {
    %low = arith.constant 0xFF800000 : f32
    %one = arith.constant 1.0 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [24]
        lhs %a[d0, d1, d3] : !q rhs %b[floordiv(d0, 2), d2, d3] : !k
        acc f32 : !s
    %t = loop.reduce parallel (%n, %i) in [2, s0] reduction (%j) in [s1] <max>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.index_cast %j : index to i64
      %l = arith.index_cast %i : index to i64
      %m = arith.cmpi sle, %p, %l : i64
      %g = arith.select %m, %f, %low : f32
      loop.yield %g : f32
    }
    %e = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.index_cast %j : index to i64
      %l = arith.index_cast %i : index to i64
      %m = arith.cmpi sle, %p, %l : i64
      %g = arith.select %m, %f, %low : f32
      %h = loop.load %t[%n, %i] : !z
      %d = arith.subf %g, %h : f32
      %w = math.exp %d : f32
      loop.yield %w : f32
    }
    %z = loop.reduce parallel (%n, %i) in [2, s0] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %e[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %u = loop.pointwise (%n, %i) in [2, s0] : !z {
      %f = loop.load %z[%n, %i] : !z
      %g = arith.divf %one, %f : f32
      loop.yield %g : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %g = loop.load %u[%n, %i] : !z
      %h = arith.mulf %f, %g : f32
      loop.yield %h : f32
    }
    %o = loop.contract parallel [s0, 2, 40] reduction [s1]
        lhs %w[d1, d0, d3] : !s rhs %b[floordiv(d1, 2), d3, d2 + 24] : !k
        acc f32 : !o rhs_prologue (%v) {
      %f = arith.extf %v : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %o : !o
  }
  return %r : !o
})";

// A bias that is minus infinity in some whole rows, weights of 0 there and rounded before
// they are multiplied, scores that are scaled and rounded in the first product's epilogue,
// an epilogue of the second that reads memory, and values of rows that leave the kernel.
static const char kBiasedUnits[] = R"(
!q = tensor<3x40x16xf16>
!k = tensor<3x72x16xf16>
!v = tensor<3x72x32xf16>
!b = tensor<40x72xf32>
!s = tensor<3x40x72xf16>
!e = tensor<3x40x72xf32>
!z = tensor<3x40x1xf32>
!o = tensor<3x40x32xf32>
func.func @main(%x: !q, %y: !k, %u: !v, %p: !b, %q: !o) -> (!o, !z, !z) {
  %r:3 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !v, %d = %p : !b,
                          %more = %q : !o)
      shared [3, 40] -> (!o, !z, !z) {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %scale = arith.constant 0.25 : f32
    %row = arith.constant 3 : index
    %s = loop.contract parallel [3, 40, 72] reduction [16]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
        epilogue (%acc, %n, %i, %j) {
      %f = arith.mulf %acc, %scale : f32
      %g = arith.truncf %f : f32 to f16
      loop.yield %g : f16
    }
    %t = loop.reduce parallel (%n, %i, %unit) in [3, 40, 1] reduction (%j) in [72]
        <max> : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      %g = arith.extf %f : f16 to f32
      %h = loop.load %d[%i, %j] : !b
      %l = arith.addf %g, %h : f32
      %m = arith.cmpi slt, %i, %row : index
      %x1 = arith.select %m, %low, %l : f32
      loop.yield %x1 : f32
    }
    %e = loop.pointwise (%n, %i, %j) in [3, 40, 72] : !e {
      %f = loop.load %s[%n, %i, %j] : !s
      %g = arith.extf %f : f16 to f32
      %h = loop.load %d[%i, %j] : !b
      %l = arith.addf %g, %h : f32
      %m = arith.cmpi slt, %i, %row : index
      %x1 = arith.select %m, %low, %l : f32
      %t1 = loop.load %t[%n, %i, 0] : !z
      %x2 = arith.subf %x1, %t1 : f32
      %x3 = math.exp %x2 : f32
      loop.yield %x3 : f32
    }
    %z = loop.reduce parallel (%n, %i, %unit) in [3, 40, 1] reduction (%j) in [72]
        <sum> : !z {
      %f = loop.load %e[%n, %i, %j] : !e
      loop.yield %f : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [3, 40, 72] : !s {
      %t1 = loop.load %t[%n, %i, 0] : !z
      %m = arith.cmpf oeq, %t1, %low : f32
      %f = loop.load %e[%n, %i, %j] : !e
      %g = loop.load %z[%n, %i, 0] : !z
      %h = arith.divf %f, %g : f32
      %l = arith.select %m, %none, %h : f32
      %x1 = arith.truncf %l : f32 to f16
      loop.yield %x1 : f16
    }
    %o = loop.contract parallel [3, 40, 32] reduction [72]
        lhs %w[d0, d1, d3] : !s rhs %c[d0, d3, d2] : !v acc f32 : !o
        epilogue (%acc, %n, %i, %j) {
      %f = loop.load %more[%n, %i, %j] : !o
      %g = arith.addf %acc, %f : f32
      loop.yield %g : f32
    }
    loop.return %o, %t, %z : !o, !z, !z
  }
  return %r#0, %r#1, %r#2 : !o, !z, !z
})";

llvm::ArrayRef<LoopCase> loop::getOnlineCases() {
  // Weights are rounded to eight or eleven bits.
  static const std::vector<LoopCase> cases = {
      {"CausalUnits",
       kCausalUnits,
       {{{"s0", 35}, {"s1", 35}}, {{"s0", 7}, {"s1", 16}}, {{"s0", 66}, {"s1", 40}}},
       0,
       /*ulps=*/2},
      {"BiasedUnits", kBiasedUnits, {{}}, 0, /*ulps=*/1 << 15}};
  return cases;
}

/// The first case with one thing changed.
static std::string change(llvm::StringRef from, llvm::StringRef to) {
  std::string text = kCausalUnits;
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to.str());
  return text;
}

std::vector<RefusedCase> loop::getRefusedCases() {
  return {
      {"the factors of scores are not two of bf16 or f16",
       change("24xbf16", "24xf32")},
      {"exponentials behind the maximum", change("<max>", "<min>")},
      {"exponentials behind the maximum", change("math.exp %d", "math.sqrt %d")},
      {"exponentials behind the maximum",
       change("arith.mulf %f, %g", "arith.addf %f, %g")},
      {"known number of units of 16 bytes", change("d2 + 24", "d2 + 23")},
  };
}
