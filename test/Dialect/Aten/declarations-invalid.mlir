// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// Generic text says anything of an op; what its record declares is compared before
// the arguments are read.

func.func @too_few(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.mm' op expected 2 operands, but found 1}}
  %0 = "aten.mm"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_tensor(%x: tensor<4x4xf32>, %n: f64) {
  // expected-error @below {{'aten.mm' op operand #1 (argument 'mat2') must be a ranked tensor, but got 'f64'}}
  %0 = "aten.mm"(%x, %n) : (tensor<4x4xf32>, f64) -> tensor<4x4xf32>
  return
}

// -----

func.func @no_number(%x: tensor<4xf32>, %n: f32) {
  // expected-error @below {{'aten.mul.Scalar' op operand #1 (argument 'other') must be a number (i1, i64, f64 or complex<f64>), but got 'f32'}}
  %0 = "aten.mul.Scalar"(%x, %n) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.exp' op expects 1 results, but found 2}}
  %0:2 = "aten.exp"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @result_type(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.exp' op result #0 must be a ranked tensor, but got 'f32'}}
  %0 = "aten.exp"(%x) : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @missing(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.cumsum' op requires attribute 'dim'}}
  %0 = "aten.cumsum"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @wrong_kind(%x: tensor<4xf32>) {
  // expected-error @below {{attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute, but got 0 : i32}}
  %0 = "aten.cumsum"(%x) <{dim = 0 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unknown_property(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.exp' has no property 'dim'}}
  %0 = "aten.exp"(%x) <{dim = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_segments(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.clamp' op requires dense i32 array attribute 'operandSegmentSizes'}}
  %0 = "aten.clamp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @short_segments(%x: tensor<4xf32>) {
  // expected-error @below {{'operandSegmentSizes' attribute for specifying operand segments must have 3 elements, but got 1}}
  %0 = "aten.clamp"(%x) <{operandSegmentSizes = array<i32: 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @negative_segments(%x: tensor<4xf32>) {
  // expected-error @below {{'operandSegmentSizes' attribute cannot have negative elements}}
  %0 = "aten.clamp"(%x) <{operandSegmentSizes = array<i32: 1, -1, 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_of_segments(%x: tensor<4xf32>) {
  // expected-error @below {{operand count (1) does not match with the total size specified in attribute 'operandSegmentSizes'}}
  %0 = "aten.clamp"(%x) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @two_for_one(%x: tensor<4xf32>, %n: f64) {
  // expected-error @below {{'aten.clamp' op expects at most one operand for argument 'min', but found 2}}
  %0 = "aten.clamp"(%x, %n, %n) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (tensor<4xf32>, f64, f64) -> tensor<4xf32>
  return
}

// -----

func.func @region(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.exp' op requires zero regions}}
  %0 = "aten.exp"(%x) ({}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
