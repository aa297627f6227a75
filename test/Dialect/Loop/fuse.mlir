// RUN: kiln-opt %s --loop-inline-virtual --loop-fuse --loop-share-rows --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse=fuse=false --split-input-file | FileCheck %s --check-prefix=UNFUSED
// RUN: kiln-opt %s --loop-inline-virtual --loop-fuse --loop-share-rows --split-input-file -o /dev/null --remarks-filter='loop-(fuse|share-rows)' 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --loop-fuse=epilogues=false --split-input-file | FileCheck %s --check-prefix=EPILOGUES
// RUN: kiln-opt %s --loop-fuse=vertical=false --split-input-file --remarks-filter=loop-fuse 2>&1 | FileCheck %s --check-prefix=VERTICAL
// RUN: kiln-opt %s --loop-fuse=horizontal=false --split-input-file --remarks-filter=loop-fuse 2>&1 | FileCheck %s --check-prefix=HORIZONTAL

// The tail of attention: exp is inlined into its two readers, sum and quotient
// become one kernel of rows, and the row of exp is computed once in front.

!s = tensor<?x4x4xf32, #guard.shape<[s77, 4, 4]>>
!r = tensor<?x4x1xf32, #guard.shape<[s77, 4, 1]>>
guard.symbol @s77 range [2, 64] hint 16

