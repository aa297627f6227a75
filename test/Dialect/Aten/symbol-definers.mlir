// RUN: kiln-opt %s --aten-simplify | FileCheck %s
// RUN: kiln-opt %s --canonicalize --cse | FileCheck %s --check-prefix=UPSTREAM

// What gives a symbol its value stays as long as anything reads the symbol, also
// if nothing uses its results. Upstream passes leave it alone in any case.

guard.symbol @u0 unbacked range [0, 4]
guard.symbol @u1 unbacked range [0, 4]
guard.symbol @u2 unbacked range [0, 4]
guard.symbol @u3 unbacked range [0, 4]
guard.symbol @u4 unbacked range [0, 4]
guard.symbol @u5 unbacked range [0, 4]
guard.symbol @u6 unbacked range [0, 4]

// CHECK-LABEL: func.func @assertion
// CHECK-NEXT: aten.nonzero
// CHECK-NEXT: guard.assert
// UPSTREAM-LABEL: func.func @assertion
// UPSTREAM-NEXT: aten.nonzero
// UPSTREAM-NEXT: guard.assert
func.func @assertion(%m: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.nonzero(%m) : (tensor<4xi1>) -> tensor<?x1xi64, #guard.shape<[u0, 1]>>
  guard.assert <le(u0, 3)>, "at most three"
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @size_and_index
// CHECK: aten.masked_select
// CHECK: aten.full
// CHECK-SAME: u1 * 2 + 1
// CHECK: aten.select.int
// CHECK-SAME: index = u1
// UPSTREAM-LABEL: func.func @size_and_index
// UPSTREAM: aten.masked_select
func.func @size_and_index(%m: tensor<4xi1>, %x: tensor<4xf32>)
    -> (tensor<?xf32, #guard.shape<[u1 * 2 + 1]>>, tensor<f32>) {
  %one = arith.constant 1.0 : f64
  %0 = aten.masked_select(%x, %m) : (tensor<4xf32>, tensor<4xi1>) -> tensor<?xf32, #guard.shape<[u1]>>
  %1 = aten.full(size = [u1 * 2 + 1], %one) : (f64) -> tensor<?xf32, #guard.shape<[u1 * 2 + 1]>>
  %2 = aten.select.int(%x, dim = 0, index = u1) : (tensor<4xf32>) -> tensor<f32>
  return %1, %2 : tensor<?xf32, #guard.shape<[u1 * 2 + 1]>>, tensor<f32>
}

// A number is read where it stands.
// CHECK-LABEL: func.func @number
// CHECK: aten.item
// CHECK: guard.value <u2 * 2>
func.func @number(%n: tensor<i64>) -> i64 {
  %0 = aten.item(%n) {symbol = "u2"} : (tensor<i64>) -> i64
  %1 = guard.value <u2 * 2> : i64
  return %1 : i64
}

// Both bodies give a size of their own: the op that runs them defines it.
// CHECK-LABEL: func.func @bodies
// CHECK: aten.cond
// CHECK: guard.assert
// UPSTREAM-LABEL: func.func @bodies
// UPSTREAM: aten.cond
func.func @bodies(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.cond %p(%x) then {
  ^bb0(%t: tensor<4xf32>):
    aten.yield %t : tensor<4xf32>
  } else {
  ^bb0(%t: tensor<4xf32>):
    %1 = aten.narrow(%t, dim = 0, start = 0, length = 2) : (tensor<4xf32>) -> tensor<2xf32>
    aten.yield %1 : tensor<2xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #guard.shape<[u3]>>
  guard.assert <le(u3, 4)>, "at most four"
  return %x : tensor<4xf32>
}

// Nothing reads the symbols of a chain: it goes.
// CHECK-LABEL: func.func @unread
// CHECK-NEXT: return
// UPSTREAM-LABEL: func.func @unread
// UPSTREAM-NEXT: aten.masked_select
// UPSTREAM: aten.item
func.func @unread(%m: tensor<4xi1>, %x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %0 = aten.masked_select(%x, %m) : (tensor<4xf32>, tensor<4xi1>) -> tensor<?xf32, #guard.shape<[u4]>>
  %1 = aten.nonzero(%0) : (tensor<?xf32, #guard.shape<[u4]>>) -> tensor<?x1xi64, #guard.shape<[u5, 1]>>
  %2 = aten.item(%n) {symbol = "u6"} : (tensor<i64>) -> i64
  return %x : tensor<4xf32>
}
