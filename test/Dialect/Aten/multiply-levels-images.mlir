// RUN: kiln-opt %s --aten-multiply-levels --canonicalize | FileCheck %s
// RUN: kiln-opt %s --aten-multiply-levels=weights-only --canonicalize | FileCheck %s --check-prefix=WEIGHT
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-multiply-levels))' -o /dev/null --remarks-filter=aten-multiply-levels 2>&1 | FileCheck %s --check-prefix=WHY

// WHY-DAG: Function=few_terms | Reason="its sums are short, or its groups narrow"
// WHY-DAG: Function=unknown_zero | Reason="the zero around the image is not known"
// WHY-DAG: Function=along_the_sum | Reason="its scales change along the sum, or the sum or padding is not known"

// Around an image of unsigned levels stands their zero. Its terms of the sum depend on the
// weights alone.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: %[[X:.*]]: tensor<2x8x5x6xui8>, %[[W:.*]]: tensor<4x8x3x3xi8>
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK: %[[PAD:.*]] = aten.constant_pad_nd(%[[X]], pad = [2, 2, 1, 1], value = %[[C7]]) : (tensor<2x8x5x6xui8>, i64) -> tensor<2x8x7x10xui8>
// CHECK: %[[A:.*]] = aten._to_copy(%[[PAD]], dtype = i32
// CHECK: %[[B:.*]] = aten._to_copy(%[[W]], dtype = i32
// CHECK: %[[P:.*]] = aten.convolution(%[[A]], %[[B]], stride = [2, 1], padding = [0, 0]{{.*}} -> tensor<2x4x3x8xi32>
// CHECK: aten.sum.dim_IntList(%[[B]], dim = [1, 2, 3]
// CHECK: aten.sub.Tensor(%[[P]], %{{.*}}) : (tensor<2x4x3x8xi32>, tensor<4x1x1xi32>) -> tensor<2x4x3x8xi32>
// CHECK: aten.add.Tensor(%{{.*}}) : (tensor<2x4x3x8xf32>, tensor<4x1x1xf32>)
// WEIGHT-LABEL: func.func @padded
// WEIGHT-NOT: xi32>
// WEIGHT: return
func.func @padded(%x: tensor<2x8x5x6xui8>, %w: tensor<4x8x3x3xi8>, %s: tensor<4x1x1x1xf32>, %bias: tensor<4xf32>) -> tensor<2x4x3x8xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %zero = arith.constant 7.0 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<2x8x5x6xui8>) -> tensor<2x8x5x6xf32>
  %1 = aten.sub.Tensor(%0, %zero) : (tensor<2x8x5x6xf32>, f64) -> tensor<2x8x5x6xf32>
  %2 = aten.mul.Tensor(%1, %scale) : (tensor<2x8x5x6xf32>, f64) -> tensor<2x8x5x6xf32>
  %3 = aten.mul.Tensor(%w, %s) : (tensor<4x8x3x3xi8>, tensor<4x1x1x1xf32>) -> tensor<4x8x3x3xf32>
  %4 = aten.convolution(%2, %3, bias = %bias, stride = [2, 1], padding = [1, 2], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x8x5x6xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>) -> tensor<2x4x3x8xf32>
  return %4 : tensor<2x4x3x8xf32>
}

// Signed levels are moved before they are padded, by what their zero is then. The zeros of the
// weight ask for the sums of windows.
// CHECK-LABEL: func.func @signed
// CHECK-DAG: %[[C120:.*]] = arith.constant 120 : i64
// CHECK: %[[U8:.*]] = aten._to_copy(%{{.*}}, dtype = ui8
// CHECK: %[[PAD:.*]] = aten.constant_pad_nd(%[[U8]], pad = [1, 1, 1, 1], value = %[[C120]])
// CHECK: %[[A:.*]] = aten._to_copy(%[[PAD]], dtype = i32
// CHECK: aten.convolution(%[[A]], %{{.*}} -> tensor<2x4x5x6xi32>
// CHECK: %[[CHANNELS:.*]] = aten.sum.dim_IntList(%{{.*}}, dim = [2], dtype = i32) : (tensor<2x1x8x7x8xi32>) -> tensor<2x1x7x8xi32>
// CHECK: aten.convolution(%[[CHANNELS]], %{{.*}} -> tensor<2x1x5x6xi32>
func.func @signed(%x: tensor<2x8x5x6xi8>, %w: tensor<4x8x3x3xi8>, %z: tensor<4x1x1x1xi64>, %s: tensor<4x1x1x1xf32>) -> tensor<2x4x5x6xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %zero = arith.constant -8.0 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<2x8x5x6xi8>) -> tensor<2x8x5x6xf32>
  %1 = aten.sub.Tensor(%0, %zero) : (tensor<2x8x5x6xf32>, f64) -> tensor<2x8x5x6xf32>
  %2 = aten.mul.Tensor(%1, %scale) : (tensor<2x8x5x6xf32>, f64) -> tensor<2x8x5x6xf32>
  %3 = aten.sub.Tensor(%w, %z) : (tensor<4x8x3x3xi8>, tensor<4x1x1x1xi64>) -> tensor<4x8x3x3xi64>
  %4 = aten.mul.Tensor(%3, %s) : (tensor<4x8x3x3xi64>, tensor<4x1x1x1xf32>) -> tensor<4x8x3x3xf32>
  %5 = aten.convolution(%2, %4, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x8x5x6xf32>, tensor<4x8x3x3xf32>) -> tensor<2x4x5x6xf32>
  return %5 : tensor<2x4x5x6xf32>
}