// CHECK-LABEL: func.func @softmax_tail
// REMARK: remark: [Analysis] candidate | Category:loop-fuse | Function=softmax_tail | group=op0, nests="Reduction([4], sum, origins=[sum_1, exp])", round=1
// REMARK: remark: [Analysis] candidate | Category:loop-fuse | Function=softmax_tail | group=op1, nests="Pointwise([s77, 4, 4], origins=[div, exp])", round=1
// REMARK: remark: [Passed] fused | Category:loop-fuse | Function=softmax_tail | first=op0, round=1, second=op1
// REMARK: remark: [Passed] round | Category:loop-fuse | Function=softmax_tail | after=1, before=2, round=1
// REMARK: remark: [Analysis] kernel | Category:loop-fuse | Function=softmax_tail | group=op0_op1, kernel=fused_sum_1_exp_div_0, nests=2
// REMARK: remark: [Passed] shared | Category:loop-share-rows | Function=softmax_tail | cost={{[0-9]+}}, kernel=fused_sum_1_exp_div_0
// CHECK: loop.kernel @fused_sum_1_exp_div_0 ins(%[[X:.*]] = %{{.*}} : tensor<?x4x4xf32, #guard.shape<[s77, 4, 4]>>) shared [s77, 4]
// CHECK-SAME: traffic #loop.traffic<read = 1024, written = 1024, unfused = 3584>
// CHECK: %[[E:.*]] = loop.pointwise
// CHECK: math.exp
// CHECK: %[[Z:.*]] = loop.reduce
// CHECK: loop.load %[[E]]
// CHECK-NOT: math.exp
// CHECK: loop.pointwise
// CHECK: loop.load %[[E]]
// CHECK: loop.load %[[Z]]
// CHECK: arith.divf
// CHECK-NOT: loop.kernel
// UNFUSED-COUNT-3: loop.kernel
// VERTICAL: not-fused {{.*}} Function=softmax_tail | Reason="'vertical' is off", first=op0, second=op1
// VERTICAL-LABEL: func.func @softmax_tail
// VERTICAL-COUNT-3: loop.kernel
// VERTICAL: return
func.func @softmax_tail(%scores: !s) -> !s {
  %e = loop.pointwise (%b, %i, %j) in [s77, 4, 4] origins ["exp"] : !s {
    %x = loop.load %scores[%b, %i, %j] : !s
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %z = loop.reduce parallel (%b, %i, %o) in [s77, 4, 1] reduction (%j) in [4]
      <sum> origins ["sum_1"] : !r {
    %x = loop.load %e[%b, %i, %j] : !s
    loop.yield %x : f32
  }
  %p = loop.pointwise (%b, %i, %j) in [s77, 4, 4] origins ["div"] : !s {
    %x = loop.load %e[%b, %i, %j] : !s
    %w = loop.load %z[%b, %i, 0] : !r
    %y = arith.divf %x, %w : f32
    loop.yield %y : f32
  }
  return %p : !s
}

// -----

// A sum over rows and its quotient share no outer extent.

// CHECK-LABEL: func.func @columns
// REMARK: remark: [Missed] not-fused | Category:loop-fuse | Function=columns | Reason="no shared outer extents", first=op0, second=op1
// CHECK-COUNT-2: loop.kernel
func.func @columns(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %z = loop.reduce parallel (%j) in [1024] reduction (%i) in [64] <sum>
      : tensor<1024xf32> {
    %v = loop.load %x[%i, %j] : tensor<64x1024xf32>
    loop.yield %v : f32
  }
  %p = loop.pointwise (%i, %j) in [64, 1024] : tensor<64x1024xf32> {
    %v = loop.load %x[%i, %j] : tensor<64x1024xf32>
    %w = loop.load %z[%j] : tensor<1024xf32>
    %y = arith.divf %v, %w : f32
    loop.yield %y : f32
  }
  return %p : tensor<64x1024xf32>
}

// -----

// Independent nests that read the same tensor at the same place.

// HORIZONTAL: not-fused {{.*}} Function=horizontal | Reason="'horizontal' is off", first=op0, second=op1
// HORIZONTAL-LABEL: func.func @horizontal
// HORIZONTAL-COUNT-2: loop.kernel
// HORIZONTAL: return
// CHECK-LABEL: func.func @horizontal
// CHECK: loop.kernel @{{.*}} ins(%{{.*}} = %{{.*}} : tensor<64xf32>) shared [64]{{.*}} -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NOT: loop.kernel
func.func @horizontal(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = loop.pointwise (%i) in [64] : tensor<64xf32> {
    %v = loop.load %x[%i] : tensor<64xf32>
    %y = math.sin %v : f32
    loop.yield %y : f32
  }
  %b = loop.pointwise (%i) in [64] : tensor<64xf32> {
    %v = loop.load %x[%i] : tensor<64xf32>
    %y = math.cos %v : f32
    loop.yield %y : f32
  }
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// -----

// The bias and activation after a product move into its epilogue.

// REMARK: remark: [Passed] epilogue | Category:loop-fuse | Function=epilogue | contraction="Contraction([8, 16], [32], origins=[])", nest="Pointwise([8, 16], origins=[])"
// EPILOGUES-LABEL: func.func @epilogue
// EPILOGUES-NOT: epilogue (
// EPILOGUES: loop.pointwise
// EPILOGUES: return
// CHECK-LABEL: func.func @epilogue
// CHECK: loop.contract {{.*}} epilogue (%[[ACC:.*]], %{{.*}}, %{{.*}}) {
// CHECK: arith.maximumf %[[ACC]]
// CHECK-NOT: loop.pointwise
func.func @epilogue(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>)
    -> tensor<8x16xf32> {
  %c = loop.contract parallel [8, 16] reduction [32]
      lhs %a[d0, d2] : tensor<8x32xf32> rhs %b[d2, d1] : tensor<32x16xf32>
      acc f32 : tensor<8x16xf32>
  %r = loop.pointwise (%i, %j) in [8, 16] : tensor<8x16xf32> {
    %v = loop.load %c[%i, %j] : tensor<8x16xf32>
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %v, %zero : f32
    loop.yield %y : f32
  }
  return %r : tensor<8x16xf32>
}

// -----

// A product that leaves as it is takes no epilogue.

// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=no_epilogue | Reason="the product leaves the kernels", contraction="Contraction([8, 16], [32], origins=[])"
// CHECK-LABEL: func.func @no_epilogue
// CHECK-COUNT-2: loop.kernel
func.func @no_epilogue(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c = loop.contract parallel [8, 16] reduction [32]
      lhs %a[d0, d2] : tensor<8x32xf32> rhs %b[d2, d1] : tensor<32x16xf32>
      acc f32 : tensor<8x16xf32>
  %r = loop.pointwise (%i, %j) in [8, 16] : tensor<8x16xf32> {
    %v = loop.load %c[%i, %j] : tensor<8x16xf32>
    %y = math.exp %v : f32
    loop.yield %y : f32
  }
  return %c, %r : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// Edge cases: no dimensions, size 0.

// CHECK-LABEL: func.func @edges
// CHECK-DAG: loop.kernel @{{.*}} shared []
// CHECK-DAG: loop.kernel @{{.*}} shared [0]
func.func @edges(%x: tensor<f32>, %y: tensor<0xf32>)
    -> (tensor<f32>, tensor<0xf32>) {
  %a = loop.pointwise () in [] : tensor<f32> {
    %v = loop.load %x[] : tensor<f32>
    %n = arith.negf %v : f32
    loop.yield %n : f32
  }
  %b = loop.pointwise (%i) in [0] : tensor<0xf32> {
    %v = loop.load %y[%i] : tensor<0xf32>
    %n = arith.negf %v : f32
    loop.yield %n : f32
  }
  return %a, %b : tensor<f32>, tensor<0xf32>
}

// -----

// The statistics of a batch norm: where an extent is 1 the index is written as 0, and is
// the point of the reader all the same.

// CHECK-LABEL: func.func @statistics
// CHECK: loop.kernel {{.*}} shared [1, 4, 1]
// CHECK: %[[M:.*]] = loop.reduce parallel (%i, %j, %k) in [1, 4, 1] reduction (%l, %m) in [3, 8] <sum>
// CHECK: loop.reduce parallel (%i, %j, %k) in [1, 4, 1] reduction (%l, %m) in [3, 8] <sum>
// CHECK: loop.load %[[M]][%i, %j, %k]
// CHECK-NOT: loop.kernel
func.func @statistics(%x: tensor<3x4x8xf32>) -> tensor<1x4x1xf32> {
  %m = loop.reduce parallel (%o, %c, %p) in [1, 4, 1] reduction (%n, %i) in [3, 8] <sum> : tensor<1x4x1xf32> {
    %e = loop.load %x[%n, %c, %i] : tensor<3x4x8xf32>
    loop.yield %e : f32
  }
  %v = loop.reduce parallel (%o, %c, %p) in [1, 4, 1] reduction (%n, %i) in [3, 8] <sum> : tensor<1x4x1xf32> {
    %e = loop.load %x[%n, %c, %i] : tensor<3x4x8xf32>
    %t = loop.load %m[0, %c, 0] : tensor<1x4x1xf32>
    %d = arith.subf %e, %t : f32
    %s = arith.mulf %d, %d : f32
    loop.yield %s : f32
  }
  return %v : tensor<1x4x1xf32>
}

// -----

// A near miss: the first of two.

// CHECK-LABEL: func.func @first_of_two
// CHECK-COUNT-2: loop.kernel
func.func @first_of_two(%x: tensor<3x4x2x8xf32>) -> tensor<2x4xf32> {
  %m = loop.reduce parallel (%o, %c) in [2, 4] reduction (%n, %i) in [3, 8] <sum> : tensor<2x4xf32> {
    %e = loop.load %x[%n, %c, %o, %i] : tensor<3x4x2x8xf32>
    loop.yield %e : f32
  }
  %v = loop.reduce parallel (%o, %c) in [2, 4] reduction (%n, %i) in [3, 8] <sum> : tensor<2x4xf32> {
    %e = loop.load %x[%n, %c, %o, %i] : tensor<3x4x2x8xf32>
    %t = loop.load %m[0, %c] : tensor<2x4xf32>
    %d = arith.subf %e, %t : f32
    %s = arith.mulf %d, %d : f32
    loop.yield %s : f32
  }
  return %v : tensor<2x4xf32>
}

// -----

// Heads that were counted before the rows are written as columns of their row, as they are
// read; what reads that in turn finds it there.

// REMARK: remark: [Passed] epilogue | Category:loop-fuse | Function=heads
// CHECK-LABEL: func.func @heads
// CHECK-SAME: (%[[A:[^:]*]]: tensor<6x4x16xbf16>, %[[B:[^:]*]]: tensor<6x16x8xbf16>
// CHECK: %[[H:.*]] = loop.kernel {{.*}} ins(%[[X:.*]] = %[[A]] : tensor<6x4x16xbf16>, %[[Y:.*]] = %[[B]]
// CHECK: loop.contract parallel [2, 4, 3, 8] reduction [16] lhs %[[X]][d0 * 3 + d2, d1, d4] : {{.*}} rhs %[[Y]][d0 * 3 + d2, d4, d3] : {{.*}} epilogue (%[[ACC:.*]], %[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) {
// CHECK: arith.truncf %[[ACC]] : f32 to bf16
// CHECK: loop.kernel {{.*}} ins(%[[Z:.*]] = %[[H]] : tensor<2x4x3x8xbf16>
// CHECK: loop.contract parallel [8, 32] reduction [24] lhs %[[Z]][floordiv(d0, 4), mod(d0, 4), floordiv(d2, 8), mod(d2, 8)]
func.func @heads(%a: tensor<6x4x16xbf16>, %b: tensor<6x16x8xbf16>, %w: tensor<32x24xbf16>)
    -> tensor<8x32xf32> {
  %c = loop.contract parallel [6, 4, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x4x16xbf16>
      rhs %b[d0, d3, d2] : tensor<6x16x8xbf16> acc f32 : tensor<6x4x8xf32>
  %r = loop.pointwise (%i, %j) in [8, 24] : tensor<8x24xbf16> {
    %x = loop.load %c[floordiv(%i, 4) * 3 + floordiv(%j, 8), mod(%i, 4), mod(%j, 8)] : tensor<6x4x8xf32>
    %y = arith.truncf %x : f32 to bf16
    loop.yield %y : bf16
  }
  %o = loop.contract parallel [8, 32] reduction [24] lhs %r[d0, d2] : tensor<8x24xbf16>
      rhs %w[d1, d2] : tensor<32x24xbf16> acc f32 : tensor<8x32xf32>
  return %o : tensor<8x32xf32>
}

// -----

// Neighbours of a product are not stored apart, and not what is read twice or not at all.

// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=across | Reason="the product is read in another order"
// CHECK-LABEL: func.func @across
// CHECK: loop.contract parallel [6, 16]
// CHECK: loop.pointwise
// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=twice | Reason="the product is read in another order"
// CHECK-LABEL: func.func @twice
// CHECK: loop.contract parallel [6, 16]
// CHECK: loop.pointwise
// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=parted | Reason="the product is read in another order"
// CHECK-LABEL: func.func @parted
// CHECK: loop.contract parallel [8, 24]
// CHECK: loop.pointwise
func.func @across(%a: tensor<6x32xf32>, %b: tensor<32x16xf32>) -> tensor<4x24xf32> {
  %c = loop.contract parallel [6, 16] reduction [32] lhs %a[d0, d2] : tensor<6x32xf32>
      rhs %b[d2, d1] : tensor<32x16xf32> acc f32 : tensor<6x16xf32>
  %r = loop.pointwise (%i, %j) in [4, 24] : tensor<4x24xf32> {
    %x = loop.load %c[mod(%j, 6), %i * 4 + floordiv(%j, 6)] : tensor<6x16xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  return %r : tensor<4x24xf32>
}

func.func @twice(%a: tensor<6x32xf32>, %b: tensor<32x16xf32>) -> tensor<4x24xf32> {
  %c = loop.contract parallel [6, 16] reduction [32] lhs %a[d0, d2] : tensor<6x32xf32>
      rhs %b[d2, d1] : tensor<32x16xf32> acc f32 : tensor<6x16xf32>
  %r = loop.pointwise (%i, %j) in [4, 24] : tensor<4x24xf32> {
    %x = loop.load %c[mod(%i, 2) * 3 + floordiv(%j, 8), mod(%j, 8)] : tensor<6x16xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  return %r : tensor<4x24xf32>
}

// Rows and columns of one product that come apart to heads stay one product.
func.func @parted(%a: tensor<8x32xf32>, %b: tensor<32x24xf32>) -> tensor<2x3x4x8xf32> {
  %c = loop.contract parallel [8, 24] reduction [32] lhs %a[d0, d2] : tensor<8x32xf32>
      rhs %b[d2, d1] : tensor<32x24xf32> acc f32 : tensor<8x24xf32>
  %r = loop.pointwise (%n, %h, %i, %k) in [2, 3, 4, 8] : tensor<2x3x4x8xf32> {
    %x = loop.load %c[%n * 4 + %i, %h * 8 + %k] : tensor<8x24xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  return %r : tensor<2x3x4x8xf32>
}

// -----

// A product of what rows make counts the matrices as they do: with these it may become one
// kernel.

// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=made | Reason="the product is read in another order"
// CHECK-LABEL: func.func @made
// CHECK: loop.contract parallel [6, 4, 8] reduction [16] lhs %{{.*}}[d0, d1, d3]
func.func @made(%a: tensor<6x4x16xbf16>, %b: tensor<6x16x8xbf16>, %u: tensor<32x24xbf16>)
    -> tensor<8x32xf32> {
  %s = loop.reduce parallel (%i, %j) in [6, 4] reduction (%k) in [16] <sum> : tensor<6x4xf32> {
    %x = loop.load %a[%i, %j, %k] : tensor<6x4x16xbf16>
    %y = arith.extf %x : bf16 to f32
    loop.yield %y : f32
  }
  %p = loop.pointwise (%i, %j, %k) in [6, 4, 16] : tensor<6x4x16xbf16> {
    %x = loop.load %a[%i, %j, %k] : tensor<6x4x16xbf16>
    %y = loop.load %s[%i, %j] : tensor<6x4xf32>
    %z = arith.truncf %y : f32 to bf16
    %w = arith.divf %x, %z : bf16
    loop.yield %w : bf16
  }
  %c = loop.contract parallel [6, 4, 8] reduction [16] lhs %p[d0, d1, d3] : tensor<6x4x16xbf16>
      rhs %b[d0, d3, d2] : tensor<6x16x8xbf16> acc f32 : tensor<6x4x8xf32>
  %r = loop.pointwise (%i, %j) in [8, 24] : tensor<8x24xbf16> {
    %x = loop.load %c[floordiv(%i, 4) * 3 + floordiv(%j, 8), mod(%i, 4), mod(%j, 8)] : tensor<6x4x8xf32>
    %y = arith.truncf %x : f32 to bf16
    loop.yield %y : bf16
  }
  %o = loop.contract parallel [8, 32] reduction [24] lhs %r[d0, d2] : tensor<8x24xbf16>
      rhs %u[d1, d2] : tensor<32x24xbf16> acc f32 : tensor<8x32xf32>
  return %o : tensor<8x32xf32>
}

// -----

// One that reads zeros instead of elements reads dimensions as they are.

// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=padded | Reason="the product is read in another order"
// CHECK-LABEL: func.func @padded
// CHECK: loop.contract parallel [6, 4, 8]
func.func @padded(%a: tensor<6x4x16xbf16>, %b: tensor<6x16x8xbf16>, %w: tensor<32x24xbf16>)
    -> tensor<8x32xf32> {
  %c = loop.contract parallel [6, 4, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x4x16xbf16>
      rhs %b[d0, d3, d2] : tensor<6x16x8xbf16> acc f32 : tensor<6x4x8xf32>
  %r = loop.pointwise (%i, %j) in [8, 24] : tensor<8x24xbf16> {
    %x = loop.load %c[floordiv(%i, 4) * 3 + floordiv(%j, 8), mod(%i, 4), mod(%j, 8)] : tensor<6x4x8xf32>
    %y = arith.truncf %x : f32 to bf16
    loop.yield %y : bf16
  }
  %o = loop.contract parallel [8, 32] reduction [24] lhs %r[d0 - 1, d2] : tensor<8x24xbf16> mask le(1, d0)
      rhs %w[d1, d2] : tensor<32x24xbf16> mask 1 acc f32 : tensor<8x32xf32>
  return %o : tensor<8x32xf32>
}
