// RUN: kiln-opt %s --kiln-core --kiln-loop | FileCheck %s

!x = tensor<2x16x20x20xf32>
!w = tensor<32x16x3x3xf32>
!y = tensor<2x32x18x18xf32>
!u = tensor<16x32x3x3xf32>
!z = tensor<2x16x16x16xf32>
!c = tensor<32xf32>

// A batch norm of an inference is the epilogue of its convolution, and what follows it,
// too. The reciprocal root of a channel is computed once, not at each place of an image.

// CHECK-LABEL: func.func @normalized
// CHECK: %[[ROOT:.*]] = loop.kernel {{.*}} shared [1, 32, 1, 1]
// CHECK-NEXT: loop.pointwise {{.*}} in [1, 32, 1, 1]
// CHECK: math.sqrt
// CHECK-NEXT: arith.divf
// CHECK: loop.kernel {{.*}}%[[R:[a-z0-9]*]] = %[[ROOT]] : tensor<1x32x1x1xf32>{{.*}} shared [2, 18, 18, 32]
// CHECK-NEXT: loop.contract parallel [2, 18, 18, 32] {{.*}} epilogue
// CHECK: arith.subf %acc
// CHECK-NEXT: loop.load %[[R]][0, %{{.*}}, 0, 0]
// CHECK-NOT: math.sqrt
// CHECK: arith.maximumf
// CHECK-NEXT: loop.yield
// CHECK: loop.contract parallel [2, 16, 16, 16]
// CHECK-NOT: epilogue
// CHECK: return
func.func @normalized(%x: !x, %w: !w, %scale: !c, %shift: !c, %mean: !c, %var: !c, %u: !u) -> !z {
  %0 = aten.conv2d(%x, %w) : (!x, !w) -> !y
  %1 = aten.batch_norm(%0, weight = %scale, bias = %shift, running_mean = %mean, running_var = %var,
      training = false, momentum = 0.1, eps = 1.0e-5, cudnn_enabled = false) : (!y, !c, !c, !c, !c) -> !y
  %2 = aten.relu(%1) : (!y) -> !y
  %3 = aten.conv2d(%2, %u) : (!y, !u) -> !z
  return %3 : !z
}

// What is read as it was before, too, is stored as such.

// CHECK-LABEL: func.func @read_twice
// CHECK-NOT: epilogue
// CHECK: loop.kernel {{.*}} shared [2, 18, 18, 32] origins ["convolution"]
// CHECK-NEXT: loop.contract parallel [2, 18, 18, 32]
// CHECK-NOT: epilogue
// CHECK: loop.kernel {{.*}} shared [2, 18, 18, 32] origins ["relu"
// CHECK-NEXT: loop.pointwise
// CHECK-NOT: epilogue
// CHECK: return
func.func @read_twice(%x: !x, %w: !w, %scale: !c, %shift: !c, %mean: !c, %var: !c, %u: !u) -> (!z, !z) {
  %0 = aten.conv2d(%x, %w) : (!x, !w) -> !y
  %1 = aten.batch_norm(%0, weight = %scale, bias = %shift, running_mean = %mean, running_var = %var,
      training = false, momentum = 0.1, eps = 1.0e-5, cudnn_enabled = false) : (!y, !c, !c, !c, !c) -> !y
  %2 = aten.relu(%1) : (!y) -> !y
  %3 = aten.conv2d(%2, %u) : (!y, !u) -> !z
  %4 = aten.conv2d(%0, %u) : (!y, !u) -> !z
  return %3, %4 : !z, !z
}
