// RUN: kiln-opt %s --loop-fuse --verify-diagnostics

func.func @scalar(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %r = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    // expected-error @+1 {{'arith.addf' op uses a scalar from outside of its nest that is not a constant; pass it as a tensor without dimensions}}
    %y = arith.addf %v, %s : f32
    loop.yield %y : f32
  }
  return %r : tensor<4xf32>
}
