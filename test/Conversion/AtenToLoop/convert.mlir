// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s --implicit-check-not="aten.permute"

// Views leave no op: reads go through them. What is returned is copied.

!x = tensor<?x8xf32, #guard.shape<[s0, 8]>>
guard.symbol @s0 range [2, 64] hint 16

// CHECK-LABEL: func.func @views
// CHECK: %[[E:.*]] = loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [s0, 2, 4] origins ["exp"]
// CHECK-NEXT: loop.load %{{.*}}[%[[I]], %[[J]] * 4 + %[[K]]]
// CHECK: %[[T:.*]] = loop.pointwise (%[[A:.*]], %[[B:.*]]) in [8, s0] origins ["copy"]
// CHECK-NEXT: loop.load %{{.*}}[%[[B]], %[[A]]]
// CHECK: %[[S:.*]] = loop.pointwise (%[[C:.*]], %[[D:.*]]) in [s0, 3]
// CHECK-NEXT: loop.load %{{.*}}[%[[C]], %[[D]] * 2 + 2]
// CHECK: return %[[T]], %[[E]], %[[S]]
func.func @views(%x: !x) -> (tensor<8x?xf32, #guard.shape<[8, s0]>>,
    tensor<?x2x4xf32, #guard.shape<[s0, 2, 4]>>,
    tensor<?x3xf32, #guard.shape<[s0, 3]>>) {
  %t = aten.permute(%x, dims = [1, 0]) : (!x) -> tensor<8x?xf32, #guard.shape<[8, s0]>>
  %v = aten.view(%x, size = [s0, 2, 4]) : (!x) -> tensor<?x2x4xf32, #guard.shape<[s0, 2, 4]>>
  %e = aten.exp(%v) : (tensor<?x2x4xf32, #guard.shape<[s0, 2, 4]>>) -> tensor<?x2x4xf32, #guard.shape<[s0, 2, 4]>>
  %s = aten.slice.Tensor(%x, dim = 1, start = 2, end = 8, step = 2) : (!x) -> tensor<?x3xf32, #guard.shape<[s0, 3]>>
  return %t, %e, %s : tensor<8x?xf32, #guard.shape<[8, s0]>>, tensor<?x2x4xf32, #guard.shape<[s0, 2, 4]>>, tensor<?x3xf32, #guard.shape<[s0, 3]>>
}

// -----

// 16-bit floats compute in f32; a number is rounded to the tensor's type first.

// CHECK-LABEL: func.func @bf16
// CHECK: %[[X:.*]] = loop.load
// CHECK: %[[W:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: %[[C:.*]] = arith.constant 0.100097656 : f32
// CHECK: %[[S:.*]] = arith.addf %[[W]], %[[C]] : f32
// CHECK: arith.truncf %[[S]] : f32 to bf16
func.func @bf16(%a: tensor<4xbf16>) -> tensor<4xbf16> {
  %n = arith.constant 0.1 : f64
  %0 = aten.add.Tensor(%a, %n) : (tensor<4xbf16>, f64) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Unsigned bytes compare and extend without sign.

// CHECK-LABEL: func.func @unsigned
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: arith.maxui
func.func @unsigned(%u: tensor<4xui8>, %p: tensor<4xi1>) -> tensor<4xui8> {
  %0 = aten.maximum(%u, %p) : (tensor<4xui8>, tensor<4xi1>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// A comparison of integers with a float is made in f32.

// CHECK-LABEL: func.func @comparison
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.cmpf olt
func.func @comparison(%b: tensor<4xi32>) -> tensor<4xi1> {
  %n = arith.constant 0.5 : f64
  %0 = aten.lt.Scalar(%b, %n) : (tensor<4xi32>, f64) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// What aten-decompose opens has no second formula here.

// CHECK-LABEL: func.func @variance
// CHECK-NOT: loop.reduce
// CHECK: loop.extern "aten.var.correction"{{.*}} reason "no kernel is written for this operator"
func.func @variance(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = aten.var.correction(%x, dim = [1], keepdim = true) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// The bias is added in the epilogue; the reshape of the input is read in place.

// CHECK-LABEL: func.func @addmm
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract parallel [20, 16] reduction [8]
// CHECK-SAME: lhs %{{.*}}[floordiv(d0, 4), mod(d0, 4), d2] : tensor<5x4x8xf32>
// CHECK-SAME: rhs %{{.*}}[d1, d2] : tensor<16x8xf32>
// CHECK-SAME: epilogue (%[[ACC:.*]], %{{.*}}, %[[J:.*]]) {
// CHECK: %[[B:.*]] = loop.load %{{.*}}[%[[J]]]
// CHECK: arith.addf %[[B]], %[[ACC]]
func.func @addmm(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<20x16xf32> {
  %v = aten.view(%x, size = [20, 8]) : (tensor<5x4x8xf32>) -> tensor<20x8xf32>
  %t = aten.permute(%w, dims = [1, 0]) : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %m = aten.addmm(%b, %v, %t) : (tensor<16xf32>, tensor<20x8xf32>, tensor<8x16xf32>) -> tensor<20x16xf32>
  return %m : tensor<20x16xf32>
}

// -----

// Indices are checked by a call and clamped where they are used.

// CHECK-LABEL: func.func @embedding
// CHECK: %[[OK:.*]] = loop.reduce parallel () in [] reduction {{.*}} <all>
// CHECK: loop.extern "aten._assert_async.msg"(%[[OK]]) arguments [#loop.operand<0>, "index out of range in self"]
// CHECK: loop.pointwise
// CHECK: arith.minsi
// CHECK: %[[AT:.*]] = arith.maxsi
// CHECK: loop.load %{{.*}}[%[[AT]], %{{.*}}] : tensor<10x4xf32>
func.func @embedding(%w: tensor<10x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  %0 = aten.embedding(%w, %i) : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// What has no kernel is a call with a reason; its argument is copied.

// CHECK-LABEL: func.func @fallback
// CHECK: %[[T:.*]] = loop.pointwise
// CHECK: loop.extern "aten.complex.default"(%[[T]], %arg0) arguments [#loop.operand<0>, #loop.operand<1>] reason "complex"
func.func @fallback(%x: tensor<3x3xf32>) -> tensor<3x3xcomplex<f32>> {
  %t = aten.permute(%x, dims = [1, 0]) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %0 = aten.complex(%t, %x) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xcomplex<f32>>
  return %0 : tensor<3x3xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @joined
// CHECK: loop.load %{{.*}}[%{{.*}}, %{{.*}}] mask
// CHECK: loop.load %{{.*}}[%{{.*}}, %{{.*}} - 3] mask
// CHECK: arith.select
func.func @joined(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %0 = aten.cat([%x, %y], dim = 1) : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A returned clone of an input is a tensor of its own.

// CHECK-LABEL: func.func @clone
// CHECK: %[[C:.*]] = loop.pointwise
// CHECK: return %[[C]]
func.func @clone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.clone(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Which expert a row belongs to is data: where the groups of rows, of columns or of what both
// share end. Those of rows and columns are made to ascend.

// CHECK-LABEL: func.func @grouped
// CHECK: %[[ENDS:.*]] = loop.reduce parallel (%i) in [3] reduction (%j) in [3] <min>
// CHECK-NEXT: loop.load %arg3[max(%i, %j)]
// CHECK: loop.contract parallel [6, 4] reduction [3, 8] lhs %arg0[d0, d3] : tensor<6x8xf32> rhs %arg1[d2, d3, d1] : tensor<3x8x4xf32> groups %[[ENDS]](d2, d0) : tensor<3xi32> acc f32
// CHECK: loop.contract parallel [8, 6] reduction [3, 4] lhs %arg1[d2, d0, d3] : tensor<3x8x4xf32> rhs %arg2[d1, d3] : tensor<6x4xf32> groups %{{[0-9]+}}(d2, d1) : tensor<3xi32> acc f32
// CHECK: loop.contract parallel [3, 8, 4] reduction [6] lhs %arg0[d3, d1] : tensor<6x8xf32> rhs %arg2[d3, d2] : tensor<6x4xf32> groups %arg3(d0, d3) : tensor<3xi32> acc f32
func.func @grouped(%x: tensor<6x8xf32>, %w: tensor<3x8x4xf32>, %g: tensor<6x4xf32>, %offs: tensor<3xi32>) -> (tensor<6x4xf32>, tensor<8x6xf32>, tensor<3x8x4xf32>) {
  %0 = aten._grouped_mm(%x, %w, offs = %offs) : (tensor<6x8xf32>, tensor<3x8x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
  %1 = aten.t(%g) : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %2 = aten._grouped_mm(%w, %1, offs = %offs) : (tensor<3x8x4xf32>, tensor<4x6xf32>, tensor<3xi32>) -> tensor<8x6xf32>
  %3 = aten.t(%x) : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %4 = aten._grouped_mm(%3, %g, offs = %offs) : (tensor<8x6xf32>, tensor<6x4xf32>, tensor<3xi32>) -> tensor<3x8x4xf32>
  return %0, %2, %4 : tensor<6x4xf32>, tensor<8x6xf32>, tensor<3x8x4xf32>
}

// -----

// Two stacks of matrices have no groups.

// CHECK-LABEL: func.func @stacks
// CHECK: loop.contract parallel [3, 6, 4] reduction [8] lhs %arg0[d0, d1, d3] : tensor<3x6x8xf32> rhs %arg1[d0, d3, d2] : tensor<3x8x4xf32> acc f32
func.func @stacks(%x: tensor<3x6x8xf32>, %w: tensor<3x8x4xf32>) -> tensor<3x6x4xf32> {
  %0 = aten._grouped_mm(%x, %w) : (tensor<3x6x8xf32>, tensor<3x8x4xf32>) -> tensor<3x6x4xf32>
  return %0 : tensor<3x6x4xf32>
}
