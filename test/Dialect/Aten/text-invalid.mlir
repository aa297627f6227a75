// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// What stands without a name is required; the message lists what it could be.
func.func @optional_tensor(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{custom op 'aten.linear' has no further operand without a name, expected 'bias = %...'}}
  %0 = aten.linear(%x, %w, %b) : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @optional_tensors(%x: tensor<2x4xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.layer_norm' has no further operand without a name, expected one of 'weight = %...', 'bias = %...'}}
  %0 = aten.layer_norm(%x, normalized_shape = [4], %w, %b) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @list(%x: tensor<2x4xf32>) {
  // expected-error @below {{custom op 'aten.layer_norm' has no further list without a name, expected 'normalized_shape = [...]'}}
  %0 = aten.layer_norm(%x, [4]) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @nothing_left(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.exp' has no further operand without a name}}
  %0 = aten.exp(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @argument_name(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.cumsum' has no argument 'dims', expected one of 'self', 'dim', 'dtype'}}
  %0 = aten.cumsum(%x, dims = 0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A name without an overload, or with a slip in it.
func.func @overload(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.add' is no overload, expected one of 'aten.add.Scalar', 'aten.add.Tensor'}}
  %0 = aten.add(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @other_overload(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.mul.Tensr' is no overload, expected one of 'aten.mul.Scalar', 'aten.mul.Tensor'}}
  %0 = aten.mul.Tensr(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @misspelled(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.rellu' is no overload, expected 'aten.relu'}}
  %0 = aten.rellu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unknown(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'aten.frobnicate' is no overload}}
  %0 = aten.frobnicate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A mode is one of the words of its record, or their number.
func.func @approximate(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.gelu' op expects 'approximate' to be 'none' or 'tanh', but found 'tahn'}}
  %0 = aten.gelu(%x, approximate = "tahn") : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rounding(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.div.Tensor_mode' op expects 'rounding_mode' to be 'floor' or 'trunc', but found 'round'}}
  %0 = aten.div.Tensor_mode(%x, %x, rounding_mode = "round") : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduction(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.mse_loss' op expects 'reduction' to be 0 (none), 1 (mean) or 2 (sum), but found 3}}
  %0 = aten.mse_loss(%x, %x, reduction = 3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @interpolation(%x: tensor<1x1x4x4xf32>, %g: tensor<1x2x2x2xf32>) {
  // expected-error @below {{'aten.grid_sampler_2d' op expects 'interpolation_mode' to be 0 (bilinear), 1 (nearest) or 2 (bicubic), but found -1}}
  %0 = aten.grid_sampler_2d(%x, %g, interpolation_mode = -1, padding_mode = 0, align_corners = false) : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @padding(%x: tensor<1x1x4x4xf32>, %g: tensor<1x2x2x2xf32>) {
  // expected-error @below {{'aten.grid_sampler_2d' op expects 'padding_mode' to be 0 (zeros), 1 (border) or 2 (reflection), but found 9}}
  %0 = aten.grid_sampler_2d(%x, %g, interpolation_mode = 0, padding_mode = 9, align_corners = false) : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @scatter(%x: tensor<4xf32>, %i: tensor<2xi64>, %s: tensor<2xf32>) {
  // expected-error @below {{'aten.scatter_reduce.two' op expects 'reduce' to be 'sum', 'prod', 'mean', 'amax' or 'amin', but found 'add'}}
  %0 = aten.scatter_reduce.two(%x, dim = 0, %i, %s, reduce = "add") : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}
