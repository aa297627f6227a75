// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// Defaults are left out of the text, wherever they stand.
// CHECK-LABEL: func.func @defaults
func.func @defaults(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  // CHECK: aten.sum.dim_IntList(%{{.*}}, dim = [-1], keepdim = true) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %0 = aten.sum.dim_IntList(%x, dim = [-1], keepdim = true) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: aten.sum.dim_IntList(%{{.*}}, dim = [], dtype = f64) : (tensor<4x8xf32>) -> tensor<f64>
  %1 = aten.sum.dim_IntList(%x, dim = [], keepdim = false, dtype = f64) : (tensor<4x8xf32>) -> tensor<f64>
  // CHECK: aten.slice.Tensor(%{{.*}}, dim = 1, start = 2) : (tensor<4x8xf32>) -> tensor<4x6xf32>
  %2 = aten.slice.Tensor(%x, dim = 1, start = 2, end = none, step = 1) : (tensor<4x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x1xf32>
}

// Tensors and numbers are operands; one with a default is named.
// CHECK-LABEL: func.func @operands
func.func @operands(%x: tensor<4x8xf32>, %n: f64) {
  // CHECK: aten.add.Tensor(%[[X:.*]], %[[X]], alpha = %[[N:.*]]) : (tensor<4x8xf32>, tensor<4x8xf32>, f64) -> tensor<4x8xf32>
  %0 = aten.add.Tensor(%x, %x, alpha = %n) : (tensor<4x8xf32>, tensor<4x8xf32>, f64) -> tensor<4x8xf32>
  // CHECK: aten.mul.Tensor(%[[X]], %[[N]]) : (tensor<4x8xf32>, f64) -> tensor<4x8xf32>
  %1 = aten.mul.Tensor(%x, %n) : (tensor<4x8xf32>, f64) -> tensor<4x8xf32>
  // CHECK: aten.clamp(%[[X]], max = %[[N]]) : (tensor<4x8xf32>, f64) -> tensor<4x8xf32>
  %2 = aten.clamp(%x, max = %n) : (tensor<4x8xf32>, f64) -> tensor<4x8xf32>
  // CHECK: aten.gelu(%[[X]], approximate = "tanh") : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = aten.gelu(%x, approximate = "tanh") : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: aten.gelu(%[[X]]) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = aten.gelu(%x, approximate = "none") : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// Lists stand in brackets, an absent tensor is none.
// CHECK-LABEL: func.func @lists
func.func @lists(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // CHECK: aten.cat([%{{.*}}, %{{.*}}], dim = 1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %0 = aten.cat([%x, %x], dim = 1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  // CHECK: aten.index.Tensor(%{{.*}}, [none, %{{.*}}]) : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  %1 = aten.index.Tensor(%x, [none, %i]) : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  // CHECK: aten.split.Tensor(%{{.*}}, split_size = 3) : (tensor<4x8xf32>) -> (tensor<3x8xf32>, tensor<1x8xf32>)
  %2:2 = aten.split.Tensor(%x, split_size = 3) : (tensor<4x8xf32>) -> (tensor<3x8xf32>, tensor<1x8xf32>)
  return
}

// Attributes of every kind.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x1xf32>, %w: tensor<8xf32>, %image: tensor<1x2x4x4xf32>) {
  // CHECK: aten.full(size = [2, 3], %{{.*}}, dtype = bf16, device = "cpu", pin_memory = false)
  %n = arith.constant 0xFFF0000000000000 : f64
  %0 = aten.full(%n, size = [2, 3], dtype = bf16, device = "cpu", pin_memory = false) : (f64) -> tensor<2x3xbf16>
  // CHECK: aten.native_layer_norm(%{{.*}}, normalized_shape = [8], weight = %{{.*}}, eps = 1.000000e-05)
  %1:3 = aten.native_layer_norm(%x, weight = %w, normalized_shape = [8], eps = 1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  // CHECK: aten.native_layer_norm_backward(%{{.*}}, output_mask = [true, false, true])
  %2:3 = aten.native_layer_norm_backward(%g, %x, %m, %m, weight = %w, normalized_shape = [8], output_mask = [true, false, true]) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: aten.upsample_nearest2d.vec(%{{.*}}, scale_factors = [2.000000e+00, 1.500000e+00])
  %3 = aten.upsample_nearest2d.vec(%image, scale_factors = [2.0, 1.5]) : (tensor<1x2x4x4xf32>) -> tensor<1x2x8x6xf32>
  // CHECK: aten.item(%{{.*}}) {symbol = "u0"} : (tensor<i64>) -> i64
  %4 = aten.argmax(%x) : (tensor<4x8xf32>) -> tensor<i64>
  %5 = aten.item(%4) {symbol = "u0"} : (tensor<i64>) -> i64
  return
}

// Inputs and outputs say what they are.
// CHECK-LABEL: func.func @program
// CHECK-SAME: {aten.input = #aten.input<kind = parameter, name = "p_w", path = "W_q.weight", requires_grad = true, strides = <[1, 4]>>}
// CHECK-SAME: {aten.input = #aten.input<kind = user_input, name = "n", value = 3 : i64>}
// CHECK-SAME: -> (tensor<4x8xf32> {aten.output = #aten.output<kind = buffer_mutation, target = "mean">})
func.func @program(
    %w: tensor<4x8xf32> {aten.input = #aten.input<kind = parameter, name = "p_w", path = "W_q.weight", requires_grad = true, strides = <[1, 4]>>},
    %n: i64 {aten.input = #aten.input<kind = user_input, name = "n", value = 3 : i64>})
    -> (tensor<4x8xf32> {aten.output = #aten.output<kind = buffer_mutation, target = "mean">}) {
  // CHECK: aten.operator "mylib::scale"(%{{.*}}) [#aten.operand<0>, 2.000000e+00, unit] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = aten.operator "mylib::scale"(%w) [#aten.operand<0>, 2.0 : f64, unit] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
