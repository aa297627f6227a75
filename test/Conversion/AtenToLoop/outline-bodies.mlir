// RUN: kiln-opt %s --outline-aten-bodies | FileCheck %s
// RUN: kiln-opt %s --outline-aten-bodies --convert-aten-to-loop | FileCheck %s --check-prefix=LOOP

// A symbol that no argument of a body tells is passed as a number more; one
// that is a size of an argument is not.
// CHECK-LABEL: func.func @branch
// CHECK: %[[N:.*]] = guard.value <s1> : i64
// CHECK: %[[R:.*]] = loop.invoke branch [@branch_cond_then, @branch_cond_else](%{{.*}}, %{{.*}}, %[[N]]) :
// CHECK: return %[[R]]
// CHECK: func.func private @branch_cond_then(%[[T:.*]]: tensor<?xf32, #guard.shape<[s0]>>, %{{.*}}: i64 {aten.input = #aten.input<kind = user_input, name = "s1", value = #guard.expr<s1>>})
// CHECK-NEXT: guard.value <s1>
// CHECK-NEXT: %[[A:.*]] = aten.add.Tensor
// CHECK-NEXT: return %[[A]]
// CHECK: func.func private @branch_cond_else(%[[E:.*]]: tensor<?xf32, #guard.shape<[s0]>>, %{{.*}}: i64
// CHECK-NEXT: return %[[E]]

// What a function is called with lies in memory; its body is made of loops.
// LOOP-LABEL: func.func @branch
// LOOP: %[[NEG:.*]] = loop.pointwise
// LOOP: loop.invoke branch {{.*}}(%{{.*}}, %[[NEG]],
// LOOP: func.func private @branch_cond_then
// LOOP: loop.pointwise
guard.symbol @s0
guard.symbol @s1
func.func @branch(%p: tensor<i1>, %x: tensor<?xf32, #guard.shape<[s0]>>,
                  %y: tensor<?xf32, #guard.shape<[s1]>>)
    -> tensor<?xf32, #guard.shape<[s0]>> {
  %m = aten.neg(%x) : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  %r = aten.cond %p(%m) then {
  ^bb0(%t: tensor<?xf32, #guard.shape<[s0]>>):
    %n = guard.value <s1> : i64
    %0 = aten.add.Tensor(%t, %n) : (tensor<?xf32, #guard.shape<[s0]>>, i64) -> tensor<?xf32, #guard.shape<[s0]>>
    aten.yield %0 : tensor<?xf32, #guard.shape<[s0]>>
  } else {
  ^bb0(%t: tensor<?xf32, #guard.shape<[s0]>>):
    aten.yield %t : tensor<?xf32, #guard.shape<[s0]>>
  } : (tensor<i1>, tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  return %r : tensor<?xf32, #guard.shape<[s0]>>
}

// Inner bodies come first, and names stay unique.
// CHECK-LABEL: func.func @nested
// CHECK: loop.invoke scan [@nested_scan_body](%{{.*}}, %{{.*}}) carried 1 scanned 1 :
// CHECK: func.func private @nested_scan_body
// CHECK: loop.invoke while [@nested_while_loop_cond, @nested_while_loop_body](%{{.*}}, %{{.*}}) carried 1 :
// CHECK: func.func private @nested_while_loop_cond
// CHECK: return %{{.*}} : tensor<i1>
// CHECK: func.func private @nested_while_loop_body
func.func @nested(%c: tensor<f32>, %xs: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %last, %all = aten.scan carry(%c) over(%xs) do {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    %r = aten.while_loop carry(%a) extra(%x) cond {
    ^bb0(%v: tensor<f32>, %l: tensor<f32>):
      %0 = aten.lt.Tensor(%v, %l) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      aten.yield %0 : tensor<i1>
    } do {
    ^bb0(%v: tensor<f32>, %l: tensor<f32>):
      %0 = aten.add.Tensor(%v, %l) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      aten.yield %0 : tensor<f32>
    } : (tensor<f32>, tensor<f32>) -> tensor<f32>
    aten.yield %r, %r : tensor<f32>, tensor<f32>
  } : (tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  return %last, %all : tensor<f32>, tensor<3xf32>
}
