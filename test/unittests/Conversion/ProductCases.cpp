//===- ProductCases.cpp - Products of halves of words ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;

// Rows of both operands along memory, and a sum that is added to what is there.
const char loop::kProductOfRows[] = R"(
!a = tensor<40x72xbf16>
!b = tensor<72x48xbf16>
!c = tensor<40x48xf32>
func.func @main(%x: !a, %y: !b, %z: !c) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %d = %z : !c)
      shared [40, 48] -> !c {
    %s = loop.contract parallel [40, 48] reduction [72]
        lhs %a[d0, d2] : !a rhs %b[d2, d1] : !b acc f32 : !c
        epilogue (%acc, %i, %j) {
      %e = loop.load %d[%i, %j] : !c
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Columns of both along memory, where vectors of the result are short.
const char loop::kProductOfColumns[] = R"(
!a = tensor<72x40xf16>
!b = tensor<36x72xf16>
!c = tensor<40x36xf16>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [40, 36] -> !c {
    %s = loop.contract parallel [40, 36] reduction [72]
        lhs %a[d2, d0] : !a rhs %b[d1, d2] : !b acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// A matrix for each of two vectors, which leave a place at its end.
const char loop::kProductOfAVector[] = R"(
!a = tensor<2x1x76xf32>
!b = tensor<2x20x72xbf16>
!c = tensor<2x1x20xbf16>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [2, 1, 20] -> !c {
    %s = loop.contract parallel [2, 1, 20] reduction [72]
        lhs %a[d0, d1, d3 + 4] : !a rhs %b[d0, d2, d3] : !b acc f32 : !c
        lhs_prologue (%e) {
      %h = arith.truncf %e : f32 to bf16
      loop.yield %h : bf16
    }
        epilogue (%acc, %i, %j, %k) {
      %f = arith.truncf %acc : f32 to bf16
      %e = loop.load %b[%i, %k, 3] : !b
      %g = arith.addf %f, %e : bf16
      loop.yield %g : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// A batch, whose left operand is rounded on the way and has slices of odd width.
const char loop::kProductWithRounding[] = R"(
!a = tensor<2x24x21xf32>
!b = tensor<2x20x24xbf16>
!c = tensor<2x24x24xbf16>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [2, 24, 24] -> !c {
    %s = loop.contract parallel [2, 24, 24] reduction [20]
        lhs %a[d0, d1, d3 + 1] : !a rhs %b[d0, d3, d2] : !b acc f32 : !c
        lhs_prologue (%e) {
      %h = arith.truncf %e : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";
