// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @window(%x: tensor<2x3x4x4xf32>) {
  // expected-error @below {{'aten.max_pool2d' op has a window larger than its padded input}}
  %0 = aten.max_pool2d(%x, kernel_size = [5, 5]) : (tensor<2x3x4x4xf32>) -> tensor<2x3x1x1xf32>
  return
}

// -----

func.func @stride(%x: tensor<2x3x4x4xf32>) {
  // expected-error @below {{'aten.avg_pool2d' op expects entries of 'stride' from 1 to 2^31 - 1, but found 0}}
  %0 = aten.avg_pool2d(%x, kernel_size = [2, 2], stride = [0, 0]) : (tensor<2x3x4x4xf32>) -> tensor<2x3x3x3xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x3x4x4xf32>) {
  // expected-error @below {{'aten.pixel_shuffle' op expects channels in multiples of 4, but found 3}}
  %0 = aten.pixel_shuffle(%x, upscale_factor = 2) : (tensor<1x3x4x4xf32>) -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @count(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.topk' op expects 'k' from 0 to 4, but found 5}}
  %0:2 = aten.topk(%x, k = 5) : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @odd(%x: tensor<4x5xf32>) {
  // expected-error @below {{'aten.glu' op expects a dimension of even size, but found 5}}
  %0 = aten.glu(%x) : (tensor<4x5xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @indices(%x: tensor<2x3x4x4xf32>) {
  // expected-error @below {{'aten.max_pool2d_with_indices' op expects result 1 to be [2, 3, 2, 2] of i64, but found [2, 3, 2, 2] of i32}}
  %0:2 = aten.max_pool2d_with_indices(%x, kernel_size = [2, 2]) : (tensor<2x3x4x4xf32>) -> (tensor<2x3x2x2xf32>, tensor<2x3x2x2xi32>)
  return
}

// -----

func.func @reals(%x: tensor<4x3xf32>) {
  // expected-error @below {{'aten.view_as_complex' op expects a last dimension of size 2}}
  %0 = aten.view_as_complex(%x) : (tensor<4x3xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @range(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.narrow' op expects a range within 4 elements, but found 3 from 2}}
  %0 = aten.narrow(%x, dim = 0, start = 2, length = 3) : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @square(%x: tensor<3x4xf32>) {
  // expected-error @below {{'aten.linalg_cholesky_ex' op expects square matrices}}
  %0:2 = aten.linalg_cholesky_ex(%x) : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<i32>)
  return
}

// -----

func.func @product(%x: tensor<6xf32>) {
  // expected-error @below {{'aten.unflatten.int' op expects sizes whose product is 6, but found 8}}
  %0 = aten.unflatten.int(%x, dim = 0, sizes = [2, 4]) : (tensor<6xf32>) -> tensor<2x4xf32>
  return
}
