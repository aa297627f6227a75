// A product of bytes with an epilogue, and one of bytes without a sign that lie across the sum.
!a = tensor<512x512xi8>
!u = tensor<512x512xui8>
!c = tensor<512x512xi32>
!b = tensor<512x512xbf16>
func.func @scaled(%x: !a, %y: !a) -> !b {
  %r = loop.kernel @scaled ins(%a = %x : !a, %b = %y : !a) shared [] -> !b {
    %scale = arith.constant 0.125 : f32
    %c = loop.contract parallel [512, 512] reduction [512]
        lhs %a[d0, d2] : !a rhs %b[d1, d2] : !a acc i32 : !b epilogue (%sum, %i, %j) {
      %e = arith.sitofp %sum : i32 to f32
      %f = arith.mulf %e, %scale : f32
      %h = arith.truncf %f : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %c : !b
  }
  return %r : !b
}
func.func @across(%x: !a, %y: !u) -> !c {
  %r = loop.kernel @across ins(%a = %x : !a, %b = %y : !u) shared [512, 512] -> !c {
    %c = loop.contract parallel [512, 512] reduction [512]
        lhs %a[d0, d2] : !a rhs %b[d2, d1] : !u acc i32 : !c
    loop.return %c : !c
  }
  return %r : !c
}
