// Ops of other dialects stay where they are between operators: what they read is
// in memory, what they make is an input of nests.
// RUN: kiln-opt %s --split-input-file --convert-aten-to-loop | FileCheck %s
// RUN: kiln-opt %s --split-input-file --kiln-core --kiln-loop --kiln-cpu | FileCheck %s --check-prefix=CODE --implicit-check-not=" aten."

// CHECK-LABEL: func.func @between(
// CHECK: %[[R:.*]] = loop.pointwise {{.*}} origins ["relu"] : tensor<8x4xf32>
// CHECK: %[[E:.*]] = math.exp %[[R]] : tensor<8x4xf32>
// CHECK: loop.pointwise {{.*}} origins ["sin"]
// CHECK: loop.load %[[E]]
// CODE-LABEL: func.func @between(
// CODE: %[[R:.*]] = loop.launch @kernels::@fused_relu
// CODE: %[[E:.*]] = math.exp %[[R]] : tensor<8x4xf32>
// CODE: loop.launch @kernels::@fused_sin_{{[0-9]+}}(%[[E]])
func.func @between(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = aten.relu(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = math.exp %0 : tensor<8x4xf32>
  %2 = aten.sin(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// A view leaves no op, so what a foreign op reads through it is copied.
// CHECK-LABEL: func.func @view(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
// CHECK: %[[T:.*]] = loop.pointwise (%[[I:.*]], %[[J:.*]]) in [4, 8] origins ["copy"] : tensor<4x8xf32>
// CHECK: loop.load %[[X]][%[[J]], %[[I]]]
// CHECK: tensor.extract_slice %[[T]]
// CODE-LABEL: func.func @view(
// CODE: %[[T:.*]] = loop.launch @kernels::@fused_copy
// CODE: tensor.extract_slice %[[T]]
func.func @view(%x: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %0 = aten.t(%x) : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = tensor.extract_slice %0[0, 0] [2, 8] [1, 1]
    : tensor<4x8xf32> to tensor<2x8xf32>
  %2 = aten.neg(%1) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

// -----

// Structured ops, calls and arithmetic on tensors, also where regions read what
// operators made.
// CHECK-LABEL: func.func @many(
// CHECK: %[[S:.*]] = loop.pointwise {{.*}} origins ["sin"]
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<4xf32>)
// CHECK: %[[C:.*]] = call @helper(
// CHECK: arith.addf %[[C]], %[[S]] : tensor<4xf32>
// CHECK: scf.if
// CHECK: arith.mulf %[[S]], %{{.*}} : tensor<4xf32>
// CODE-LABEL: func.func @many(
// CODE: linalg.generic
// CODE: call @helper(
// CODE: arith.addf
// CODE: %[[IF:.*]] = scf.if
// CODE: loop.launch @kernels::@fused_neg{{.*}}(%[[IF]])
#id = affine_map<(i) -> (i)>
func.func private @helper(tensor<4xf32>) -> tensor<4xf32>
func.func @many(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = aten.sin(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %2 = aten.cos(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @helper(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = arith.addf %3, %0 : tensor<4xf32>
  %5 = scf.if %c -> tensor<4xf32> {
    %6 = arith.mulf %0, %4 : tensor<4xf32>
    scf.yield %6 : tensor<4xf32>
  } else {
    scf.yield %4 : tensor<4xf32>
  }
  %7 = aten.neg(%5) : (tensor<4xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// -----

// A number of a tensor that a foreign op wants is read by a call.
// CHECK-LABEL: func.func @number(
// CHECK: %[[N:.*]] = loop.extern "aten.item.default"
// CHECK: math.exp %[[N]] : f64
// CODE-LABEL: func.func @number(
// CODE: math.exp
func.func @number(%x: tensor<f32>) -> f64 {
  %0 = aten.sin(%x) : (tensor<f32>) -> tensor<f32>
  %1 = aten.item(%0) : (tensor<f32>) -> f64
  %2 = math.exp %1 : f64
  return %2 : f64
}

// -----

// With symbolic sizes; what a foreign op says nothing about stays unknown.
guard.symbol @s0
// CHECK-LABEL: func.func @symbolic(
// CHECK: %[[E:.*]] = math.exp %{{.*}} : tensor<?x4xf32, #guard.shape<[s0, 4]>>
// CHECK: loop.pointwise {{.*}} in [s0, 4] origins ["sin"]
// CODE-LABEL: func.func @symbolic(
// CODE: math.exp
func.func @symbolic(%x: tensor<?x4xf32, #guard.shape<[s0, 4]>>)
    -> tensor<?x4xf32, #guard.shape<[s0, 4]>> {
  %0 = aten.relu(%x) : (tensor<?x4xf32, #guard.shape<[s0, 4]>>)
    -> tensor<?x4xf32, #guard.shape<[s0, 4]>>
  %1 = math.exp %0 : tensor<?x4xf32, #guard.shape<[s0, 4]>>
  %2 = aten.sin(%1) : (tensor<?x4xf32, #guard.shape<[s0, 4]>>)
    -> tensor<?x4xf32, #guard.shape<[s0, 4]>>
  return %2 : tensor<?x4xf32, #guard.shape<[s0, 4]>>
}
