// RUN: kiln-opt %s --split-input-file --verify-diagnostics --aten-decompose=to=import

func.func @type(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'aten.mT' op expects result 0 to be [3, 2] of f32, but found [2, 3] of f32}}
  %y = aten.mT(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dimension(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'aten.linalg_diagonal' op 'aten.diagonal' op expects a dimension from -2 to 1, but found 5}}
  %y = aten.linalg_diagonal(%x, dim1 = 5) : (tensor<2x3xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @refused(%x: tensor<2x3xf32>, %w: tensor<3xi64>) -> tensor<2x2xf32> {
  // expected-error @+1 {{'aten.cov' op a covariance with weights}}
  %y = aten.cov(%x, fweights = %w) : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @read(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @+2 {{'aten._linalg_det' op factors of a matrix are read}}
  // expected-error @+1 {{'aten._linalg_det' op could not be decomposed}}
  %d:3 = aten._linalg_det(%x)
    : (tensor<2x2xf32>) -> (tensor<f32>, tensor<2x2xf32>, tensor<2xi32>)
  return %d#1 : tensor<2x2xf32>
}