// Three colours stay in front; the taps of a row are filled to four, with weights of 0.
// CHECK-LABEL: func.func @colours
// CHECK: aten.constant_pad_nd(%{{.*}}, pad = [1, 2, 1, 1]) : (tensor<1x3x8x8xui8>) -> tensor<1x3x10x11xui8>
// CHECK: aten.constant_pad_nd(%{{.*}}, pad = [0, 1]) : (tensor<16x3x3x3xi8>) -> tensor<16x3x3x4xi8>
// CHECK: aten.convolution({{.*}} -> tensor<1x16x8x8xi32>
func.func @colours(%x: tensor<1x3x8x8xui8>, %w: tensor<16x3x3x3xi8>, %s: tensor<16x1x1x1xf32>) -> tensor<1x16x8x8xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<1x3x8x8xui8>, f64) -> tensor<1x3x8x8xf32>
  %1 = aten.mul.Tensor(%w, %s) : (tensor<16x3x3x3xi8>, tensor<16x1x1x1xf32>) -> tensor<16x3x3x3xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

// Rows have one dimension less. The windows whose sums the zeros of the weight ask for are as
// long as the weight, without what it is filled with.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[C9:.*]] = arith.constant 9 : i64
// CHECK: aten.constant_pad_nd(%{{.*}}, pad = [5, 6], value = %[[C9]]) : (tensor<2x3x20xui8>, i64) -> tensor<2x3x31xui8>
// CHECK: aten.convolution({{.*}} -> tensor<2x16x20xi32>
// CHECK: aten.constant_pad_nd(%{{.*}}, pad = [0, 1]) : (tensor<1x1x11xi32>) -> tensor<1x1x12xi32>
// CHECK: aten.convolution({{.*}} -> tensor<2x1x20xi32>
func.func @rows(%x: tensor<2x3x20xui8>, %w: tensor<16x3x11xi8>, %z: tensor<16x1x1xi64>, %s: tensor<16x1x1xf32>) -> tensor<2x16x20xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %zero = arith.constant 9.0 : f64
  %0 = aten._to_copy(%x, dtype = f32) : (tensor<2x3x20xui8>) -> tensor<2x3x20xf32>
  %1 = aten.sub.Tensor(%0, %zero) : (tensor<2x3x20xf32>, f64) -> tensor<2x3x20xf32>
  %2 = aten.mul.Tensor(%1, %scale) : (tensor<2x3x20xf32>, f64) -> tensor<2x3x20xf32>
  %3 = aten.sub.Tensor(%w, %z) : (tensor<16x3x11xi8>, tensor<16x1x1xi64>) -> tensor<16x3x11xi64>
  %4 = aten.mul.Tensor(%3, %s) : (tensor<16x3x11xi64>, tensor<16x1x1xf32>) -> tensor<16x3x11xf32>
  %5 = aten.convolution(%2, %4, stride = [1], padding = [5], dilation = [1], transposed = false, output_padding = [0], groups = 1) : (tensor<2x3x20xf32>, tensor<16x3x11xf32>) -> tensor<2x16x20xf32>
  return %5 : tensor<2x16x20xf32>
}

// Other channels that are no multiple of four are filled themselves.
// CHECK-LABEL: func.func @six
// CHECK: aten.constant_pad_nd(%{{.*}}, pad = [0, 0, 0, 0, 0, 2]) : (tensor<1x6x8x8xui8>) -> tensor<1x8x8x8xui8>
// CHECK: aten.constant_pad_nd(%{{.*}}, pad = [0, 0, 0, 0, 0, 2]) : (tensor<16x6x3x3xi8>) -> tensor<16x8x3x3xi8>
func.func @six(%x: tensor<1x6x8x8xui8>, %w: tensor<16x6x3x3xi8>, %s: tensor<16x1x1x1xf32>) -> tensor<1x16x6x6xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<1x6x8x8xui8>, f64) -> tensor<1x6x8x8xf32>
  %1 = aten.mul.Tensor(%w, %s) : (tensor<16x6x3x3xi8>, tensor<16x1x1x1xf32>) -> tensor<16x6x3x3xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<1x6x8x8xf32>, tensor<16x6x3x3xf32>) -> tensor<1x16x6x6xf32>
  return %2 : tensor<1x16x6x6xf32>
}

