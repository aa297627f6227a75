// RUN: kiln-opt %s --convert-loop-to-scf --split-input-file --verify-diagnostics

func.func @power(%x: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op computes 'pow(d0, s0)' from its indices, expected integer arithmetic without powers}}
  %r = loop.kernel @k ins(%a = %x : tensor<?xf32, #guard.shape<[s0]>>)
      shared [4] -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[pow(%i, s0)] : tensor<?xf32, #guard.shape<[s0]>>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @input(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op returns a tensor twice or one of its inputs}}
  %r = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4]
      -> tensor<4xf32> {
    loop.return %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @unnamed(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op has a tensor whose dynamic dimensions no '#guard.shape' names: 'tensor<?xf32>'}}
  %r = loop.kernel @k ins(%a = %x : tensor<?xf32>) shared [4]
      -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<?xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @strides(%x: tensor<4xf32> {loop.strides = #guard.shape<[4, 1]>})
    -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op reads an argument with 2 strides, expected 1}}
  %r = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4]
      -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
