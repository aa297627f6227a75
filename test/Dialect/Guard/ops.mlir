// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// Symbols: backed ones have a range and a hint, floats say so.
// CHECK: guard.symbol @s77 range [2, 64] hint 8
guard.symbol @s77 range [2, 64] hint 8
// Numbers may be negative, and either end open.
// CHECK: guard.symbol @s78 range [-9223372036854775808, 64]
guard.symbol @s78 range [-9223372036854775808, 64]
// CHECK: guard.symbol @s79 range [-5, -2]
guard.symbol @s79 range [-5, -2]
// CHECK: guard.symbol @u0 unbacked range [0, 9223372036854775807]
guard.symbol @u0 unbacked range [0, 9223372036854775807]
// CHECK: guard.symbol @s1
guard.symbol @s1
// CHECK: guard.symbol @zuf0 unbacked float
guard.symbol @zuf0 unbacked float

// CHECK-LABEL: func.func @values
func.func @values() -> (i64, index, f64, i1) {
  // CHECK: guard.value <s77 * 4 + 1> : i64
  %0 = guard.value <1 + 4 * s77> : i64
  // CHECK: guard.value <floordiv(s77 + 1, 2)> : index
  %1 = guard.value <floordiv(s77 - 1, 2) + 1> : index
  // CHECK: guard.value <mul(tofloat(s77), float(0.5))> : f64
  %2 = guard.value <mul(tofloat(s77), float(0.5))> : f64
  // CHECK: guard.value <le(s77, 64)> : i1
  %3 = guard.value <ge(64, s77)> : i1
  // CHECK: guard.assert <le(u0, 64)>, "at most 64 items"
  guard.assert <le(u0, 64)>, "at most 64 items"
  return %0, %1, %2, %3 : i64, index, f64, i1
}

// A tensor type names its dynamic sizes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<?x4xf32, #guard.shape<[s77, 4]>>
func.func @main(%x: tensor<?x4xf32, #guard.shape<[s77, 4]>>, %y: tensor<?xf32, #guard.shape<[s77 + 1]>>, %z: tensor<4xf32>, %n: i64) {
  return
}

// CHECK-LABEL: guard.program @main_guards for @main {
guard.program @main_guards for @main {
  // CHECK-NEXT: guard.check_tensor 0 "x"
  guard.check_tensor 0 "x"
  // CHECK-NEXT: guard.check_dtype 0 "x" is f32
  guard.check_dtype 0 "x" is f32
  // CHECK-NEXT: guard.check_rank 0 "x" is 2
  guard.check_rank 0 "x" is 2
  // CHECK-NEXT: guard.check_size 0 "x"[1] is 4
  guard.check_size 0 "x"[1] is 4
  // CHECK-NEXT: guard.check_size_expr 1 "y"[0] is <s77 + 1>
  guard.check_size_expr 1 "y"[0] is <s77 + 1>
  // CHECK-NEXT: guard.check_stride 0 "x"[1] is <s77>
  guard.check_stride 0 "x"[1] is <s77>
  // CHECK-NEXT: guard.check_no_alias 0 "x"
  guard.check_no_alias 0 "x"
  // CHECK-NEXT: guard.check_scalar 3 "n" is 3 : i64
  guard.check_scalar 3 "n" is 3 : i64
  // CHECK-NEXT: guard.check_expr <le(s77, 64)> source "s77 <= 64"
  guard.check_expr <le(s77, 64)> source "s77 <= 64"
}
