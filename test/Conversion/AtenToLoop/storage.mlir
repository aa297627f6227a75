// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// Strides of a tensor that lies row by row, and diagonals, are reads.

// CHECK-LABEL: func.func @strided
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]]) in [2, 3]
// CHECK-NEXT: loop.load %{{.*}}[floordiv(%[[I]] * 2 + %[[J]] * 3 + 1, 4), mod(%[[I]] * 2 + %[[J]] * 3 + 1, 4)]
// CHECK: loop.pointwise (%[[K:.*]]) in [3]
// CHECK-NEXT: loop.load %{{.*}}[%[[K]], %[[K]] + 1]
// CHECK-NOT: loop.extern
func.func @strided(%x: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %s = aten.as_strided(%x, size = [2, 3], stride = [2, 3], storage_offset = 1) : (tensor<3x4xf32>) -> tensor<2x3xf32>
  %d = aten.diagonal(%x, offset = 1) : (tensor<3x4xf32>) -> tensor<3xf32>
  return %s, %d : tensor<2x3xf32>, tensor<3xf32>
}

// -----

// A caller's tensor may lie otherwise, or start anywhere in its memory: the
// runtime makes the view. What it is a view of counts, not the view.

// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK: loop.extern "aten.as_strided.default"(%[[X]])
// CHECK-NOT: reason
// CHECK: loop.extern "aten.as_strided.default"(%[[Y]])
// CHECK-NOT: reason
// CHECK: return
func.func @elsewhere(
    %x: tensor<3x4xf32> {aten.input = #aten.input<kind = user_input, name = "x", strides = <[1, 3]>>},
    %y: tensor<3x4xf32> {aten.storage_offset}) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = aten.as_strided(%x, size = [2], stride = [1]) : (tensor<3x4xf32>) -> tensor<2xf32>
  %t = aten.permute(%y, dims = [1, 0]) : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %b = aten.as_strided(%t, size = [2], stride = [1], storage_offset = 3) : (tensor<4x3xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// A view has the memory of what it is a view of, and begins where its own first
// element is. A copy has its own.

// CHECK-LABEL: func.func @view
// CHECK: loop.pointwise (%[[I:.*]]) in [2]
// CHECK-NEXT: loop.load %{{.*}}[0, %[[I]] + 1] : tensor<3x4xf32>
// CHECK: loop.pointwise (%[[J:.*]]) in [2]
// CHECK-NEXT: loop.load %{{.*}}[%[[J]], 0] : tensor<3x4xf32>
// CHECK-NOT: loop.extern
func.func @view(%x: tensor<3x4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %s = aten.slice.Tensor(%x, dim = 1, start = 1) : (tensor<3x4xf32>) -> tensor<3x3xf32>
  %t = aten.permute(%s, dims = [1, 0]) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %a = aten.as_strided(%t, size = [2], stride = [1]) : (tensor<3x3xf32>) -> tensor<2xf32>
  %u = aten.permute(%x, dims = [1, 0]) : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %c = aten.contiguous(%u) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %b = aten.as_strided(%c, size = [2], stride = [1]) : (tensor<4x3xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// Strides that may leave the memory are checked in the run.

// CHECK-LABEL: func.func @outside
// CHECK: loop.extern "aten._assert_async.msg"
// CHECK: loop.pointwise (%[[I:.*]]) in [s0]
// CHECK-NEXT: loop.load %{{.*}}[min(11, %[[I]] * 2)]
func.func @outside(%x: tensor<12xf32>) -> tensor<?xf32, #guard.shape<[s0]>> {
  %a = aten.as_strided(%x, size = [s0], stride = [2]) : (tensor<12xf32>) -> tensor<?xf32, #guard.shape<[s0]>>
  return %a : tensor<?xf32, #guard.shape<[s0]>>
}

// -----

// Elements are cut into smaller ones, the low bytes first.

// CHECK-LABEL: func.func @reinterpret
// CHECK: loop.pointwise (%[[I:.*]]) in [8]
// CHECK-NEXT: %[[X:.*]] = loop.load %{{.*}}[floordiv(%[[I]], 2)]
// CHECK-NEXT: %[[B:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK: %[[P:.*]] = arith.shrui %[[B]]
// CHECK-NEXT: arith.trunci %[[P]] : i32 to i16
func.func @reinterpret(%x: tensor<4xf32>) -> tensor<8xi16> {
  %0 = aten.view.dtype(%x, dtype = i16) : (tensor<4xf32>) -> tensor<8xi16>
  return %0 : tensor<8xi16>
}

// -----

// An attribute of the operator is a constant of its body; an absent one leaves
// its part out.

// CHECK-LABEL: func.func @attributes
// CHECK: arith.constant 1.000000e-01 : f32
// CHECK: math.log
// CHECK: loop.pointwise
// CHECK-NOT: 1.000000e-01
// CHECK: math.log
func.func @attributes(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = aten.logit(%x, eps = 1.0e-1) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.logit(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
