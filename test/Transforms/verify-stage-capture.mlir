// The symbols of sizes are declared, at every stage of operators.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=capture
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=core
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=joint

!t = tensor<?xf32, #guard.shape<[s0]>>

guard.symbol @s0 range [2, 64]
func.func @declared(%x: !t) -> !t {
  %0 = aten.relu(%x) : (!t) -> !t
  return %0 : !t
}

// -----

!t = tensor<?xf32, #guard.shape<[s0 * 2]>>

// expected-error @below {{'func.func' op names the symbol 's0', which no 'guard.symbol' declares}}
func.func @argument(%x: !t) {
  return
}

// -----

guard.symbol @s0 range [2, 64]
func.func @result(%x: tensor<?xf32, #guard.shape<[s0]>>) {
  // expected-error @below {{'aten.nonzero' op names the symbol 'u0', which no 'guard.symbol' declares}}
  %0 = aten.nonzero(%x) : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?x1xi64, #guard.shape<[u0, 1]>>
  return
}

// -----

// Ops of later stages.
func.func @late(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.pointwise' op belongs to stage 'loop', but the IR is to be of stage}}
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %0 : tensor<4xf32>
}
