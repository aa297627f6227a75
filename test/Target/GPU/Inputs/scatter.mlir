// Rows that are added where positions say: of 16 and 32 bits several floats at a time where the
// chip has that, f64 and integers one by one; and what has been sorted by where it goes.
!f = tensor<100x64xf32>
!h = tensor<100x64xf16>
!b = tensor<100x64xbf16>
!d = tensor<100x64xf64>
!i = tensor<100x64xi32>
!n = tensor<4096xi64>
func.func @f32(%x: !f, %y: !n, %z: tensor<4096x64xf32>) -> !f {
  %r = loop.kernel @f32 ins(%a = %x : !f, %b = %y : !n, %c = %z : tensor<4096x64xf32>) shared [4096, 64] -> !f {
    %s = loop.scatter (%m, %d) in [4096, 64] into %a <add> : !f {
      %k = loop.load %b[%m] : !n
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%m, %d] : tensor<4096x64xf32>
      loop.yield_at %e at [%p, %d] : f32
    }
    loop.return %s : !f
  }
  return %r : !f
}
func.func @f16(%x: !h, %y: !n, %z: tensor<4096x64xf16>) -> !h {
  %r = loop.kernel @f16 ins(%a = %x : !h, %b = %y : !n, %c = %z : tensor<4096x64xf16>) shared [4096, 64] -> !h {
    %s = loop.scatter (%m, %d) in [4096, 64] into %a <add> : !h {
      %k = loop.load %b[%m] : !n
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%m, %d] : tensor<4096x64xf16>
      loop.yield_at %e at [%p, %d] : f16
    }
    loop.return %s : !h
  }
  return %r : !h
}
func.func @bf16(%x: !b, %y: !n, %z: tensor<4096x64xbf16>) -> !b {
  %r = loop.kernel @bf16 ins(%a = %x : !b, %b = %y : !n, %c = %z : tensor<4096x64xbf16>) shared [4096, 64] -> !b {
    %s = loop.scatter (%m, %d) in [4096, 64] into %a <add> : !b {
      %k = loop.load %b[%m] : !n
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%m, %d] : tensor<4096x64xbf16>
      loop.yield_at %e at [%p, %d] : bf16
    }
    loop.return %s : !b
  }
  return %r : !b
}
func.func @f64(%x: !d, %y: !n, %z: tensor<4096x64xf64>) -> !d {
  %r = loop.kernel @f64 ins(%a = %x : !d, %b = %y : !n, %c = %z : tensor<4096x64xf64>) shared [4096, 64] -> !d {
    %s = loop.scatter (%m, %d) in [4096, 64] into %a <add> : !d {
      %k = loop.load %b[%m] : !n
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%m, %d] : tensor<4096x64xf64>
      loop.yield_at %e at [%p, %d] : f64
    }
    loop.return %s : !d
  }
  return %r : !d
}
func.func @i32(%x: !i, %y: !n, %z: tensor<4096x64xi32>) -> !i {
  %r = loop.kernel @i32 ins(%a = %x : !i, %b = %y : !n, %c = %z : tensor<4096x64xi32>) shared [4096, 64] -> !i {
    %s = loop.scatter (%m, %d) in [4096, 64] into %a <add> : !i {
      %k = loop.load %b[%m] : !n
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%m, %d] : tensor<4096x64xi32>
      loop.yield_at %e at [%p, %d] : i32
    }
    loop.return %s : !i
  }
  return %r : !i
}
func.func @groups(%x: !f, %o: !n, %y: !n, %z: tensor<4096x64xf32>) -> !f {
  %r = loop.kernel @groups ins(%a = %x : !f, %order = %o : !n, %b = %y : !n, %c = %z : tensor<4096x64xf32>) shared [] -> !f {
    %s = loop.scatter (%m, %d) in [4096, 64] grouped into %a <add> : !f {
      %k = loop.load %order[%m] : !n
      %w = arith.index_cast %k : i64 to index
      %i = loop.load %b[%w] : !n
      %p = arith.index_cast %i : i64 to index
      %e = loop.load %c[%w, %d] : tensor<4096x64xf32>
      loop.yield_at %e at [%p, %d] : f32
    }
    loop.return %s : !f
  }
  return %r : !f
}
