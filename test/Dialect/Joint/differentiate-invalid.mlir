// RUN: kiln-opt %s --split-input-file --verify-diagnostics --joint-differentiate

// An op on the way that has no derivative is an error, not a zero.
func.func @main(%x: tensor<4xf32> {joint.requires_grad}) -> tensor<4xf32> {
  // expected-error @+1 {{'math.cbrt' op has no derivative, and a gradient flows through it; expected an op that implements DifferentiableOpInterface}}
  %0 = math.cbrt %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{no function 'main' to differentiate}}
module {
  func.func @other() {
    return
  }
}

// -----

// expected-error @+1 {{has 2 blocks, expected 1 to differentiate it}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// A rule is that of real numbers, unless it says otherwise.
func.func @main(%x: tensor<4xf32> {joint.requires_grad}) -> tensor<4xcomplex<f32>> {
  %0 = aten._to_copy(%x, dtype = complex<f32>) : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{'aten.silu' op has no derivative for complex numbers, and a gradient flows through it}}
  %1 = aten.silu(%0) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}

// -----

// What PyTorch does not differentiate is refused by name.
func.func @main(%x: tensor<4xf32> {joint.requires_grad}) -> tensor<4xf32> {
  // expected-error @+1 {{'aten.heaviside' op has no derivative in PyTorch either}}
  %0 = aten.heaviside(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
