func.func @main(%x: tensor<268435456xbf16>, %y: tensor<268435456xbf16>) -> tensor<268435456xbf16> {
  %r = loop.kernel @gelu ins(%a = %x : tensor<268435456xbf16>, %b = %y : tensor<268435456xbf16>) shared [268435456] -> tensor<268435456xbf16> {
    %half = arith.constant 5.0e-01 : f32
    %root = arith.constant 0.707106769 : f32
    %p = loop.pointwise (%i) in [268435456] : tensor<268435456xbf16> {
      %l = loop.load %a[%i] : tensor<268435456xbf16>
      %m = loop.load %b[%i] : tensor<268435456xbf16>
      %e = arith.extf %l : bf16 to f32
      %f = arith.extf %m : bf16 to f32
      %u = arith.mulf %e, %root : f32
      %v = math.erf %u : f32
      %w = arith.mulf %e, %half : f32
      %z = arith.mulf %w, %v : f32
      %g = arith.addf %z, %w : f32
      %s = arith.addf %g, %f : f32
      %o = arith.truncf %s : f32 to bf16
      loop.yield %o : bf16
    }
    loop.return %p : tensor<268435456xbf16>
  }
  return %r : tensor<268435456xbf16>
}
