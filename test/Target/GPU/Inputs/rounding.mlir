// A value that is rounded between two operators and computed with again.
!b = tensor<4194304xbf16>
!o = tensor<64xbf16>
!h = tensor<4194304xf16>

func.func @bfloats(%x: !b) -> !b {
  %r = loop.kernel @bfloats ins(%a = %x : !b) shared [4194304] -> !b {
    %p = loop.pointwise (%i) in [4194304] : !b {
      %k = arith.constant 1.1 : f32
      %v = loop.load %a[%i] : !b
      %w = arith.extf %v : bf16 to f32
      %s = arith.addf %w, %k : f32
      %n = arith.truncf %s : f32 to bf16
      %c = arith.extf %n : bf16 to f32
      %m = arith.mulf %c, %k : f32
      %o = arith.truncf %m : f32 to bf16
      loop.yield %o : bf16
    }
    loop.return %p : !b
  }
  return %r : !b
}

func.func @halves(%x: !h) -> !h {
  %r = loop.kernel @halves ins(%a = %x : !h) shared [4194304] -> !h {
    %p = loop.pointwise (%i) in [4194304] : !h {
      %k = arith.constant 1.1 : f32
      %v = loop.load %a[%i] : !h
      %w = arith.extf %v : f16 to f32
      %s = arith.addf %w, %k : f32
      %n = arith.truncf %s : f32 to f16
      %c = arith.extf %n : f16 to f32
      %m = arith.mulf %c, %k : f32
      %o = arith.truncf %m : f32 to f16
      loop.yield %o : f16
    }
    loop.return %p : !h
  }
  return %r : !h
}

func.func @one(%x: !o) -> !o {
  %r = loop.kernel @one ins(%a = %x : !o) shared [64] -> !o {
    %p = loop.pointwise (%i) in [64] : !o {
      %k = arith.constant 1.1 : f32
      %v = loop.load %a[%i] : !o
      %w = arith.extf %v : bf16 to f32
      %s = arith.addf %w, %k : f32
      %n = arith.truncf %s : f32 to bf16
      %c = arith.extf %n : bf16 to f32
      %m = arith.mulf %c, %k : f32
      %o = arith.truncf %m : f32 to bf16
      loop.yield %o : bf16
    }
    loop.return %p : !o
  }
  return %r : !o
}