// A channel of its own for each group: what is done behind takes longer than is saved.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: xi32>
// CHECK: return
func.func @depthwise(%x: tensor<1x32x8x8xui8>, %w: tensor<32x1x3x3xi8>, %s: tensor<32x1x1x1xf32>) -> tensor<1x32x6x6xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<1x32x8x8xui8>, f64) -> tensor<1x32x8x8xf32>
  %1 = aten.mul.Tensor(%w, %s) : (tensor<32x1x3x3xi8>, tensor<32x1x1x1xf32>) -> tensor<32x1x3x3xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 32) : (tensor<1x32x8x8xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x6x6xf32>
  return %2 : tensor<1x32x6x6xf32>
}

// Nor do so few terms pay.
// CHECK-LABEL: func.func @few_terms
// CHECK-NOT: xi32>
// CHECK: return
func.func @few_terms(%x: tensor<1x8x8x8xui8>, %w: tensor<32x8x1x1xi8>, %s: tensor<32x1x1x1xf32>) -> tensor<1x32x8x8xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<1x8x8x8xui8>, f64) -> tensor<1x8x8x8xf32>
  %1 = aten.mul.Tensor(%w, %s) : (tensor<32x8x1x1xi8>, tensor<32x1x1x1xf32>) -> tensor<32x8x1x1xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<1x8x8x8xf32>, tensor<32x8x1x1xf32>) -> tensor<1x32x8x8xf32>
  return %2 : tensor<1x32x8x8xf32>
}

// What stands around the image is not known.
// CHECK-LABEL: func.func @unknown_zero
// CHECK-NOT: xi32>
// CHECK: return
func.func @unknown_zero(%x: tensor<2x8x5x6xui8>, %z: tensor<1xi64>, %w: tensor<4x8x3x3xi8>, %s: tensor<4x1x1x1xf32>) -> tensor<2x4x5x6xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.sub.Tensor(%x, %z) : (tensor<2x8x5x6xui8>, tensor<1xi64>) -> tensor<2x8x5x6xi64>
  %1 = aten.mul.Tensor(%0, %scale) : (tensor<2x8x5x6xi64>, f64) -> tensor<2x8x5x6xf32>
  %2 = aten.mul.Tensor(%w, %s) : (tensor<4x8x3x3xi8>, tensor<4x1x1x1xf32>) -> tensor<4x8x3x3xf32>
  %3 = aten.convolution(%1, %2, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x8x5x6xf32>, tensor<4x8x3x3xf32>) -> tensor<2x4x5x6xf32>
  return %3 : tensor<2x4x5x6xf32>
}

// A scale for each input channel changes along the sum.
// CHECK-LABEL: func.func @along_the_sum
// CHECK-NOT: xi32>
// CHECK: return
func.func @along_the_sum(%x: tensor<2x8x5x6xui8>, %w: tensor<4x8x3x3xi8>, %s: tensor<1x8x1x1xf32>) -> tensor<2x4x3x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<2x8x5x6xui8>, f64) -> tensor<2x8x5x6xf32>
  %1 = aten.mul.Tensor(%w, %s) : (tensor<4x8x3x3xi8>, tensor<1x8x1x1xf32>) -> tensor<4x8x3x3xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x8x5x6xf32>, tensor<4x8x3x3xf32>) -> tensor<2x4x3x4xf32>
  return %2 : tensor<2x4x3x4xf32>
}

// 4096 channels times 9 taps are more terms than i32 holds for certain.
// CHECK-LABEL: func.func @many_terms
// CHECK-NOT: xi32>
// CHECK: return
func.func @many_terms(%x: tensor<1x4096x5x6xui8>, %w: tensor<4x4096x3x3xi8>, %s: tensor<4x1x1x1xf32>) -> tensor<1x4x3x4xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<1x4096x5x6xui8>, f64) -> tensor<1x4096x5x6xf32>
  %1 = aten.mul.Tensor(%w, %s) : (tensor<4x4096x3x3xi8>, tensor<4x1x1x1xf32>) -> tensor<4x4096x3x3xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<1x4096x5x6xf32>, tensor<4x4096x3x3xf32>) -> tensor<1x4x3x4xf32>
  return %2 : tensor<1x4x3x4xf32>
}

// A transposed one multiplies other terms.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: xi32>
// CHECK: return
func.func @transposed(%x: tensor<2x8x5x6xui8>, %w: tensor<8x4x3x3xi8>) -> tensor<2x4x7x8xf32> {
  %scale = arith.constant 5.0e-01 : f64
  %0 = aten.mul.Tensor(%x, %scale) : (tensor<2x8x5x6xui8>, f64) -> tensor<2x8x5x6xf32>
  %1 = aten.mul.Tensor(%w, %scale) : (tensor<8x4x3x3xi8>, f64) -> tensor<8x4x3x3xf32>
  %2 = aten.convolution(%0, %1, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = true, output_padding = [0, 0], groups = 1) : (tensor<2x8x5x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x7x8xf32>
  return %2 : tensor<2x4x7x8xf32>
}
