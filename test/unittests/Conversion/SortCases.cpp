//===- SortCases.cpp - Kernels that sort whole rows -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;

// Sorts with one and two keys along both dimensions; the sorted rows are read
// in the kernel that sorts them.
const char loop::kSorts[] = R"(
!m = tensor<?x?xi32, #guard.shape<[s0, s1]>>
!k = tensor<?x?xi8, #guard.shape<[s0, s1]>>
!n = tensor<?x?xi64, #guard.shape<[s0, s1]>>
func.func @main(%x: !m, %y: !k) -> (!m, !n) {
  %values = loop.kernel @k ins(%a = %x : !m) shared [s0] -> !m {
    %p = loop.sort parallel (%i) in [s0] along (%j) in [s1] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    %v = loop.pointwise (%i, %j) in [s0, s1] : !m {
      %k = loop.load %p[%i, %j] : !n
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !m
      loop.yield %e : i32
    }
    loop.return %v : !m
  }
  %first = loop.kernel @l ins(%a = %x : !m, %b = %y : !k) shared [s1] -> !n {
    %p = loop.sort parallel (%j) in [s1] along (%i) in [s0] at 0 : !n {
      %c = arith.constant 1 : i8
      %e = loop.load %b[%i, %j] : !k
      %g = arith.andi %e, %c : i8
      %f = loop.load %a[%i, %j] : !m
      loop.yield %g, %f : i8, i32
    }
    loop.return %p : !n
  }
  return %values, %first : !m, !n
})";

// More elements than a bitonic network has memory for on a GPU, few values among them.
const char loop::kLongSort[] = R"(
!k = tensor<1x9100xi8>
!n = tensor<1x9100xi64>
func.func @main(%x: !k) -> !n {
  %r = loop.kernel @k ins(%a = %x : !k) shared [1] -> !n {
    %p = loop.sort parallel (%i) in [1] along (%j) in [9100] at 1 : !n {
      %e = loop.load %a[%i, %j] : !k
      loop.yield %e : i8
    }
    loop.return %p : !n
  }
  return %r : !n
})";

// Whole rows by keys of 16, 32 and 64 bits, all of whose digits differ, and by two keys; the
// upper digits of the last one are the same in all elements.
const char loop::kDigits[] = R"(
!m = tensor<3x70xi32>
!n = tensor<3x70xi64>
func.func @main(%x: !m) -> (!n, !n, !n, !n) {
  %r:4 = loop.kernel @k ins(%a = %x : !m) shared [3] -> (!n, !n, !n, !n) {
    %large = arith.constant 324474259 : i32
    %p = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      loop.yield %f : i32
    }
    %q = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      %g = arith.trunci %f : i32 to i16
      loop.yield %g : i16
    }
    %s = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      %g = arith.extsi %f : i32 to i64
      %h = arith.muli %g, %g : i64
      %n = arith.muli %h, %g : i64
      loop.yield %n : i64
    }
    %t = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %c = arith.constant 3 : i32
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %e : i32
      %g = arith.andi %e, %c : i32
      %h = arith.trunci %g : i32 to i8
      loop.yield %h, %f : i8, i32
    }
    loop.return %p, %q, %s, %t : !n, !n, !n, !n
  }
  return %r#0, %r#1, %r#2, %r#3 : !n, !n, !n, !n
})";
