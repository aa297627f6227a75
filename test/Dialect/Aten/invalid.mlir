// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @element_type(%x: tensor<4xi32>) {
  // expected-error @below {{'aten.exp' op expects result 0 to be [4] of f32, but found [4] of i32}}
  %0 = aten.exp(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @rank(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.unsqueeze' op expects result 0 to be [1, 4] of f32, but found [4] of f32}}
  %0 = aten.unsqueeze(%x, dim = 0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.split.Tensor' op expects 2 results, but found 1}}
  %0 = aten.split.Tensor(%x, split_size = 2) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{'aten.mul.Tensor' op has operands that do not broadcast: size 4 against 3 at dimension 0}}
  %0 = aten.mul.Tensor(%x, %y) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @inner(%x: tensor<4x5xf32>) {
  // expected-error @below {{'aten.mm' op expects equal inner sizes, but found 5 and 4}}
  %0 = aten.mm(%x, %x) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @operand_rank(%x: tensor<4xf32>, %y: tensor<4x4xf32>) {
  // expected-error @below {{'aten.mm' op expects 'self' of rank 2, but found rank 1}}
  %0 = aten.mm(%x, %y) : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @mixed(%x: tensor<4x4xf32>, %y: tensor<4x4xf16>) {
  // expected-error @below {{'aten.mm' op expects operands of one element type, but found f32 and f16}}
  %0 = aten.mm(%x, %y) : (tensor<4x4xf32>, tensor<4x4xf16>) -> tensor<4x4xf32>
  return
}

// -----

func.func @dimension(%x: tensor<4x4xf32>) {
  // expected-error @below {{'aten.select.int' op expects a dimension from -2 to 1, but found 2}}
  %0 = aten.select.int(%x, dim = 2, index = 0) : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @view(%x: tensor<4x4xf32>) {
  // expected-error @below {{'aten.view' op cannot view 16 elements in multiples of 3}}
  %0 = aten.view(%x, size = [-1, 3]) : (tensor<4x4xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @unknown_size(%x: tensor<?xf32>) {
  // expected-error @below {{'aten.exp' op has a tensor whose dynamic dimensions no '#guard.shape' names: 'tensor<?xf32>'}}
  %0 = aten.exp(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @no_argument(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.exp' has no argument 'dim', expected one of 'self'}}
  %0 = aten.exp(%x, dim = 0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @twice(%x: tensor<4xf32>) {
  // expected-error @below {{argument 'dim' is given twice}}
  %0 = aten.cumsum(%x, dim = 0, dim = 0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @missing(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.cumsum' expects 'dim' to be given}}
  %0 = aten.cumsum(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @too_many(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.exp' has no further operand without a name}}
  %0 = aten.exp(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @operator(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.operator' op has 1 operands, but an argument names operand 1}}
  %0 = aten.operator "my::op"(%x) [#aten.operand<1>] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @operator_name(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.operator' op expects a name with a namespace ("mylib::scale"), but found "op"}}
  %0 = aten.operator "op"(%x) [#aten.operand<0>] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @below {{expects 'aten.input' of argument 0 to be '#aten.input<...>', but found 3 : i64}}
func.func private @input(tensor<4xf32> {aten.input = 3 : i64})

// -----

func.func @recurrent_states(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %a: tensor<12x3xf32>, %b: tensor<12x4xf32>) {
  // expected-error @below {{'aten.gru.input' op expects result 1 to be [1, 2, 4] of f32, but found [1, 1, 2, 4] of f32}}
  %0, %1 = aten.gru.input(%x, %h, [%a, %b], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = false) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<5x2x4xf32>, tensor<1x1x2x4xf32>)
  return
}

// -----

func.func @recurrent_weights(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %a: tensor<12x3xf32>) {
  // expected-error @below {{'aten.gru.input' op expects 'params' that fit the input and the states, but found another size in tensor 1}}
  %0, %1 = aten.gru.input(%x, %h, [%a, %a], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = false) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<12x3xf32>, tensor<12x3xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @factors(%a: tensor<2x5x3xf32>) {
  // expected-error @below {{'aten.linalg_qr' op expects result 0 to be [2, 5, 3] of f32, but found [2, 5, 5] of f32}}
  %0, %1 = aten.linalg_qr(%a) : (tensor<2x5x3xf32>) -> (tensor<2x5x5xf32>, tensor<2x3x3xf32>)
  return
}

// -----

func.func @factor_mode(%a: tensor<5x3xf32>) {
  // expected-error @below {{'aten.linalg_qr' op expects 'mode' to be 'reduced', 'complete' or 'r', but found 'full'}}
  %0, %1 = aten.linalg_qr(%a, mode = "full") : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @system(%a: tensor<3x4xf32>, %b: tensor<3x2xf32>) {
  // expected-error @below {{'aten.linalg_solve_triangular' op expects 'self' to be square matrices}}
  %0 = aten.linalg_solve_triangular(%a, %b, upper = true) : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @right_hand_side(%a: tensor<3x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{'aten.triangular_solve' op expects right-hand sides of size 3, but found 2}}
  %0, %1 = aten.triangular_solve(%b, %a) : (tensor<2x4xf32>, tensor<3x3xf32>) -> (tensor<2x4xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @source_rank(%x: tensor<3x2xf32>, %i: tensor<2xi64>, %s: tensor<2xf32>) {
  // expected-error @below {{'aten.index_add' op expects 'source' of the rank of 'self', but found ranks 1 and 2}}
  %0 = aten.index_add(%x, %i, %s, dim = 0) : (tensor<3x2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// What follows from sizes may be any number; nothing is made for each of them.

func.func @too_many_parts(%x: tensor<1099511627776x8xf32>) {
  // expected-error @+1 {{'aten.split.Tensor' op expects at most 65536 parts, but found 366503875926}}
  %0:2 = aten.split.Tensor(%x, split_size = 3) : (tensor<1099511627776x8xf32>) -> (tensor<3x8xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @too_many_rows(%x: tensor<1099511627776x8xf32>) {
  // expected-error @+1 {{'aten.unbind.int' op expects at most 65536 parts, but found 1099511627776}}
  %0:2 = aten.unbind.int(%x) : (tensor<1099511627776x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
