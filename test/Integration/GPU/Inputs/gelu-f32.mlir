func.func @main(%x: tensor<134217728xf32>, %y: tensor<134217728xf32>) -> tensor<134217728xf32> {
  %r = loop.kernel @gelu ins(%a = %x : tensor<134217728xf32>, %b = %y : tensor<134217728xf32>) shared [134217728] -> tensor<134217728xf32> {
    %half = arith.constant 5.0e-01 : f32
    %root = arith.constant 0.707106769 : f32
    %p = loop.pointwise (%i) in [134217728] : tensor<134217728xf32> {
      %l = loop.load %a[%i] : tensor<134217728xf32>
      %m = loop.load %b[%i] : tensor<134217728xf32>
      
      %u = arith.mulf %l, %root : f32
      %v = math.erf %u : f32
      %w = arith.mulf %l, %half : f32
      %z = arith.mulf %w, %v : f32
      %g = arith.addf %z, %w : f32
      %s = arith.addf %g, %m : f32
      loop.yield %s : f32
    }
    loop.return %p : tensor<134217728xf32>
  }
  return %r : tensor<134217728xf32>
}
