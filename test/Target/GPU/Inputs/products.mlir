// A product of f32 and one of bf16 with an epilogue.
!f = tensor<512x512xf32>
!b = tensor<512x512xbf16>
func.func @exact(%x: !f, %y: !f) -> !f {
  %r = loop.kernel @exact ins(%a = %x : !f, %b = %y : !f) shared [] -> !f {
    %c = loop.contract parallel [512, 512] reduction [512]
        lhs %a[d0, d2] : !f rhs %b[d1, d2] : !f acc f32 : !f
    loop.return %c : !f
  }
  return %r : !f
}
func.func @units(%x: !b, %y: !b) -> !b {
  %r = loop.kernel @units ins(%a = %x : !b, %b = %y : !b) shared [] -> !b {
    %zero = arith.constant 0.0 : f32
    %c = loop.contract parallel [512, 512] reduction [512]
        lhs %a[d0, d2] : !b rhs %b[d1, d2] : !b acc f32 : !b epilogue (%sum, %i, %j) {
      %e = arith.maximumf %sum, %zero : f32
      %h = arith.truncf %e : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %c : !b
  }
  return %r : !b
}
