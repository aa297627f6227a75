// RUN: kiln-opt %s --convert-loop-to-linalg --split-input-file --verify-diagnostics

func.func @extern(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.extern' op calls the eager operator 'aten.erfinv.default', which has no form in linalg, expected loop nests only}}
  %r = loop.extern "aten.erfinv.default"(%x) arguments [#loop.operand<0>]
      reason "it has no kernel" : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @symbol() -> tensor<?xf32, #guard.shape<[s0]>> {
  // expected-error @below {{'loop.pointwise' op needs the value of 's0', expected a symbol that is a dimension of an argument of its function}}
  %r = loop.pointwise (%i) in [s0] : tensor<?xf32, #guard.shape<[s0]>> {
    %c = arith.constant 1.0 : f32
    loop.yield %c : f32
  }
  return %r : tensor<?xf32, #guard.shape<[s0]>>
}

// -----

func.func @power(%x: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32> {
  %r = loop.pointwise (%i) in [4] : tensor<4xf32> {
    // expected-error @below {{'loop.load' op computes 'pow(d0, s0)', expected integer arithmetic without powers}}
    %e = loop.load %x[pow(%i, s0)] : tensor<?xf32, #guard.shape<[s0]>>
    loop.yield %e : f32
  }
  return %r : tensor<4xf32>
}

// -----

guard.symbol @s0
func.func @logarithm(%x: tensor<?xf32, #guard.shape<[s0]>>) -> f64 {
  // expected-error @below {{'guard.value' op computes 'log(tofloat(s0))', expected sums, products, quotients, powers and roots of floats}}
  %n = guard.value <log(tofloat(s0))> : f64
  return %n : f64
}

// -----

guard.symbol @zf0 float
func.func @float_symbol() -> f64 {
  // expected-error @below {{'guard.value' op needs the value of 'zf0'}}
  %n = guard.value <zf0> : f64
  return %n : f64
}
