// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file --verify-diagnostics

!t = tensor<64xf32>
func.func @none(%x: !t) -> !t {
  // expected-error @below {{has no schedule, expected one as 'loop-choose-schedule' gives it}}
  %r = loop.kernel @k ins(%a = %x : !t) shared [64] -> !t {
    %p = loop.pointwise (%i) in [64] : !t {
      %e = loop.load %a[%i] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64xf32>
func.func @cpu(%x: !t) -> !t {
  // expected-error @below {{which is not for a GPU, expected one as 'loop-choose-schedule' gives it in a module with a '#loop.gpu' as its 'loop.target'}}
  %r = loop.kernel @k ins(%a = %x : !t) shared [64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain = 1> -> !t {
    %p = loop.pointwise (%i) in [64] : !t {
      %e = loop.load %a[%i] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x64xi32>
!r = tensor<64x64xi32>
func.func @integers(%x: !t) -> !r {
  // expected-error @below {{its contraction is no matrix product}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc i32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

!t = tensor<64x64xbf16>
!r = tensor<64x64xbf16>
func.func @memory(%x: !t) -> !r {
  // expected-error @below {{which takes 565248 bytes of shared memory, expected at most 232448}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 256, columns = 256, sum = 64, part_rows = 64, part_columns = 64, stages = 8, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

!t = tensor<64x64xf32>
!r = tensor<64x64xf32>
func.func @wide(%x: !t) -> !r {
  // expected-error @below {{whose unit rounds f32 to tf32, which its target does not permit}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 16, part_rows = 32, part_columns = 32, stages = 2, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

!t = tensor<64x64xf32>
!r = tensor<64x40xf32>
func.func @lanes(%x: !t) -> !r {
  // expected-error @below {{because 16 lanes do not divide rows of its result}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 16, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 40] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

!r = tensor<64x64xf32>
func.func @mixed(%x: tensor<64x64xf32>, %y: tensor<64x64xbf16>) -> !r {
  // expected-error @below {{whose unit multiplies two bf16, two f16, two f32 or two i8}}
  %r = loop.kernel @k ins(%a = %x : tensor<64x64xf32>, %b = %y : tensor<64x64xbf16>) shared []
      schedule #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 16, part_rows = 32, part_columns = 32, stages = 2, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : tensor<64x64xf32> rhs %b[d2, d1] : tensor<64x64xbf16> acc f32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800, tf32 = true>} {
  func.func @step(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    // expected-error @below {{whose unit takes 32 elements of 'f32' at a time}}
    %r = loop.kernel @k ins(%a = %x : tensor<64x64xf32>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 64, sum = 64, part_rows = 64, part_columns = 64, stages = 2, lanes = 4, group = 8, split = 1> -> tensor<64x64xf32> {
      %c = loop.contract parallel [64, 64] reduction [64]
          lhs %a[d0, d2] : tensor<64x64xf32> rhs %a[d1, d2] : tensor<64x64xf32> acc f32 : tensor<64x64xf32>
      loop.return %c : tensor<64x64xf32>
    }
    return %r : tensor<64x64xf32>
  }
}

// -----

// Sums that three warpgroups cannot hold would be waited for without end.
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @step(%x: tensor<512x64xbf16>) -> tensor<512x512xbf16> {
    // expected-error @below {{whose threads have 152 registers each, and 128 sums}}
    %r = loop.kernel @k ins(%a = %x : tensor<512x64xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 192, columns = 256, sum = 64, part_rows = 64, part_columns = 256, stages = 2, lanes = 8, group = 8, split = 1> -> tensor<512x512xbf16> {
      %c = loop.contract parallel [512, 512] reduction [64]
          lhs %a[d0, d2] : tensor<512x64xbf16> rhs %a[d1, d2] : tensor<512x64xbf16> acc f32 : tensor<512x512xbf16>
      loop.return %c : tensor<512x512xbf16>
    }
    return %r : tensor<512x512xbf16>
  }
}

// -----

// A block of 640 threads begins with 96 registers for each of them, and gets no others.
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @begun(%x: tensor<8x56x56x128xbf16>, %w: tensor<128x3x3x128xbf16>) -> tensor<8x56x56x128xbf16> {
    // expected-error @below {{whose threads have 96 registers each, and 64 sums}}
    %r = loop.kernel @k ins(%a = %x : tensor<8x56x56x128xbf16>, %b = %w : tensor<128x3x3x128xbf16>) shared [8, 56, 56, 128]
        schedule #loop.gpu_product<unit = wgmma, rows = 256, columns = 128, sum = 64, part_rows = 64, part_columns = 128, stages = 3, lanes = 8, group = 8, split = 1, blocks = 132> -> tensor<8x56x56x128xbf16> {
      %c = loop.contract parallel [8, 56, 56, 128] reduction [3, 3, 128]
          lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x56x56x128xbf16>
          mask and(and(le(1, d1 + d4), lt(d1 + d4, 57)), and(le(1, d2 + d5), lt(d2 + d5, 57)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x128xbf16> mask 1
          acc f32 : tensor<8x56x56x128xbf16>
      loop.return %c : tensor<8x56x56x128xbf16>
    }
    return %r : tensor<8x56x56x128xbf16>
  }
}

// -----

// What lies along the members could not be cleared by lines behind the end of a group.
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @members(%x: tensor<256x512xbf16>, %y: tensor<512x256xbf16>, %e: tensor<4xi32>) -> tensor<4x256x256xbf16> {
    // expected-error @below {{whose members are cleared line by line, and neighbours of an operand are members here}}
    %r = loop.kernel @k ins(%a = %x : tensor<256x512xbf16>, %b = %y : tensor<512x256xbf16>, %n = %e : tensor<4xi32>) shared [4, 256, 256]
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128, stages = 3, lanes = 8, group = 8, split = 1, blocks = 132> -> tensor<4x256x256xbf16> {
      %c = loop.contract parallel [4, 256, 256] reduction [512]
          lhs %a[d1, d3] : tensor<256x512xbf16> rhs %b[d3, d2] : tensor<512x256xbf16>
          groups %n(d0, d3) : tensor<4xi32> acc f32 : tensor<4x256x256xbf16>
      loop.return %c : tensor<4x256x256xbf16>
    }
    return %r : tensor<4x256x256xbf16>
  }
}

// -----

// A sum over rows of tiles reads the row that it is at.
!t = tensor<64x64xbf16>
!s = tensor<2x64xf32>
func.func @other_row(%x: !t) -> (!t, !s) {
  // expected-error @below {{whose sums are over rows of its tiles, but one reads others}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !s) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %s = loop.reduce parallel (%p, %j) in [2, 64] reduction (%r) in [32] <sum> : !s {
      %e = loop.load %c[%p * 32 + 31 - %r, %j] : !t
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %c, %s : !t, !s
  }
  return %r#0, %r#1 : !t, !s
}

// -----

!t = tensor<64x64xbf16>
!s = tensor<2x64xf64>
func.func @many(%x: !t) -> (!t, !s, !s, !s, !s, !s) {
  // expected-error @below {{whose sums of a column have 32 bytes at most, but found 40}}
  %r:6 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !s, !s, !s, !s, !s) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %s:5 = loop.reduce parallel (%p, %j) in [2, 64] reduction (%r) in [32] <sum, sum, sum, sum, sum> : !s, !s, !s, !s, !s {
      %e = loop.load %c[%p * 32 + %r, %j] : !t
      %f = arith.extf %e : bf16 to f64
      loop.yield %f, %f, %f, %f, %f : f64, f64, f64, f64, f64
    }
    loop.return %c, %s#0, %s#1, %s#2, %s#3, %s#4 : !t, !s, !s, !s, !s, !s
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : !t, !s, !s, !s, !s, !s
}

// -----

!t = tensor<64x64xbf16>
func.func @turned(%x: !t) -> (!t, !t) {
  // expected-error @below {{whose product is followed by nests that read elements at their own point, but one reads others}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !t) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %p = loop.pointwise (%i, %j) in [64, 64] : !t {
      %e = loop.load %c[%j, %i] : !t
      loop.yield %e : bf16
    }
    loop.return %c, %p : !t, !t
  }
  return %r#0, %r#1 : !t, !t
}

// -----

!a = tensor<64x64xbf16>
!c = tensor<64x64x1xbf16>
!d = tensor<4096x1xbf16>
func.func @joined(%x: !a) -> (!c, !d) {
  // expected-error @below {{because a nest that follows its product counts columns in another way}}
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!c, !d) {
    %c = loop.contract parallel [64, 64, 1] reduction [64]
        lhs %a[d0, d3] : !a rhs %a[d3, d1] : !a acc f32 : !c
    %p = loop.pointwise (%i, %j) in [4096, 1] : !d {
      %e = loop.load %c[floordiv(%i, 64), mod(%i, 64), 0] : !c
      loop.yield %e : bf16
    }
    loop.return %c, %p : !c, !d
  }
  return %r#0, %r#1 : !c, !d
}

// -----

!t = tensor<64x64xbf16>
!s = tensor<2x64xf32>
func.func @nowhere(%x: !t) -> (!t, !s) {
  // expected-error @below {{whose sums are of a result that is stored}}
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> (!t, !s) {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
    %p = loop.pointwise (%i, %j) in [64, 64] : !t {
      %e = loop.load %c[%i, %j] : !t
      %f = arith.negf %e : bf16
      loop.yield %f : bf16
    }
    %s = loop.reduce parallel (%p0, %j) in [2, 64] reduction (%r0) in [32] <sum> : !s {
      %e = loop.load %c[%p0 * 32 + %r0, %j] : !t
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %p, %s : !t, !s
  }
  return %r#0, %r#1 : !t, !s
}

// -----

!t = tensor<2x64x7xf32>
!c = tensor<2x7xf32>
func.func @columns(%x: !t) -> !t {
  // expected-error @below {{because 4 lanes do not divide '7'}}
  %r = loop.kernel @k ins(%a = %x : !t) shared [2]
      schedule #loop.gpu_columns<threads = 32, lanes = 4, columns = 4, steps = 8> -> !t {
    %m = loop.reduce parallel (%i, %k) in [2, 7] reduction (%j) in [64] <max> : !c {
      %0 = loop.load %a[%i, %j, %k] : !t
      loop.yield %0 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [2, 64, 7] : !t {
      %0 = loop.load %m[%i, %k] : !c
      loop.yield %0 : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x64xi8>
!r = tensor<64x64xi32>
func.func @units(%x: !t) -> !r {
  // expected-error @below {{whose unit adds up floats, but found 'i32'}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d1, d2] : !t acc i32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

!t = tensor<64x64xi8>
!r = tensor<64x64xi32>
func.func @step(%x: !t) -> !r {
  // expected-error @below {{whose unit takes 32 elements of 'i8' at a time}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d1, d2] : !t acc i32 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

!t = tensor<64x64xf16>
!r = tensor<64x64xf64>
func.func @sums(%x: !t) -> !r {
  // expected-error @below {{whose unit adds up in 'f32', but found 'f64'}}
  %r = loop.kernel @k ins(%a = %x : !t) shared []
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 4, group = 8, split = 1> -> !r {
    %c = loop.contract parallel [64, 64] reduction [64]
        lhs %a[d0, d2] : !t rhs %a[d1, d2] : !t acc f64 : !r
    loop.return %c : !r
  }
  return %r : !r
}

// -----

// Only elements of 16 bits are transposed for warpgroups.
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @across(%x: tensor<128x128xi8>) -> tensor<128x128xi32> {
    // expected-error @below {{whose unit takes 'i8' along the sum}}
    %r = loop.kernel @k ins(%a = %x : tensor<128x128xi8>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 64, sum = 128, part_rows = 64, part_columns = 64, stages = 2, lanes = 4, group = 8, split = 1> -> tensor<128x128xi32> {
      %c = loop.contract parallel [128, 128] reduction [128]
          lhs %a[d0, d2] : tensor<128x128xi8> rhs %a[d2, d1] : tensor<128x128xi8> acc i32 : tensor<128x128xi32>
      loop.return %c : tensor<128x128xi32>
    }
    return %r : tensor<128x128xi32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @signs(%x: tensor<128x128xi8>, %y: tensor<128x128xui8>) -> tensor<128x128xi32> {
    // expected-error @below {{whose unit multiplies bytes with a sign, or without one}}
    %r = loop.kernel @k ins(%a = %x : tensor<128x128xi8>, %b = %y : tensor<128x128xui8>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 64, sum = 128, part_rows = 64, part_columns = 64, stages = 2, lanes = 4, group = 8, split = 1> -> tensor<128x128xi32> {
      %c = loop.contract parallel [128, 128] reduction [128]
          lhs %a[d0, d2] : tensor<128x128xi8> rhs %b[d1, d2] : tensor<128x128xui8> acc i32 : tensor<128x128xi32>
      loop.return %c : tensor<128x128xi32>
    }
    return %r : tensor<128x128xi32>
  }
}
