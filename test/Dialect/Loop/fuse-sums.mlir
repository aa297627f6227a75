// RUN: kiln-opt %s --loop-set-target="chip=sm_90a l2-bytes=52428800" --loop-choose-schedule --loop-fuse-sums --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a l2-bytes=52428800" --loop-choose-schedule --loop-fuse-sums --split-input-file --remarks-filter=loop-fuse-sums 2>&1 | FileCheck %s --check-prefix=WHY

// The gradient of a bias, behind a product whose rows are two dimensions of its result. Both
// readers of the result stay; what is left of the sum is one function.

// WHY: remark: [Passed] fused | Category:loop-fuse-sums | Function=bias | kernel=product, rows=192
// CHECK-LABEL: func.func @bias
// CHECK: %[[Y:.*]]:2 = loop.kernel @product
// CHECK-SAME: shared [] {{.*}}#loop.gpu_product<unit = wgmma, rows = 192,
// CHECK-SAME: -> (tensor<8x512x3072xbf16>, tensor<22x3072xf32>)
// CHECK: %[[C:.*]] = loop.contract
// CHECK: %[[S:.*]] = loop.reduce parallel (%i, %j) in [22, 3072] reduction (%k) in [192] <sum> : tensor<22x3072xf32> {
// CHECK: %[[B:.*]] = loop.index (lt(%i * 192 + %k, 4096))
// CHECK: %[[M:.*]] = arith.cmpi ne, %[[B]]
// CHECK: %[[E:.*]] = loop.load %[[C]][floordiv(%i * 192 + %k, 512), mod(%i * 192 + %k, 512), %j] mask %[[M]]
// CHECK: %[[F:.*]] = arith.extf %[[E]] : bf16 to f32
// CHECK: %[[V:.*]] = arith.select %[[M]], %[[F]]
// CHECK: loop.yield %[[V]] : f32
// CHECK: loop.return %[[C]], %[[S]]
// CHECK: loop.kernel @negated ins(%{{.*}} = %[[Y]]#0
// CHECK: loop.kernel @bias ins(%{{.*}} = %[[Y]]#1 : tensor<22x3072xf32>) shared [3072]
// CHECK-SAME: #loop.gpu_parts<threads = 128, lanes = 1, parts = 1, columns = 16>
// CHECK: loop.reduce parallel (%i) in [3072] reduction (%j) in [22] <sum> : tensor<3072xbf16>
!x = tensor<8x512x768xbf16>
!w = tensor<768x3072xbf16>
!y = tensor<8x512x3072xbf16>
func.func @bias(%x: !x, %w: !w) -> (!y, tensor<3072xbf16>) {
  %y = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [8, 512, 3072]
      schedule #loop.gpu_product<unit = wgmma, rows = 192, columns = 192, sum = 64, part_rows = 64, part_columns = 192,
                                 stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> !y {
    %c = loop.contract parallel [8, 512, 3072] reduction [768]
        lhs %a[d0, d1, d3] : !x rhs %b[d3, d2] : !w acc f32 : !y
    loop.return %c : !y
  }
  %n = loop.kernel @negated ins(%a = %y : !y) shared [8, 512, 3072] -> !y {
    %p = loop.pointwise (%i, %j, %k) in [8, 512, 3072] : !y {
      %e = loop.load %a[%i, %j, %k] : !y
      %f = arith.negf %e : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !y
  }
  %s = loop.kernel @bias ins(%a = %y : !y) shared [3072] -> tensor<3072xbf16> {
    %s = loop.reduce parallel (%i) in [3072] reduction (%j) in [4096] <sum> : tensor<3072xbf16> {
      %e = loop.load %a[floordiv(%j, 512), mod(%j, 512), %i] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %s : tensor<3072xbf16>
  }
  return %n, %s : !y, tensor<3072xbf16>
}

// -----

// The statistics of a batch norm behind a convolution, of f64, and what follows them. Tiles
// divide its rows, so that nothing is masked. What is of a channel is read by the product. What
// a sum says of its terms stays.

// WHY-COUNT-2: remark: [Passed] fused | Category:loop-fuse-sums | Function=statistics | kernel=convolution, rows=128
// CHECK-LABEL: func.func @statistics
// CHECK: %[[Y:.*]]:3 = loop.kernel @convolution ins(%{{.*}}, %{{.*}}, %[[M:.*]] = %{{.*}} : tensor<64xf32>) shared []
// CHECK-SAME: -> (tensor<16x32x32x64xbf16>, tensor<128x64xf64>, tensor<128x64xf64>)
// CHECK: loop.reduce parallel (%i, %j) in [128, 64] reduction (%k) in [128] <sum> attributes {kiln.short_sums} : tensor<128x64xf64> {
// CHECK-NEXT: loop.load %{{.*}}[floordiv(%i * 128 + %k, 1024), mod(%i * 4 + floordiv(%k, 32), 32), mod(%k, 32), %j] : tensor<16x32x32x64xbf16>
// CHECK: loop.reduce parallel (%i, %j) in [128, 64] reduction (%k) in [128] <sum> : tensor<128x64xf64> {
// CHECK: loop.load %[[M]][%j]
// CHECK: loop.kernel @statistics
// CHECK-SAME: shared [64]
// CHECK-SAME: #loop.gpu_parts<threads = 128, lanes = 1, parts = 1, columns = 4>
// CHECK-COUNT-2: loop.reduce parallel (%i) in [64] reduction (%j) in [128] <sum> : tensor<64xf64>
// CHECK: loop.pointwise (%i) in [64]
!x = tensor<16x32x32x64xbf16>
!w = tensor<64x3x3x64xbf16>
!m = tensor<64xf32>
!s = tensor<64xf64>
func.func @statistics(%x: !x, %w: !w, %o: !m) -> (!x, !s) {
  %y = loop.kernel @convolution ins(%a = %x : !x, %b = %w : !w) shared [16, 32, 32, 64]
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 64, sum = 64, part_rows = 64, part_columns = 64,
                                 stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> !x {
    %c = loop.contract parallel [16, 32, 32, 64] reduction [3, 3, 64]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !x
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 33)), and(le(1, d2 + d5), lt(d2 + d5, 33)))
        rhs %b[d3, d4, d5, d6] : !w mask 1 acc f32 : !x
    loop.return %c : !x
  }
  %s = loop.kernel @statistics ins(%a = %y : !x, %m = %o : !m) shared [64] -> !s {
    %s = loop.reduce parallel (%i) in [64] reduction (%j, %k, %l) in [16, 32, 32] <sum>
        attributes {kiln.short_sums} : !s {
      %e = loop.load %a[%j, %k, %l, %i] : !x
      %f = arith.extf %e : bf16 to f64
      loop.yield %f : f64
    }
    %q = loop.reduce parallel (%i) in [64] reduction (%j, %k, %l) in [16, 32, 32] <sum> : !s {
      %e = loop.load %a[%j, %k, %l, %i] : !x
      %f = arith.extf %e : bf16 to f64
      %t = loop.load %m[%i] : !m
      %p = arith.extf %t : f32 to f64
      %d = arith.subf %f, %p : f64
      %g = arith.mulf %d, %d : f64
      loop.yield %g : f64
    }
    %v = loop.pointwise (%i) in [64] : !s {
      %u = loop.load %s[%i] : !s
      %h = loop.load %q[%i] : !s
      %d = arith.subf %h, %u : f64
      loop.yield %d : f64
    }
    loop.return %v : !s
  }
  return %y, %s : !x, !s
}

