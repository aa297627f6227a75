// RUN: kiln-opt %s --aten-multiply-levels --canonicalize | FileCheck %s
// RUN: kiln-opt %s --aten-multiply-levels=weights-only --canonicalize | FileCheck %s --check-prefix=WEIGHT
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-multiply-levels))' -o /dev/null --remarks-filter=aten-multiply-levels 2>&1 | FileCheck %s --check-prefix=WHY

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
// weight are not known: what they change is taken off in i32 as far as they are levels, and
// what they are more in f32.
// CHECK-LABEL: func.func @signed
// CHECK-SAME: %[[ZERO:arg2]]: tensor<1x4xi64>
// CHECK: %[[C128:.*]] = arith.constant 128 : i64
// CHECK: %[[NEAR:.*]] = aten.clamp(%[[ZERO]],
// CHECK: %[[LEVEL:.*]] = aten._to_copy(%[[NEAR]], dtype = i32
// CHECK: %[[FAR:.*]] = aten.sub.Tensor(%[[ZERO]], %[[NEAR]])
// CHECK: %[[REST:.*]] = aten._to_copy(%[[FAR]], dtype = f32
// CHECK: %[[I:.*]] = aten._to_copy(%{{.*}}, dtype = i32
// CHECK: %[[A:.*]] = aten.add.Tensor(%[[I]], %[[C128]])
// CHECK: %[[P:.*]] = aten.mm(%[[A]], %{{.*}}) : (tensor<6x8xi32>, tensor<8x4xi32>) -> tensor<6x4xi32>
// CHECK: %[[ROWS:.*]] = aten.sum.dim_IntList(%[[A]], dim = [1], keepdim = true, dtype = i32)
// CHECK: aten.sum.dim_IntList(%{{.*}}, dim = [0]
// CHECK: %[[Q:.*]] = aten.sub.Tensor(%[[P]], %{{.*}}) : (tensor<6x4xi32>, tensor<1x4xi32>) -> tensor<6x4xi32>
// CHECK: %[[TIMES:.*]] = aten.mul.Tensor(%[[ROWS]], %[[LEVEL]]) : (tensor<6x1xi32>, tensor<1x4xi32>) -> tensor<6x4xi32>
// CHECK: %[[I32:.*]] = aten.sub.Tensor(%[[Q]], %[[TIMES]])
// CHECK: %[[F32:.*]] = aten._to_copy(%[[I32]], dtype = f32
// CHECK: %[[MORE:.*]] = aten.mul.Tensor(%{{.*}}, %[[REST]]) : (tensor<6x1xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
// CHECK: %[[R:.*]] = aten.sub.Tensor(%[[F32]], %[[MORE]])
// CHECK: %[[G:.*]] = aten.mul.Tensor(%[[R]],
// CHECK: aten.mul.Tensor(%[[G]], %{{.*}}) : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
func.func @signed(%x: tensor<6x8xi8>, %w: tensor<8x4xi8>, %z: tensor<1x4xi64>, %s: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<6x8xi8>) -> tensor<6x8xf32>
  %1 = aten.mul.Tensor(%0, %scale) : (tensor<6x8xf32>, f64) -> tensor<6x8xf32>
  %2 = aten.sub.Tensor(%w, %z) : (tensor<8x4xi8>, tensor<1x4xi64>) -> tensor<8x4xi64>
  %3 = aten.mul.Tensor(%2, %s) : (tensor<8x4xi64>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %4 = aten.mm(%1, %3) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %4 : tensor<6x4xf32>
}

