// Where there is code, nests and kernels are gone; calls of operators stay.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=kernel

module @kernels {
  func.func private @k()
}
func.func @launched(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.launch @kernels::@k(%x) symbols [] work 1 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op belongs to stage 'loop', but the IR is to be of stage 'kernel'; run 'kiln-cpu' first}}
  %0 = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4] -> tensor<4xf32> {
    %r = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %v = loop.load %a[%i] : tensor<4xf32>
      loop.yield %v : f32
    }
    loop.return %r : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @operator(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.relu' op belongs to stages 'capture' to 'joint', but the IR is to be of stage 'kernel'; run 'kiln-loop' first}}
  %0 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
