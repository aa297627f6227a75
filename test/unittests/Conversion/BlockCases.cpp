//===- BlockCases.cpp - Products with rows between them -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes below, at and above blocks, tiles and vectors.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;

// Attention with a causal mask: columns behind the last row of a block are left
// out. The last product has the shared dimensions in another order.
const char loop::kCausal[] = R"(
!q = tensor<2x?x?xf32, #guard.shape<[2, s0, s2]>>
!k = tensor<2x?x?xf32, #guard.shape<[2, s1, s2]>>
!v = tensor<2x?x?xf32, #guard.shape<[2, s1, s3]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?xf32, #guard.shape<[2, s0]>>
!o = tensor<?x2x?xf32, #guard.shape<[s0, 2, s3]>>
func.func @main(%x: !q, %y: !k, %u: !v) -> !o {
  %r = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !v)
      shared [2, s0] -> !o {
    %low = arith.constant 0xFF800000 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [s2]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
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
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %g = loop.load %z[%n, %i] : !z
      %h = arith.divf %f, %g : f32
      loop.yield %h : f32
    }
    %o = loop.contract parallel [s0, 2, s3] reduction [s1]
        lhs %w[d1, d0, d3] : !s rhs %c[d1, d3, d2] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
})";

// A mask from memory, a value per row that is kept from the rows before one product
// to those behind it, and leaves the kernel; heads of the second operand are shared.
const char loop::kKeptRows[] = R"(
!q = tensor<4x?x8xf32, #guard.shape<[4, s0, 8]>>
!k = tensor<2x?x8xf32, #guard.shape<[2, s1, 8]>>
!f = tensor<?x?xi1, #guard.shape<[s0, s1]>>
!s = tensor<4x?x?xf32, #guard.shape<[4, s0, s1]>>
!z = tensor<4x?xf32, #guard.shape<[4, s0]>>
!o = tensor<4x?x8xbf16, #guard.shape<[4, s0, 8]>>
!p = tensor<4x?x8xf32, #guard.shape<[4, s0, 8]>>
func.func @main(%x: !q, %y: !k, %u: !f) -> (!z, !o, !p) {
  %r:3 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !f)
      shared [4, s0] -> (!z, !o, !p) {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [4, s0, s1] reduction [8]
        lhs %a[d0, d1, d3] : !q rhs %b[floordiv(d0, 2), d2, d3] : !k
        acc f32 : !s epilogue (%acc, %n, %i, %j) {
      %f = loop.load %c[%i, %j] : !f
      %g = arith.select %f, %acc, %none : f32
      loop.yield %g : f32
    }
    %z = loop.reduce parallel (%n, %i) in [4, s0] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %t = loop.reduce parallel (%n, %i) in [4, s0] reduction (%j) in [s1] <max>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [4, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %g = loop.load %t[%n, %i] : !z
      %h = arith.subf %f, %g : f32
      loop.yield %h : f32
    }
    %o = loop.contract parallel [4, s0, 8] reduction [s1]
        lhs %w[d0, d1, d3] : !s rhs %b[floordiv(d0, 2), d3, d2] : !k acc f32 : !o
    %v = loop.pointwise (%n, %i, %j) in [4, s0, s1] : !s {
      %f = loop.load %w[%n, %i, %j] : !s
      %g = loop.load %t[%n, %i] : !z
      %h = arith.addf %f, %g : f32
      loop.yield %h : f32
    }
    %p = loop.contract parallel [4, s0, 8] reduction [s1]
        lhs %v[d0, d1, d3] : !s rhs %b[floordiv(d0, 2), d3, d2] : !k acc f32 : !p
    loop.return %z, %o, %p : !z, !o, !p
  }
  return %r#0, %r#1, %r#2 : !z, !o, !p
})";
