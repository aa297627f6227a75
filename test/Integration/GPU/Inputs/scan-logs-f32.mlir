func.func @main(%x: tensor<1048576xf32>) -> (tensor<1048576xf32>) {
  %r = loop.kernel @scan ins(%a = %x : tensor<1048576xf32>) shared [] -> tensor<1048576xf32> {
    %low = arith.constant 0xFFF0000000000000 : f64
    %high = arith.constant 0x7FF0000000000000 : f64
    %s = loop.scan parallel () in [] along (%j) in [1048576] at 0 <generic>
        init(%low : f64) : tensor<1048576xf32> {
      %e = loop.load %a[%j] : tensor<1048576xf32>
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    } combine (%u: f64, %v: f64) {
      %l = arith.minimumf %u, %v : f64
      %h = arith.maximumf %u, %v : f64
      %d = arith.subf %l, %h : f64
      %e = math.exp %d : f64
      %o = math.log1p %e : f64
      %t = arith.addf %h, %o : f64
      %q = arith.cmpf oeq, %l, %h : f64
      %b = math.absf %l : f64
      %i = arith.cmpf oeq, %b, %high : f64
      %c = arith.andi %q, %i : i1
      %r = arith.select %c, %l, %t : f64
      loop.yield %r : f64
    }
    loop.return %s : tensor<1048576xf32>
  }
  return %r : tensor<1048576xf32>
}
