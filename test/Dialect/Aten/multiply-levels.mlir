// RUN: kiln-opt %s --aten-multiply-levels --canonicalize | FileCheck %s
// RUN: kiln-opt %s --aten-multiply-levels=weights-only --canonicalize | FileCheck %s --check-prefix=WEIGHT

// Unsigned activations and a signed weight with a scale for each channel, as
// exported programs have them: zeros are taken off in i32, scales come behind.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: %[[X:.*]]: tensor<6x8xui8>, %[[W:.*]]: tensor<4x8xi8>, %[[S:.*]]: tensor<4xf32>, %[[BIAS:.*]]: tensor<4xf32>
// CHECK-DAG: %[[A:.*]] = aten._to_copy(%[[X]], dtype = i32
// CHECK-DAG: %[[T:.*]] = aten.permute(%[[W]], dims = [1, 0])
// CHECK-DAG: %[[B:.*]] = aten._to_copy(%[[T]], dtype = i32
// CHECK-DAG: %[[SCALES:.*]] = aten.permute({{.*}}) : (tensor<4x1xf32>) -> tensor<1x4xf32>
// CHECK: %[[P:.*]] = aten.mm(%[[A]], %[[B]]) : (tensor<6x8xi32>, tensor<8x4xi32>) -> tensor<6x4xi32>
// CHECK: %[[SUMS:.*]] = aten.sum.dim_IntList(%[[B]], dim = [0], keepdim = true, dtype = i32)
// CHECK: %[[ZEROS:.*]] = aten.mul.Tensor(%[[SUMS]],
// CHECK: %[[I:.*]] = aten.sub.Tensor(%[[P]], %[[ZEROS]])
// CHECK: %[[F:.*]] = aten._to_copy(%[[I]], dtype = f32
// CHECK: %[[G:.*]] = aten.mul.Tensor(%[[F]],
// CHECK: %[[H:.*]] = aten.mul.Tensor(%[[G]], %[[SCALES]])
// CHECK: %[[Y:.*]] = aten.add.Tensor(%[[H]], %[[BIAS]])
// CHECK: return %[[Y]]
// WEIGHT-LABEL: func.func @linear
// WEIGHT-NOT: tensor<6x4xi32>
// WEIGHT: aten.mm({{.*}}) : (tensor<6x8xf32>, tensor<8x4xf32>)
func.func @linear(%x: tensor<6x8xui8>, %w: tensor<4x8xi8>, %s: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<6x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %zero = arith.constant 1.13e+02 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<6x8xui8>) -> tensor<6x8xf32>
  %1 = aten.sub.Tensor(%0, %zero) : (tensor<6x8xf32>, f64) -> tensor<6x8xf32>
  %2 = aten.mul.Tensor(%1, %scale) : (tensor<6x8xf32>, f64) -> tensor<6x8xf32>
  %3 = aten.view(%s, size = [4, 1]) : (tensor<4xf32>) -> tensor<4x1xf32>
  %4 = aten.mul.Tensor(%w, %3) : (tensor<4x8xi8>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = aten.permute(%4, dims = [1, 0]) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %6 = aten.addmm(%bias, %2, %5) : (tensor<4xf32>, tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %6 : tensor<6x4xf32>
}

// Both are signed: 128 is added to one, and to its zero, which was 0. The zeros of the
// weight are not known: what they change is taken off in f32.
// CHECK-LABEL: func.func @signed
// CHECK: %[[C128:.*]] = arith.constant 128 : i64
// CHECK: %[[I:.*]] = aten._to_copy(%{{.*}}, dtype = i32
// CHECK: %[[A:.*]] = aten.add.Tensor(%[[I]], %[[C128]])
// CHECK: aten.mm(%[[A]], %{{.*}}) : (tensor<6x8xi32>, tensor<8x4xi32>) -> tensor<6x4xi32>
// CHECK: aten.sum.dim_IntList(%{{.*}}, dim = [0]
// CHECK: aten.sum.dim_IntList(%[[A]], dim = [1], keepdim = true, dtype = i32)
// CHECK: aten.sub.Tensor(%{{.*}}) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
func.func @signed(%x: tensor<6x8xi8>, %w: tensor<8x4xi8>, %z: tensor<1x4xi64>, %s: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<6x8xi8>) -> tensor<6x8xf32>
  %1 = aten.mul.Tensor(%0, %scale) : (tensor<6x8xf32>, f64) -> tensor<6x8xf32>
  %2 = aten.sub.Tensor(%w, %z) : (tensor<8x4xi8>, tensor<1x4xi64>) -> tensor<8x4xi64>
  %3 = aten.mul.Tensor(%2, %s) : (tensor<8x4xi64>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %4 = aten.mm(%1, %3) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %4 : tensor<6x4xf32>
}

// A weight alone: its bytes are extended, its scales come behind.
// CHECK-LABEL: func.func @weight
// WEIGHT-LABEL: func.func @weight
// WEIGHT-SAME: %[[X:.*]]: tensor<1x8xf32>, %[[W:.*]]: tensor<8x4xi8>, %[[S:.*]]: tensor<1x4xf32>
// WEIGHT: %[[F:.*]] = aten._to_copy(%[[W]], dtype = f32
// WEIGHT: %[[P:.*]] = aten.mm(%[[X]], %[[F]])
// WEIGHT: aten.mul.Tensor(%[[P]], %[[S]])
func.func @weight(%x: tensor<1x8xf32>, %w: tensor<8x4xi8>, %s: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = aten.mul.Tensor(%w, %s) : (tensor<8x4xi8>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %1 = aten.mm(%x, %0) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// Scales that change along the sum belong to its terms.
// CHECK-LABEL: func.func @along_the_sum
// CHECK-NOT: _to_copy
// CHECK: aten.mm({{.*}}) : (tensor<6x8xf32>, tensor<8x4xf32>)
func.func @along_the_sum(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %s: tensor<8x1xf32>) -> tensor<6x4xf32> {
  %0 = aten.mul.Tensor(%w, %s) : (tensor<8x4xi8>, tensor<8x1xf32>) -> tensor<8x4xf32>
  %1 = aten.mm(%x, %0) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// A difference of bytes wraps: it is no level minus its zero.
// CHECK-LABEL: func.func @wraps
// CHECK-NOT: _to_copy
// CHECK: aten.mm({{.*}}) : (tensor<6x8xf32>, tensor<8x4xf32>)
func.func @wraps(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %z: tensor<1x4xi8>, %s: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %0 = aten.sub.Tensor(%w, %z) : (tensor<8x4xi8>, tensor<1x4xi8>) -> tensor<8x4xi8>
  %1 = aten.mul.Tensor(%0, %s) : (tensor<8x4xi8>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %2 = aten.mm(%x, %1) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// A longer sum may not fit into i32, and a zero of 300 is no level.
// CHECK-LABEL: func.func @too_long
// CHECK-NOT: xi32>
// CHECK: return
func.func @too_long(%x: tensor<2x33026xui8>, %w: tensor<33026x4xi8>) -> tensor<2x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<2x33026xui8>) -> tensor<2x33026xf32>
  %1 = aten.mul.Tensor(%0, %scale) : (tensor<2x33026xf32>, f64) -> tensor<2x33026xf32>
  %2 = aten._to_copy(%w, dtype = f32) : (tensor<33026x4xi8>) -> tensor<33026x4xf32>
  %3 = aten.mul.Tensor(%2, %scale) : (tensor<33026x4xf32>, f64) -> tensor<33026x4xf32>
  %4 = aten.mm(%1, %3) : (tensor<2x33026xf32>, tensor<33026x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @no_level
// CHECK-NOT: xi32>
// CHECK: return
func.func @no_level(%x: tensor<6x8xui8>, %w: tensor<8x4xi8>) -> tensor<6x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %zero = arith.constant 3.0e+02 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<6x8xui8>) -> tensor<6x8xf32>
  %1 = aten.sub.Tensor(%0, %zero) : (tensor<6x8xf32>, f64) -> tensor<6x8xf32>
  %2 = aten.mul.Tensor(%1, %scale) : (tensor<6x8xf32>, f64) -> tensor<6x8xf32>
  %3 = aten._to_copy(%w, dtype = f32) : (tensor<8x4xi8>) -> tensor<8x4xf32>
  %4 = aten.mul.Tensor(%3, %scale) : (tensor<8x4xf32>, f64) -> tensor<8x4xf32>
  %5 = aten.mm(%2, %4) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %5 : tensor<6x4xf32>
}
