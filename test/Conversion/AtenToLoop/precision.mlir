// RUN: kiln-opt %s --loop-set-target="chip=sm_90a conv-tf32=true" --convert-aten-to-loop --split-input-file | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a tf32=true" --convert-aten-to-loop --split-input-file | FileCheck %s --check-prefixes=CHECK,IEEE
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a tf32=true conv-tf32=true" --convert-aten-to-loop --split-input-file | FileCheck %s --check-prefix=SAME
// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s --check-prefix=SAME

// A convolution of f32 says its own precision where that of products is another one; so do
// all its gradients, also those of one by one.

// SAME-NOT: loop.tf32
// CHECK-LABEL: func.func @forward
// CHECK: loop.contract parallel [2, 8, 7, 7]
// TF32-SAME: acc f32 {{.*}}attributes {loop.tf32 = true} : tensor<2x8x7x7xf32>
// IEEE-SAME: acc f32 {{.*}}attributes {loop.tf32 = false} : tensor<2x8x7x7xf32>
// CHECK: loop.contract parallel [8, 8]
// CHECK-NOT: loop.tf32
// CHECK: return
func.func @forward(%x: tensor<2x16x9x9xf32>, %w: tensor<8x16x3x3xf32>, %m: tensor<8x8xf32>)
    -> (tensor<2x8x7x7xf32>, tensor<8x8xf32>) {
  %r = aten.convolution(%x, %w, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x16x9x9xf32>, tensor<8x16x3x3xf32>) -> tensor<2x8x7x7xf32>
  %p = aten.mm(%m, %m) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r, %p : tensor<2x8x7x7xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @backward
// TF32-COUNT-2: loop.contract {{.*}} acc f32 {{.*}}attributes {loop.tf32 = true}
// IEEE-COUNT-2: loop.contract {{.*}} acc f32 {{.*}}attributes {loop.tf32 = false}
func.func @backward(%g: tensor<2x8x9x9xf32>, %x: tensor<2x16x9x9xf32>, %w: tensor<8x16x1x1xf32>)
    -> (tensor<2x16x9x9xf32>, tensor<8x16x1x1xf32>, tensor<8xf32>) {
  %r:3 = aten.convolution_backward(%g, %x, %w, bias_sizes = [8], stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1, output_mask = [true, true, true]) : (tensor<2x8x9x9xf32>, tensor<2x16x9x9xf32>, tensor<8x16x1x1xf32>) -> (tensor<2x16x9x9xf32>, tensor<8x16x1x1xf32>, tensor<8xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x16x9x9xf32>, tensor<8x16x1x1xf32>, tensor<8xf32>
}

// -----

// Other types are not rounded to tf32.

// CHECK-LABEL: func.func @others
// CHECK-NOT: loop.tf32
// CHECK: return
func.func @others(%x: tensor<2x16x9x9xbf16>, %w: tensor<8x16x3x3xbf16>, %y: tensor<2x16x9x9xf64>, %v: tensor<8x16x3x3xf64>)
    -> (tensor<2x8x7x7xbf16>, tensor<2x8x7x7xf64>) {
  %r = aten.convolution(%x, %w, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x16x9x9xbf16>, tensor<8x16x3x3xbf16>) -> tensor<2x8x7x7xbf16>
  %s = aten.convolution(%y, %v, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<2x16x9x9xf64>, tensor<8x16x3x3xf64>) -> tensor<2x8x7x7xf64>
  return %r, %s : tensor<2x8x7x7xbf16>, tensor<2x8x7x7xf64>
}
