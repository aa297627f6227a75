// operations 19327352832
// A layer of GPT-2 in training, 4096 rows: what its product makes, and gelu of that.
func.func @main(%x: tensor<4096x768xbf16>, %w: tensor<3072x768xbf16>, %z: tensor<3072xbf16>) -> (tensor<4096x3072xbf16>, tensor<8x512x3072xbf16>) {
  %r:2 = loop.kernel @product ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<3072x768xbf16>, %v = %z : tensor<3072xbf16>) shared [] -> (tensor<4096x3072xbf16>, tensor<8x512x3072xbf16>) {
    %c = loop.contract parallel [4096, 3072] reduction [768]
        lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<3072x768xbf16>
        acc f32 : tensor<4096x3072xbf16> epilogue (%acc, %i, %j) {
      %e = loop.load %v[%j] : tensor<3072xbf16>
      %f = arith.extf %e : bf16 to f32
      %g = arith.addf %acc, %f : f32
      %t = arith.truncf %g : f32 to bf16
      loop.yield %t : bf16
    }
    %g = loop.pointwise (%i, %j, %k) in [8, 512, 3072] : tensor<8x512x3072xbf16> {
      %one = arith.constant 1.0 : f32
      %twice = arith.constant 1.59576917 : f32
      %cube = arith.constant 4.471500e-02 : f32
      %e = loop.load %c[%i * 512 + %j, %k] : tensor<4096x3072xbf16>
      %f = arith.extf %e : bf16 to f32
      %h = arith.mulf %f, %twice : f32
      %l = arith.mulf %f, %f : f32
      %m = arith.mulf %l, %cube : f32
      %n = arith.addf %m, %one : f32
      %o = arith.mulf %h, %n : f32
      %p = arith.negf %o : f32
      %q = math.exp %p : f32
      %s = arith.addf %q, %one : f32
      %u = arith.divf %one, %s fastmath<afn> : f32
      %y = arith.mulf %f, %u : f32
      %t = arith.truncf %y : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %c, %g : tensor<4096x3072xbf16>, tensor<8x512x3072xbf16>
  }
  return %r#0, %r#1 : tensor<4096x3072xbf16>, tensor<8x512x3072xbf16>
}
