// RUN: kiln-opt %s --split-input-file | FileCheck %s
//
// Parsing brings an expression to its canonical form. Each case prints one.

func.func private @show() attributes {
  // Sums are sorted, equal terms merged, products distributed.
  // CHECK: a00 = #guard.expr<s0 * 4 + s1 + 3>
  a00 = #guard.expr<3 + s1 + 2 * s0 + s0 * 2>,
  // CHECK: a01 = #guard.expr<s0 * s1 + s0 * 2 + s1 + 2>
  a01 = #guard.expr<(s0 + 1) * (s1 + 2)>,
  // CHECK: a02 = #guard.expr<0>
  a02 = #guard.expr<(s0 + 1) * s1 - s1 * s0 - s1>,
  // Names sort by their numbers; indices come before symbols.
  // CHECK: a03 = #guard.expr<d0 * 4 + d10 + s2 + s10>
  a03 = #guard.expr<s10 + s2 + d10 + 4 * d0>,
  // CHECK: a04 = #guard.expr<s0 * -1 + 5>
  a04 = #guard.expr<5 - s0>,
  // Whole multiples leave a division, a common factor cancels.
  // CHECK: a05 = #guard.expr<s0 * 2>
  a05 = #guard.expr<floordiv(s0 * 8 + 3, 4)>,
  // CHECK: a06 = #guard.expr<floordiv(s0 + 1, 2) + 1>
  a06 = #guard.expr<floordiv(s0 * 2 + 7, 4)>,
  // CHECK: a07 = #guard.expr<floordiv(s0, 6)>
  a07 = #guard.expr<floordiv(floordiv(s0, 2), 3)>,
  // CHECK: a08 = #guard.expr<s1 * 4>
  a08 = #guard.expr<floordiv(s0 * s1 * 4 + 4 * s1, s0 + 1)>,
  // CHECK: a09 = #guard.expr<floordiv(s0 + 2, 3)>
  a09 = #guard.expr<ceildiv(s0, 3)>,
  // CHECK: a10 = #guard.expr<mod(s1 + 1, 4)>
  a10 = #guard.expr<mod(s0 * 8 + s1 + 5, 4)>,
  // CHECK: a11 = #guard.expr<mod(s0, 16) * 4>
  a11 = #guard.expr<mod(s0 * 4, 64)>,
  // CHECK: a12 = #guard.expr<mod(floordiv(s0, 4), 3)>
  a12 = #guard.expr<modular_indexing(s0, 4, 3)>,
  // Constants compute, with the signs of Python.
  // CHECK: a13 = #guard.expr<-2>
  a13 = #guard.expr<floordiv(-3, 2)>,
  // CHECK: a14 = #guard.expr<1>
  a14 = #guard.expr<mod(-3, 2)>,
  // CHECK: a15 = #guard.expr<1024>
  a15 = #guard.expr<pow(2, 10)>,
  // CHECK: a16 = #guard.expr<s0 * s0 + s0 * 2 + 1>
  a16 = #guard.expr<pow(s0 + 1, 2)>,
  // What does not fit 64 bits stays as it was written.
  // CHECK: a17 = #guard.expr<add(9223372036854775807, 1)>
  a17 = #guard.expr<9223372036854775807 + 1>,
  // CHECK: a18 = #guard.expr<floordiv(1, 0)>
  a18 = #guard.expr<floordiv(1, 0)>,
  // CHECK: a19 = #guard.expr<-9223372036854775808>
  a19 = #guard.expr<-9223372036854775808>,
  // Extrema are flat and ordered where the difference is known.
  // CHECK: a20 = #guard.expr<max(2, s0, s1)>
  a20 = #guard.expr<max(max(s1, 1), max(2, s0))>,
  // CHECK: a21 = #guard.expr<s0 + 1>
  a21 = #guard.expr<max(s0, s0 + 1)>,
  // Comparisons have one direction, and are decided by the difference.
  // CHECK: a22 = #guard.expr<lt(s0, s1)>
  a22 = #guard.expr<gt(s1, s0)>,
  // CHECK: a23 = #guard.expr<1>
  a23 = #guard.expr<eq(s0 + 1, 1 + s0)>,
  // CHECK: a24 = #guard.expr<ne(s0, 1)>
  a24 = #guard.expr<not(eq(1, s0))>,
  // CHECK: a25 = #guard.expr<select(lt(s0, 4), s0, 4)>
  a25 = #guard.expr<select(s0 * 0 + 1, select(lt(s0, 4), s0, 4), 7)>,
  // Floats are computed but never reordered.
  // CHECK: a26 = #guard.expr<add(zf0, tofloat(s0))>
  a26 = #guard.expr<zf0 + tofloat(s0)>,
  // CHECK: a27 = #guard.expr<3>
  a27 = #guard.expr<round(float(2.5) + float(0.25))>,
  // CHECK: a28 = #guard.expr<float(0x7FF0000000000000)>
  a28 = #guard.expr<float(0x7FF0000000000000)>,
  // CHECK: a29 = #guard.expr<float(0.1)>
  a29 = #guard.expr<float(0.1)>,
  // A symbol that looks like an index, or is no identifier, is quoted.
  // CHECK: a30 = #guard.expr<"a b" + "d0">
  a30 = #guard.expr<"d0" + "a b">
}
