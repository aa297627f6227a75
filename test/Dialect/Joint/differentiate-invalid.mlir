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
