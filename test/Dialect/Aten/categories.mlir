// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// One op or more of each category, among them those that need a rule of their
// own for sizes or element types.

// CHECK-LABEL: func.func @activation
func.func @activation(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // CHECK: aten.softplus(%{{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = aten.softplus(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: aten.glu(%{{.*}}, dim = 1) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = aten.glu(%x, dim = 1) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  // CHECK: aten.relu6(%{{.*}}) : (tensor<4xi32>) -> tensor<4xi32>
  %2 = aten.relu6(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @math
func.func @math(%x: tensor<4xf32>, %c: tensor<4xcomplex<f32>>, %i: tensor<4xi64>, %n: f64) {
  // CHECK: aten.asinh(%{{.*}}) : (tensor<4xi64>) -> tensor<4xf32>
  %0 = aten.asinh(%i) : (tensor<4xi64>) -> tensor<4xf32>
  // CHECK: aten.complex(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %1 = aten.complex(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // CHECK: aten.angle(%{{.*}}) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = aten.angle(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: aten.true_divide.Tensor(%{{.*}}, %{{.*}}) : (tensor<4xi64>, f64) -> tensor<4xf32>
  %3 = aten.true_divide.Tensor(%i, %n) : (tensor<4xi64>, f64) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @loss
func.func @loss(%x: tensor<4x8xf32>) {
  // CHECK: aten.mse_loss(%{{.*}}, %{{.*}}) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  %0 = aten.mse_loss(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  // CHECK: aten.mse_loss(%{{.*}}, %{{.*}}, reduction = 0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = aten.mse_loss(%x, %x, reduction = 0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @pooling
func.func @pooling(%x: tensor<2x3x9x9xf32>, %d: tensor<?x3x9x9xf32, #guard.shape<[s77, 3, 9, 9]>>) {
  // CHECK: aten.max_pool2d_with_indices(%{{.*}}, kernel_size = [3, 3], stride = [2, 2]) : (tensor<2x3x9x9xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  %0:2 = aten.max_pool2d_with_indices(%x, kernel_size = [3, 3], stride = [2, 2]) : (tensor<2x3x9x9xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  // CHECK: aten.avg_pool2d(%{{.*}}, kernel_size = [2, 2], ceil_mode = true) : (tensor<2x3x9x9xf32>) -> tensor<2x3x5x5xf32>
  %1 = aten.avg_pool2d(%x, kernel_size = [2, 2], ceil_mode = true) : (tensor<2x3x9x9xf32>) -> tensor<2x3x5x5xf32>
  // CHECK: aten._adaptive_avg_pool2d(%{{.*}}, output_size = [1, 1])
  %2 = aten._adaptive_avg_pool2d(%d, output_size = [1, 1]) : (tensor<?x3x9x9xf32, #guard.shape<[s77, 3, 9, 9]>>) -> tensor<?x3x1x1xf32, #guard.shape<[s77, 3, 1, 1]>>
  return
}

// CHECK-LABEL: func.func @image
func.func @image(%x: tensor<1x4x6x6xf32>) {
  // CHECK: aten.upsample_bilinear2d.vec(%{{.*}}, align_corners = false, scale_factors = [2.000000e+00, 2.000000e+00]) : (tensor<1x4x6x6xf32>) -> tensor<1x4x12x12xf32>
  %0 = aten.upsample_bilinear2d.vec(%x, align_corners = false, scale_factors = [2.0, 2.0]) : (tensor<1x4x6x6xf32>) -> tensor<1x4x12x12xf32>
  // CHECK: aten.reflection_pad2d(%{{.*}}, padding = [1, 2, 0, 3]) : (tensor<1x4x6x6xf32>) -> tensor<1x4x9x9xf32>
  %1 = aten.reflection_pad2d(%x, padding = [1, 2, 0, 3]) : (tensor<1x4x6x6xf32>) -> tensor<1x4x9x9xf32>
  // CHECK: aten.pixel_shuffle(%{{.*}}, upscale_factor = 2) : (tensor<1x4x6x6xf32>) -> tensor<1x1x12x12xf32>
  %2 = aten.pixel_shuffle(%x, upscale_factor = 2) : (tensor<1x4x6x6xf32>) -> tensor<1x1x12x12xf32>
  // CHECK: aten.im2col(%{{.*}}, kernel_size = [3, 3], dilation = [1, 1], padding = [0, 0], stride = [1, 1]) : (tensor<1x4x6x6xf32>) -> tensor<1x36x16xf32>
  %3 = aten.im2col(%x, kernel_size = [3, 3], dilation = [1, 1], padding = [0, 0], stride = [1, 1]) : (tensor<1x4x6x6xf32>) -> tensor<1x36x16xf32>
  return
}

// Sizes that data decide are symbols that the op binds.
// CHECK-LABEL: func.func @search
func.func @search(%x: tensor<4x8xf32>) {
  // CHECK: aten.topk(%{{.*}}, k = 3, dim = 1) : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %0:2 = aten.topk(%x, k = 3, dim = 1) : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  // CHECK: aten.nonzero(%{{.*}}) : (tensor<4x8xf32>) -> tensor<?x2xi64, #guard.shape<[u0, 2]>>
  %1 = aten.nonzero(%x) : (tensor<4x8xf32>) -> tensor<?x2xi64, #guard.shape<[u0, 2]>>
  // CHECK: aten.sort.stable(%{{.*}}, stable = true, descending = true) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %2:2 = aten.sort.stable(%x, stable = true, descending = true) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return
}

// CHECK-LABEL: func.func @linalg
func.func @linalg(%x: tensor<4x8xf32>, %y: tensor<5x8xf32>, %s: tensor<2x3x3xf32>) {
  // CHECK: aten._cdist_forward(%{{.*}}, %{{.*}}, p = 2.000000e+00) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %0 = aten._cdist_forward(%x, %y, p = 2.0) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  // CHECK: aten.linalg_cholesky_ex(%{{.*}}) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  %1:2 = aten.linalg_cholesky_ex(%s) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  // CHECK: aten._fft_r2c(%{{.*}}, dim = [1], normalization = 0, onesided = true) : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  %2 = aten._fft_r2c(%x, dim = [1], normalization = 0, onesided = true) : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<2x3x9xf32>, %w: tensor<4x3x3xf32>, %g: tensor<3xf32>) {
  // CHECK: aten.conv1d(%{{.*}}, %{{.*}}, stride = [2]) : (tensor<2x3x9xf32>, tensor<4x3x3xf32>) -> tensor<2x4x4xf32>
  %0 = aten.conv1d(%x, %w, stride = [2]) : (tensor<2x3x9xf32>, tensor<4x3x3xf32>) -> tensor<2x4x4xf32>
  // CHECK: aten._native_batch_norm_legit_no_training
  %1:3 = aten._native_batch_norm_legit_no_training(%x, running_mean = %g, running_var = %g, momentum = 0.1, eps = 1.0e-5) : (tensor<2x3x9xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x9xf32>, tensor<0xf32>, tensor<0xf32>)
  return
}

// CHECK-LABEL: func.func @arrangement
func.func @arrangement(%x: tensor<4x6xf32>, %v: tensor<3xf32>) {
  // CHECK: aten.diagonal(%{{.*}}, offset = 1) : (tensor<4x6xf32>) -> tensor<4xf32>
  %0 = aten.diagonal(%x, offset = 1) : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: aten.diagonal_copy(%{{.*}}, offset = 1) : (tensor<4x6xf32>) -> tensor<4xf32>
  %5 = aten.diagonal_copy(%x, offset = 1) : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: aten.as_strided_copy(%{{.*}}, size = [2, 3], stride = [1, 2], storage_offset = 4) : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %6 = aten.as_strided_copy(%x, size = [2, 3], stride = [1, 2], storage_offset = 4) : (tensor<4x6xf32>) -> tensor<2x3xf32>
  // CHECK: aten.tensor_split.sections(%{{.*}}, sections = 3) : (tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>)
  %1:3 = aten.tensor_split.sections(%x, sections = 3) : (tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>)
  // CHECK: aten.meshgrid([%{{.*}}, %{{.*}}]) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>)
  %2:2 = aten.meshgrid([%v, %v]) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>)
  // CHECK: aten.unflatten.int(%{{.*}}, dim = 1, sizes = [2, -1]) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %3 = aten.unflatten.int(%x, dim = 1, sizes = [2, -1]) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  // CHECK: aten.tril_indices(row = 3, col = 4, offset = -1) : () -> tensor<2x3xi64>
  %4 = aten.tril_indices(row = 3, col = 4, offset = -1) : () -> tensor<2x3xi64>
  return
}

// CHECK-LABEL: func.func @recurrent
func.func @recurrent(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %a: tensor<4x3xf32>, %b: tensor<4x4xf32>) {
  // CHECK: aten.rnn_relu.input(%{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}], has_biases = false
  // CHECK-SAME: -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>)
  %0, %1 = aten.rnn_relu.input(%x, %h, [%a, %b], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = false) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// CHECK-LABEL: func.func @factors
func.func @factors(%a: tensor<2x5x3xf32>, %l: tensor<3x3xf32>, %b: tensor<2x3x4xf32>) {
  // CHECK: aten.linalg_qr(%{{.*}}, mode = "complete") : (tensor<2x5x3xf32>) -> (tensor<2x5x5xf32>, tensor<2x5x3xf32>)
  %0, %1 = aten.linalg_qr(%a, mode = "complete") : (tensor<2x5x3xf32>) -> (tensor<2x5x5xf32>, tensor<2x5x3xf32>)
  // CHECK: aten.linalg_solve_triangular(%{{.*}}, %{{.*}}, upper = false) : (tensor<3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %2 = aten.linalg_solve_triangular(%l, %b, upper = false) : (tensor<3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: aten.triangular_solve(%{{.*}}, %{{.*}}) : (tensor<2x3x4xf32>, tensor<3x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x3xf32>)
  %3, %4 = aten.triangular_solve(%b, %l) : (tensor<2x3x4xf32>, tensor<3x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x3xf32>)
  return
}

// Groups of rows, of columns, and of what is summed.
// CHECK-LABEL: func.func @grouped
func.func @grouped(%x: tensor<6x8xf32>, %w: tensor<3x8x4xf32>, %v: tensor<3x4x6xf32>, %offs: tensor<3xi32>) {
  // CHECK: aten._grouped_mm(%{{.*}}, %{{.*}}, offs = %{{.*}}) : (tensor<6x8xf32>, tensor<3x8x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
  %0 = aten._grouped_mm(%x, %w, offs = %offs) : (tensor<6x8xf32>, tensor<3x8x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
  // CHECK: aten._grouped_mm(%{{.*}}, %{{.*}}, offs = %{{.*}}) : (tensor<3x4x6xf32>, tensor<6x8xf32>, tensor<3xi32>) -> tensor<4x8xf32>
  %1 = aten._grouped_mm(%v, %x, offs = %offs) : (tensor<3x4x6xf32>, tensor<6x8xf32>, tensor<3xi32>) -> tensor<4x8xf32>
  %2 = aten.t(%x) : (tensor<6x8xf32>) -> tensor<8x6xf32>
  // CHECK: aten._grouped_mm(%{{.*}}, %{{.*}}, offs = %{{.*}}) : (tensor<8x6xf32>, tensor<6x8xf32>, tensor<3xi32>) -> tensor<3x8x8xf32>
  %3 = aten._grouped_mm(%2, %x, offs = %offs) : (tensor<8x6xf32>, tensor<6x8xf32>, tensor<3xi32>) -> tensor<3x8x8xf32>
  return
}
