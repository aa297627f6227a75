// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// Tensors have the elements that PyTorch has, and can exist.

func.func @signed(%x: tensor<4xsi32>) {
  // expected-error @below {{'aten.relu' op has elements of type 'si32', expected i1, an integer of 8, 16, 32 or 64 bits}}
  %0 = aten.relu(%x) : (tensor<4xsi32>) -> tensor<4xsi32>
  return
}

// -----

func.func @pointers(%x: tensor<2x3x!llvm.ptr>) {
  // expected-error @below {{'aten.permute' op has elements of type '!llvm.ptr'}}
  %0 = aten.permute(%x, dims = [1, 0]) : (tensor<2x3x!llvm.ptr>) -> tensor<3x2x!llvm.ptr>
  return
}

// -----

func.func @argument(%x: tensor<4xf32>) {
  // expected-error @below {{'aten._to_copy' op has elements of type 'index'}}
  %0 = aten._to_copy(%x, dtype = index) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @size(%x: tensor<140737488355328x16xf32>) {
  // expected-error @below {{'aten.relu' op has a tensor that cannot exist}}
  %0 = aten.relu(%x) : (tensor<140737488355328x16xf32>) -> tensor<140737488355328x16xf32>
  return
}

// -----

func.func @unnamed(%x: tensor<?x4xf32>) {
  // expected-error @below {{'aten.relu' op has a tensor whose dynamic dimensions no '#guard.shape' names: 'tensor<?x4xf32>'}}
  %0 = aten.relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// expected-error @below {{'func.func' op has 1 strides for argument 0, which is of type 'tensor<3x4xf32>'}}
func.func @strides(%x: tensor<3x4xf32> {aten.input = #aten.input<kind = user_input, name = "x", strides = <[4]>>}) {
  return
}

// -----

func.func @cross_entropy(%x: tensor<3x4xcomplex<f64>>) {
  // expected-error @below {{'aten.cross_entropy_loss' op expects floats, but found complex numbers}}
  %r = aten.cross_entropy_loss(%x, %x) : (tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>) -> tensor<complex<f64>>
  return
}
