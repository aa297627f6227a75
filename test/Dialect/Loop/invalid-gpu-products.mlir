// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// Nests beside a product in its kernel.

// Sums beside a product are over rows of its tiles.
!t = tensor<64x64xbf16>
!s = tensor<4x64xf32>
func.func @rows_of_tiles(%x: !t) -> (!t, !s) {
  // expected-error @below {{which is for a contraction that is alone in its kernel, with nests over its elements, or with sums over 32 rows of its 16 bits}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !s) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %s = loop.reduce parallel (%p, %j) in [4, 64] reduction (%r) in [16] <sum> : !s {
      %e = loop.load %c[%p * 16 + %r, %j] : !t
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %c, %s : !t, !s
  }
  return %r#0, %r#1 : !t, !s
}

// -----

!t = tensor<64x64xbf16>
!s = tensor<2x64xf32>
func.func @parts_of_tiles(%x: !t) -> (!t, !s) {
  // expected-error @below {{which has sums over rows of its tiles on matrix units alone, with split 1}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 2> -> (!t, !s) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %s = loop.reduce parallel (%p, %j) in [2, 64] reduction (%r) in [32] <sum> : !s {
      %e = loop.load %c[%p * 32 + %r, %j] : !t
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %c, %s : !t, !s
  }
  return %r#0, %r#1 : !t, !s
}

// -----

// Nests that follow a product have its points, and share nothing with it.
!t = tensor<64x64xbf16>
!h = tensor<32x64xbf16>
func.func @half_of_it(%x: !t) -> (!t, !h) {
  // expected-error @below {{which is for a contraction that is alone in its kernel, with nests over its elements}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !h) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %p = loop.pointwise (%i, %j) in [32, 64] : !h {
      %e = loop.load %c[%i, %j] : !t
      loop.yield %e : bf16
    }
    loop.return %c, %p : !t, !h
  }
  return %r#0, %r#1 : !t, !h
}

// -----

!t = tensor<64x64xbf16>
func.func @shared_with_it(%x: !t) -> (!t, !t) {
  // expected-error @below {{which has other nests beside its contraction without groups and library, where its kernel shares no extents}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared [64]
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !t) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %p = loop.pointwise (%i, %j) in [64, 64] : !t {
      %e = loop.load %c[%i, %j] : !t
      loop.yield %e : bf16
    }
    loop.return %c, %p : !t, !t
  }
  return %r#0, %r#1 : !t, !t
}