// Rows with grids of their own, whose scales have 64 bits, as tokens have them. Both
// scales are tensors: the first product may not fit into f32. A zero of each row that
// is filled with a level is known. The levels are made of floats.
// CHECK-LABEL: func.func @tokens
// CHECK: %[[P:.*]] = aten.mm(%{{.*}}, %{{.*}}) : (tensor<6x8xi32>, tensor<8x4xi32>) -> tensor<6x4xi32>
// CHECK-NOT: aten.sum.dim_IntList(%{{.*}}, dim = [1]
// CHECK: aten.sub.Tensor(%[[P]], %{{.*}}) : (tensor<6x4xi32>, tensor<1x4xi32>) -> tensor<6x4xi32>
// CHECK: %[[F:.*]] = aten._to_copy(%{{.*}}, dtype = f64
// CHECK: %[[G:.*]] = aten.mul.Tensor(%[[F]], %{{.*}}) : (tensor<6x4xf64>,
// CHECK: %[[H:.*]] = aten.mul.Tensor(%[[G]], %{{.*}}) : (tensor<6x4xf64>,
// CHECK: aten._to_copy(%[[H]], dtype = f32
func.func @tokens(%made: tensor<6x8xf32>, %w: tensor<8x4xui8>, %s: tensor<6x1xf64>, %t: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %three = arith.constant 3 : i64
  %x = aten._to_copy(%made, dtype = i8) : (tensor<6x8xf32>) -> tensor<6x8xi8>
  %z = aten.full(%three, size = [6, 1], dtype = i64) : (i64) -> tensor<6x1xi64>
  %0 = aten.sub.Tensor(%x, %z) : (tensor<6x8xi8>, tensor<6x1xi64>) -> tensor<6x8xi64>
  %1 = aten.mul.Tensor(%0, %s) : (tensor<6x8xi64>, tensor<6x1xf64>) -> tensor<6x8xf64>
  %2 = aten._to_copy(%1, dtype = f32) : (tensor<6x8xf64>) -> tensor<6x8xf32>
  %3 = aten.mul.Tensor(%w, %t) : (tensor<8x4xui8>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %4 = aten.mm(%2, %3) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %4 : tensor<6x4xf32>
}

// What is rounded twice is no level.
// CHECK-LABEL: func.func @rounded_to_half
// CHECK-NOT: xi32>
// CHECK: return
func.func @rounded_to_half(%x: tensor<6x8xi8>, %w: tensor<8x4xui8>, %s: tensor<6x1xf16>, %t: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %0 = aten.mul.Tensor(%x, %s) : (tensor<6x8xi8>, tensor<6x1xf16>) -> tensor<6x8xf16>
  %1 = aten._to_copy(%0, dtype = f32) : (tensor<6x8xf16>) -> tensor<6x8xf32>
  %2 = aten.mul.Tensor(%w, %t) : (tensor<8x4xui8>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %3 = aten.mm(%1, %2) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// A number by which sums might overflow is multiplied second; where there is no
// other, in f64.
// CHECK-LABEL: func.func @large_number
// CHECK-DAG: %[[LARGE:.*]] = arith.constant 1.000000e+30 : f64
// CHECK-DAG: %[[SMALL:.*]] = arith.constant 1.250000e-01 : f64
// CHECK: %[[P:.*]] = aten.mm
// CHECK: %[[F:.*]] = aten._to_copy(%[[P]], dtype = f32
// CHECK: %[[G:.*]] = aten.mul.Tensor(%[[F]], %[[SMALL]])
// CHECK: %[[Y:.*]] = aten.mul.Tensor(%[[G]], %[[LARGE]])
// CHECK: %[[Q:.*]] = aten.mm
// CHECK: aten._to_copy(%[[Q]], dtype = f64
func.func @large_number(%x: tensor<6x8xui8>, %w: tensor<8x4xi8>, %t: tensor<1x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %large = arith.constant 1.0e+30 : f64
  %small = arith.constant 1.25e-01 : f64
  %0 = aten.mul.Tensor(%x, %large) : (tensor<6x8xui8>, f64) -> tensor<6x8xf32>
  %1 = aten.mul.Tensor(%w, %small) : (tensor<8x4xi8>, f64) -> tensor<8x4xf32>
  %2 = aten.mm(%0, %1) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %3 = aten.mul.Tensor(%w, %t) : (tensor<8x4xi8>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %4 = aten.mm(%0, %3) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %2, %4 : tensor<6x4xf32>, tensor<6x4xf32>
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
// WHY-DAG: remark: [Missed] not-multiplied | Category:aten-multiply-levels | Function=along_the_sum | Reason="its scale changes along the sum, or its zero is a number that is no level"
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

// A weight whose zero is not 0, times floats, is one of floats.
// WHY-DAG: not-multiplied {{.*}} Function=moved | Reason="its zero is not 0, and the other matrix is of floats"
// CHECK-LABEL: func.func @moved
// CHECK: aten.mm({{.*}}) : (tensor<6x8xf32>, tensor<8x4xf32>)
func.func @moved(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>) -> tensor<6x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %zero = arith.constant 3.0e+00 : f64
  %0 = aten._to_copy(%w, dtype = f32) : (tensor<8x4xi8>) -> tensor<8x4xf32>
  %1 = aten.sub.Tensor(%0, %zero) : (tensor<8x4xf32>, f64) -> tensor<8x4xf32>
  %2 = aten.mul.Tensor(%1, %scale) : (tensor<8x4xf32>, f64) -> tensor<8x4xf32>
  %3 = aten.mm(%x, %2) : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}