// -----

// A sum that reads other large operands reads the product's result with them, and so does
// the one beside it.

// WHY: remark: [Missed] not-fused | Category:loop-fuse-sums | Function=others | Reason="rows have more than what the product makes of them", kernel=sums
// CHECK-LABEL: func.func @others
// CHECK: loop.kernel @product
// CHECK-SAME: -> tensor<4096x1024xbf16> {
// CHECK: reduction (%j) in [4096] <sum>
!x = tensor<4096x512xbf16>
!w = tensor<512x1024xbf16>
!y = tensor<4096x1024xbf16>
!s = tensor<1024xf32>
func.func @others(%x: !x, %w: !w, %z: !y) -> (!y, !s, !s) {
  %y = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [4096, 1024] -> !y {
    %c = loop.contract parallel [4096, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !y
    loop.return %c : !y
  }
  %s:2 = loop.kernel @sums ins(%a = %y : !y, %b = %z : !y) shared [1024] -> (!s, !s) {
    %s = loop.reduce parallel (%i) in [1024] reduction (%j) in [4096] <sum> : !s {
      %e = loop.load %a[%j, %i] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %t = loop.reduce parallel (%i) in [1024] reduction (%j) in [4096] <sum> : !s {
      %e = loop.load %a[%j, %i] : !y
      %f = arith.extf %e : bf16 to f32
      %g = loop.load %b[%j, %i] : !y
      %h = arith.extf %g : bf16 to f32
      %p = arith.mulf %f, %h : f32
      loop.yield %p : f32
    }
    loop.return %s, %t : !s, !s
  }
  return %y, %s#0, %s#1 : !y, !s, !s
}

// -----

// An element of another row is another block's.

// WHY: remark: [Missed] not-fused | Category:loop-fuse-sums | Function=distances | Reason="it reads other elements of its product than those of its column, row by row", kernel=sums
// CHECK-LABEL: func.func @distances
// CHECK: reduction (%j) in [4096] <sum>
!x = tensor<4096x512xbf16>
!w = tensor<512x1024xbf16>
!y = tensor<4096x1024xbf16>
!s = tensor<1024xf32>
func.func @distances(%x: !x, %w: !w) -> (!y, !s) {
  %y = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [4096, 1024] -> !y {
    %c = loop.contract parallel [4096, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !y
    loop.return %c : !y
  }
  %s = loop.kernel @sums ins(%a = %y : !y) shared [1024] -> !s {
    %s = loop.reduce parallel (%i) in [1024] reduction (%j) in [4096] <sum> : !s {
      %e = loop.load %a[%j, %i] : !y
      %f = arith.extf %e : bf16 to f32
      %g = loop.load %a[0, %i] : !y
      %h = arith.extf %g : bf16 to f32
      %d = arith.subf %f, %h : f32
      loop.yield %d : f32
    }
    loop.return %s : !s
  }
  return %y, %s : !y, !s
}

// -----

// A product whose sum is in parts finishes no tile. Of little nothing is gained.

// WHY: remark: [Missed] not-fused | Category:loop-fuse-sums | Function=split | Reason="its product is not made in tiles of one matrix of 16 bits", kernel=sums
// WHY: remark: [Missed] not-fused | Category:loop-fuse-sums | Function=split | Reason="too few bytes are read again", kernel=few_sums
// CHECK-LABEL: func.func @split
// CHECK: reduction (%j) in [1024] <sum>
// CHECK: reduction (%j) in [512] <sum>
!x = tensor<65536x1024xbf16>
!w = tensor<65536x512xbf16>
!y = tensor<1024x512xbf16>
!s = tensor<512xf32>
!a = tensor<512x128xbf16>
!b = tensor<128x512xbf16>
!c = tensor<512x512xbf16>
func.func @split(%x: !x, %w: !w, %u: !a, %v: !b) -> (!y, !s, !c, !s) {
  %y = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [1024, 512]
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 4, blocks = 132> -> !y {
    %c = loop.contract parallel [1024, 512] reduction [65536]
        lhs %a[d2, d0] : !x rhs %b[d2, d1] : !w acc f32 : !y
    loop.return %c : !y
  }
  %s = loop.kernel @sums ins(%a = %y : !y) shared [512] -> !s {
    %s = loop.reduce parallel (%i) in [512] reduction (%j) in [1024] <sum> : !s {
      %e = loop.load %a[%j, %i] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %s : !s
  }
  %z = loop.kernel @few ins(%a = %u : !a, %b = %v : !b) shared [512, 512]
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> !c {
    %c = loop.contract parallel [512, 512] reduction [128]
        lhs %a[d0, d2] : !a rhs %b[d2, d1] : !b acc f32 : !c
    loop.return %c : !c
  }
  %t = loop.kernel @few_sums ins(%a = %z : !c) shared [512] -> !s {
    %q = loop.reduce parallel (%i) in [512] reduction (%j) in [512] <sum> : !s {
      %e = loop.load %a[%j, %i] : !c
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %q : !s
  }
  return %y, %s, %z, %t : !y, !s, !c, !s
}
