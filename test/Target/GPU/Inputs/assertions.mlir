// Rows of a table, whose kernel looks at the indices that it reads and keeps them inside as well.
!i = tensor<4096xi64>
!t = tensor<500x64xf32>
!o = tensor<4096x64xf32>
func.func @main(%t: !t, %x: !i) -> !o {
  %r = loop.kernel @gather ins(%p = %x : !i, %q = %t : !t) shared [4096, 64] -> !o {
    %g = loop.pointwise (%i, %j) in [4096, 64] : !o {
      %zero = arith.constant 0 : index
      %last = arith.constant 499 : index
      %limit = arith.constant 500 : i64
      %e = loop.load %p[%i] : !i
      %in = arith.cmpi ult, %e, %limit : i64
      loop.assert %in, "wrong"
      %s = arith.index_cast %e : i64 to index
      %m = arith.minsi %s, %last : index
      %n = arith.maxsi %m, %zero : index
      %v = loop.load %q[%n, %j] : !t
      loop.yield %v : f32
    }
    loop.return %g : !o
  }
  return %r : !o
}
