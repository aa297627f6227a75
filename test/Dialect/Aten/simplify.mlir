// RUN: kiln-opt %s --aten-simplify | FileCheck %s

// CHECK-LABEL: func.func @permutes
// CHECK-NEXT: return %{{.*}} : tensor<2x3xf32>
func.func @permutes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = aten.permute(%x, dims = [1, 0]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = aten.permute(%0, dims = [1, 0]) : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @views
// CHECK-NEXT: %[[V:.*]] = aten.view(%{{.*}}, size = [6])
// CHECK-NEXT: return %[[V]]
func.func @views(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = aten.view(%x, size = [3, 2]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = aten.view(%0, size = [6]) : (tensor<3x2xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// Times one is nothing, plus zero is something: minus zero would change.
// CHECK-LABEL: func.func @units
// CHECK-NOT: aten.mul
// CHECK: aten.add.Scalar
func.func @units(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %0 = aten.mul.Tensor(%x, %one) : (tensor<4xf32>, f64) -> tensor<4xf32>
  %1 = aten.add.Scalar(%0, %zero) : (tensor<4xf32>, f64) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An integer times 1.0 becomes a float: it stays.
// CHECK-LABEL: func.func @promotes
// CHECK: aten.mul.Tensor
func.func @promotes(%x: tensor<4xi64>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f64
  %0 = aten.mul.Tensor(%x, %one) : (tensor<4xi64>, f64) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @twice
// CHECK: %[[D:.*]] = aten.detach
// CHECK-NEXT: return %[[D]]
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.detach(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = aten.detach(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
