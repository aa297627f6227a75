// operations 549755813888
func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<16384x4096xbf16>, %z: tensor<16384xbf16>) -> tensor<4096x16384xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<16384x4096xbf16>, %v = %z : tensor<16384xbf16>) shared [] -> tensor<4096x16384xbf16> {
    %half = arith.constant 5.0e-01 : f32
    %root = arith.constant 0.707106769 : f32
    %c = loop.contract parallel [4096, 16384] reduction [4096]
        lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<16384x4096xbf16>
        acc f32 : tensor<4096x16384xbf16> epilogue (%acc, %i, %j) {
      %e = loop.load %v[%j] : tensor<16384xbf16>
      %f = arith.extf %e : bf16 to f32
      %g = arith.addf %acc, %f : f32
      %u = arith.mulf %g, %root : f32
      %q = math.erf %u : f32
      %h = arith.mulf %g, %half : f32
      %k = arith.mulf %h, %q : f32
      %l = arith.addf %k, %h : f32
      %t = arith.truncf %l : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %c : tensor<4096x16384xbf16>
  }
  return %r : tensor<4096x16384xbf16>
}
