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

// What is computed from an input is none, if the caller can tell: it may write to both.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT: %[[A:.*]] = aten.clone(%arg0
// CHECK-NEXT: %[[B:.*]] = aten.clone(%arg0
// CHECK-NEXT: %[[C:.*]] = aten.clone(%arg0
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @returned(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f64
  %0 = aten.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.mul.Tensor(%x, %one) : (tensor<4xf32>, f64) -> tensor<4xf32>
  %3 = aten.div.Scalar(%x, %one) : (tensor<4xf32>, f64) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What shows all of its operand is the operand, whatever view it is.
// CHECK-LABEL: func.func @whole
// CHECK-NEXT: return %arg0
func.func @whole(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = aten.slice.Tensor(%x, dim = 1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = aten.transpose.int(%0, dim0 = 1, dim1 = 1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = aten.real(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = aten._unsafe_view(%2, size = [2, 3]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// A copy has memory of its own, which may be written, although it shows the same
// elements in the same order.
// CHECK-LABEL: func.func @copies
// CHECK-NEXT: %[[V:.*]] = aten.view_copy(%arg0
// CHECK-NEXT: return %[[V]]
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.view_copy(%x, size = [4]) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Elements that change places stay, and so does a copy.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: %[[T:.*]] = aten.t(%arg0)
// CHECK-NEXT: %[[C:.*]] = aten.clone(%[[T]])
// CHECK-NEXT: return %[[C]]
func.func @others(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = aten.t(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = aten.clone(%0) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// Dimensions of size 1 do not change the order of the elements.
// CHECK-LABEL: func.func @ones
// CHECK-NEXT: %[[V:.*]] = aten.view(%arg0, size = [6])
// CHECK-NEXT: return %[[V]]
func.func @ones(%x: tensor<2x1x3xf32>) -> tensor<6xf32> {
  %0 = aten.squeeze.dim(%x, dim = 1) : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  %1 = aten.unsqueeze(%0, dim = 0) : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %2 = aten.view(%1, size = [6]) : (tensor<1x2x3xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// A transposition does, and so does a part.
// CHECK-LABEL: func.func @moved
// CHECK: aten.permute
// CHECK: aten.view
// CHECK: aten.slice.Tensor
// CHECK: aten.view
func.func @moved(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<4xf32>) {
  %0 = aten.permute(%x, dims = [1, 0]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = aten.view(%0, size = [6]) : (tensor<3x2xf32>) -> tensor<6xf32>
  %2 = aten.slice.Tensor(%x, dim = 1, start = 1) : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %3 = aten.view(%2, size = [4]) : (tensor<2x2xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<6xf32>, tensor<4xf32>
}

// What may copy does not where there is nothing to do, unless it is asked to.
// CHECK-LABEL: func.func @same
// CHECK-NEXT: %[[C:.*]] = aten.to.dtype(%arg0, dtype = f32, copy = true)
// CHECK-NEXT: return %arg0, %arg0, %[[C]]
func.func @same(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = aten.to.dtype(%x, dtype = f32) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.contiguous(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.to.dtype(%x, dtype = f32, copy = true) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @other_type
// CHECK-NEXT: %[[T:.*]] = aten.to.dtype(%arg0, dtype = f64)
// CHECK-NEXT: return %[[T]]
func.func @other_type(%x: tensor<4xf32>) -> tensor<4xf64> {
  %0 = aten.to.dtype(%x, dtype = f64) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func.func @idempotent
// CHECK-NEXT: %[[R:.*]] = aten.relu(%arg0)
// CHECK-NEXT: %[[A:.*]] = aten.abs(%arg0)
// CHECK-NEXT: %[[C:.*]] = aten.abs(%arg1)
// CHECK-NEXT: return %[[R]], %[[A]], %[[C]]
func.func @idempotent(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.abs(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = aten.abs(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = aten.abs(%z) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %5 = aten.abs(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The one is not the other.
// CHECK-LABEL: func.func @no_pair
// CHECK-NEXT: %[[R:.*]] = aten.relu(%arg0)
// CHECK-NEXT: %[[A:.*]] = aten.abs(%[[R]])
// CHECK-NEXT: %[[N:.*]] = aten.neg(%[[A]])
// CHECK-NEXT: aten.relu(%[[N]])
func.func @no_pair(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.abs(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.neg(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = aten.relu(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @divided
// CHECK-NEXT: aten.relu(%arg0)
// CHECK-NEXT: aten.abs(%arg0)
// CHECK-NEXT: return
func.func @divided(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1 : i64
  %0 = aten.div.Tensor(%x, %one) : (tensor<4xf32>, i64) -> tensor<4xf32>
  %1 = aten.relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.div.Scalar(%x, %one) : (tensor<4xf32>, i64) -> tensor<4xf32>
  %3 = aten.abs(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// By minus one, of integers (a float), of complex numbers, and one by `x`.
// CHECK-LABEL: func.func @divided_otherwise
// CHECK-COUNT-4: aten.div.Tensor
func.func @divided_otherwise(%x: tensor<4xf32>, %n: tensor<4xi64>, %z: tensor<4xcomplex<f32>>, %ones: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>) {
  %one = arith.constant 1 : i64
  %other = arith.constant -1 : i64
  %0 = aten.div.Tensor(%x, %other) : (tensor<4xf32>, i64) -> tensor<4xf32>
  %1 = aten.div.Tensor(%n, %one) : (tensor<4xi64>, i64) -> tensor<4xf32>
  %2 = aten.div.Tensor(%z, %one) : (tensor<4xcomplex<f32>>, i64) -> tensor<4xcomplex<f32>>
  %3 = aten.div.Tensor(%ones, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>
}

// What a type has all numbers of comes back from it.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: aten.relu(%arg0)
// CHECK-NEXT: aten.relu(%arg1)
// CHECK-NEXT: aten.neg(%arg2)
// CHECK-NEXT: aten.neg(%arg3)
// CHECK-NEXT: return
func.func @casts(%f: tensor<4xf32>, %b: tensor<4xbf16>, %n: tensor<4xi32>, %u: tensor<4xui8>)
    -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xi32>, tensor<4xui8>) {
  %0 = aten._to_copy(%f, dtype = f64) : (tensor<4xf32>) -> tensor<4xf64>
  %1 = aten._to_copy(%0, dtype = f32) : (tensor<4xf64>) -> tensor<4xf32>
  %2 = aten.relu(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = aten._to_copy(%b, dtype = f32) : (tensor<4xbf16>) -> tensor<4xf32>
  %4 = aten._to_copy(%3, dtype = bf16) : (tensor<4xf32>) -> tensor<4xbf16>
  %5 = aten.relu(%4) : (tensor<4xbf16>) -> tensor<4xbf16>
  %6 = aten._to_copy(%n, dtype = f64) : (tensor<4xi32>) -> tensor<4xf64>
  %7 = aten._to_copy(%6, dtype = i32) : (tensor<4xf64>) -> tensor<4xi32>
  %8 = aten.neg(%7) : (tensor<4xi32>) -> tensor<4xi32>
  %9 = aten._to_copy(%u, dtype = bf16) : (tensor<4xui8>) -> tensor<4xbf16>
  %10 = aten._to_copy(%9, dtype = ui8) : (tensor<4xbf16>) -> tensor<4xui8>
  %11 = aten.neg(%10) : (tensor<4xui8>) -> tensor<4xui8>
  return %2, %5, %8, %11 : tensor<4xf32>, tensor<4xbf16>, tensor<4xi32>, tensor<4xui8>
}

// Or is narrowed at once.
// CHECK-LABEL: func.func @narrowed
// CHECK-NEXT: %[[A:.*]] = aten._to_copy(%arg0, dtype = bf16) : (tensor<4xf32>)
// CHECK-NEXT: %[[B:.*]] = aten._to_copy(%arg1, dtype = i8) : (tensor<4xui8>)
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @narrowed(%f: tensor<4xf32>, %u: tensor<4xui8>) -> (tensor<4xbf16>, tensor<4xi8>) {
  %0 = aten._to_copy(%f, dtype = f64) : (tensor<4xf32>) -> tensor<4xf64>
  %1 = aten._to_copy(%0, dtype = bf16) : (tensor<4xf64>) -> tensor<4xbf16>
  %2 = aten._to_copy(%u, dtype = i32) : (tensor<4xui8>) -> tensor<4xi32>
  %3 = aten._to_copy(%2, dtype = i8) : (tensor<4xi32>) -> tensor<4xi8>
  return %1, %3 : tensor<4xbf16>, tensor<4xi8>
}

// A copy that is returned is one.
// CHECK-LABEL: func.func @cast_returned
// CHECK-NEXT: %[[C:.*]] = aten.clone(%arg0
// CHECK-NEXT: return %[[C]]
func.func @cast_returned(%f: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten._to_copy(%f, dtype = f64) : (tensor<4xf32>) -> tensor<4xf64>
  %1 = aten._to_copy(%0, dtype = f32) : (tensor<4xf64>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The first cast rounds (f32 has more digits than bf16 and f16, f16 more than bf16,
// bf16 a wider range than f16, i64 more digits than f64), loses a sign, makes a real
// number whole, or a gradient would be rounded twice on its way back.
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-14: aten._to_copy
// CHECK-NOT: aten._to_copy
func.func @rounded(%f: tensor<4xf32>, %h: tensor<4xf16>, %b: tensor<4xbf16>, %n: tensor<4xi64>, %s: tensor<4xi8>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xi64>, tensor<4xi8>, tensor<4xf32>, tensor<4xf64>) {
  %0 = aten._to_copy(%f, dtype = bf16) : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = aten._to_copy(%0, dtype = f32) : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = aten._to_copy(%h, dtype = bf16) : (tensor<4xf16>) -> tensor<4xbf16>
  %3 = aten._to_copy(%2, dtype = f16) : (tensor<4xbf16>) -> tensor<4xf16>
  %4 = aten._to_copy(%b, dtype = f16) : (tensor<4xbf16>) -> tensor<4xf16>
  %5 = aten._to_copy(%4, dtype = bf16) : (tensor<4xf16>) -> tensor<4xbf16>
  %6 = aten._to_copy(%n, dtype = f64) : (tensor<4xi64>) -> tensor<4xf64>
  %7 = aten._to_copy(%6, dtype = i64) : (tensor<4xf64>) -> tensor<4xi64>
  %8 = aten._to_copy(%s, dtype = ui8) : (tensor<4xi8>) -> tensor<4xui8>
  %9 = aten._to_copy(%8, dtype = i8) : (tensor<4xui8>) -> tensor<4xi8>
  %10 = aten._to_copy(%f, dtype = i64) : (tensor<4xf32>) -> tensor<4xi64>
  %11 = aten._to_copy(%10, dtype = f32) : (tensor<4xi64>) -> tensor<4xf32>
  %12 = aten._to_copy(%b, dtype = f32) : (tensor<4xbf16>) -> tensor<4xf32>
  %13 = aten._to_copy(%12, dtype = f64) : (tensor<4xf32>) -> tensor<4xf64>
  return %1, %3, %5, %7, %9, %11, %13
    : tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xi64>, tensor<4xi8>, tensor<4xf32>, tensor<4xf64>
}
