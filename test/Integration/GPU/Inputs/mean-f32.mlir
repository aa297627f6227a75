func.func @main(%x: tensor<268435456xf32>) -> tensor<f32> {
  %r = loop.kernel @mean ins(%a = %x : tensor<268435456xf32>) shared [] -> tensor<f32> {
    %s = loop.reduce parallel () in [] reduction (%i) in [268435456] <sum> : tensor<f32> {
      %e = loop.load %a[%i] : tensor<268435456xf32>
      loop.yield %e : f32
    }
    %m = loop.pointwise () in [] : tensor<f32> {
      %e = loop.load %s[] : tensor<f32>
      %n = arith.constant 268435456.0 : f32
      %q = arith.divf %e, %n : f32
      loop.yield %q : f32
    }
    loop.return %m : tensor<f32>
  }
  return %r : tensor<f32>
}
