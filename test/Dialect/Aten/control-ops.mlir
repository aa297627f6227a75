// Operators that run graphs, by name and in the generic form.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @cond
// CHECK: %[[R:.*]] = aten.cond %{{.*}}(%{{.*}}) then {
// CHECK-NEXT: ^bb0(%[[T:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[S:.*]] = aten.sin(%[[T]])
// CHECK-NEXT: aten.yield %[[S]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT: aten.yield %[[E]] : tensor<4xf32>
// CHECK-NEXT: } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
func.func @cond(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = aten.cond %p(%x) then {
  ^bb0(%t: tensor<4xf32>):
    %0 = aten.sin(%t) : (tensor<4xf32>) -> tensor<4xf32>
    aten.yield %0 : tensor<4xf32>
  } else {
  ^bb0(%t: tensor<4xf32>):
    aten.yield %t : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A predicate may be about sizes, and a branch may have nothing to give.
// CHECK-LABEL: func.func @size
// CHECK: aten.cond %{{.*}}() then {
// CHECK-NEXT: aten.yield
// CHECK-NEXT: } else {
// CHECK: aten._print
// CHECK: } : (i1) -> ()
guard.symbol @s0
func.func @size(%x: tensor<?xf32, #guard.shape<[s0]>>) {
  %p = guard.value <lt(4, s0)> : i1
  aten.cond %p() then {
    aten.yield
  } else {
    aten._print(s = "small") : () -> ()
    aten.yield
  } : (i1) -> ()
  return
}

// CHECK-LABEL: func.func @while_loop
// CHECK: aten.while_loop carry(%{{.*}}, %{{.*}}) extra(%{{.*}}) cond {
// CHECK: aten.yield %{{.*}} : tensor<i1>
// CHECK: } do {
// CHECK: aten.yield %{{.*}}, %{{.*}} : tensor<i64>, tensor<2xf32>
// CHECK: } : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<i64>, tensor<2xf32>)
func.func @while_loop(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<i64>, tensor<2xf32>) {
  %r:2 = aten.while_loop carry(%n, %x) extra(%y) cond {
  ^bb0(%a: tensor<i64>, %b: tensor<2xf32>, %c: tensor<2xf32>):
    %five = arith.constant 5 : i64
    %0 = aten.lt.Scalar(%a, %five) : (tensor<i64>, i64) -> tensor<i1>
    aten.yield %0 : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %b: tensor<2xf32>, %c: tensor<2xf32>):
    %one = arith.constant 1 : i64
    %0 = aten.add.Tensor(%a, %one) : (tensor<i64>, i64) -> tensor<i64>
    %1 = aten.mul.Tensor(%b, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    aten.yield %0, %1 : tensor<i64>, tensor<2xf32>
  } : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<i64>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<i64>, tensor<2xf32>
}

// CHECK-LABEL: func.func @scan
// CHECK: aten.scan carry(%{{.*}}) over(%{{.*}}) extra(%{{.*}}) do {
// CHECK: } : (tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>)
func.func @scan(%c: tensor<2xf32>, %xs: tensor<5x2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<5x2xf32>) {
  %last, %all = aten.scan carry(%c) over(%xs) extra(%y) do {
  ^bb0(%a: tensor<2xf32>, %x: tensor<2xf32>, %z: tensor<2xf32>):
    %0 = aten.add.Tensor(%a, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %1 = aten.mul.Tensor(%0, %z) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    aten.yield %0, %1 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>)
  return %last, %all : tensor<2xf32>, tensor<5x2xf32>
}

// The number of slices may be a symbol.
// CHECK-LABEL: func.func @map
// CHECK: aten.map over(%{{.*}}) do {
// CHECK: } : (tensor<?x2xf32, #guard.shape<[s0, 2]>>) -> tensor<?x2xf32, #guard.shape<[s0, 2]>>
func.func @map(%xs: tensor<?x2xf32, #guard.shape<[s0, 2]>>)
    -> tensor<?x2xf32, #guard.shape<[s0, 2]>> {
  %r = aten.map over(%xs) do {
  ^bb0(%x: tensor<2xf32>):
    %0 = aten.cos(%x) : (tensor<2xf32>) -> tensor<2xf32>
    aten.yield %0 : tensor<2xf32>
  } : (tensor<?x2xf32, #guard.shape<[s0, 2]>>) -> tensor<?x2xf32, #guard.shape<[s0, 2]>>
  return %r : tensor<?x2xf32, #guard.shape<[s0, 2]>>
}
