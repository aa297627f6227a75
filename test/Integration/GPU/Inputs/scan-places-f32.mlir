func.func @main(%x: tensor<4194304xf32>) -> (tensor<4194304xf32>, tensor<4194304xi64>) {
  %r:2 = loop.kernel @scan ins(%a = %x : tensor<4194304xf32>) shared [] -> (tensor<4194304xf32>, tensor<4194304xi64>) {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    %v, %p = loop.scan parallel () in [] along (%j) in [4194304] at 0 <generic>
        init(%low, %zero : f32, i64) : tensor<4194304xf32>, tensor<4194304xi64> {
      %e = loop.load %a[%j] : tensor<4194304xf32>
      %k = arith.index_cast %j : index to i64
      loop.yield %e, %k : f32, i64
    } combine (%u: f32, %k: i64, %w: f32, %l: i64) {
      %c = arith.cmpf oge, %w, %u : f32
      %n = arith.cmpf uno, %w, %w : f32
      %r = arith.ori %c, %n : i1
      %m = arith.select %r, %w, %u : f32
      %o = arith.select %r, %l, %k : i64
      loop.yield %m, %o : f32, i64
    }
    loop.return %v, %p : tensor<4194304xf32>, tensor<4194304xi64>
  }
  return %r#0, %r#1 : tensor<4194304xf32>, tensor<4194304xi64>
}
