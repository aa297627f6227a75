// RUN: kiln-opt %s --loop-fuse --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse --split-input-file -o /dev/null --remarks-filter=loop-fuse 2>&1 | FileCheck %s --check-prefix=REMARK

// What reads a product in its order under other sizes, in which an operand would come apart,
// is its epilogue all the same: the product keeps its sizes, and what is read with them. For
// a caller a copy has the others.

// REMARK: remark: [Passed] epilogue | Category:loop-fuse | Function=rounded
// CHECK-LABEL: func.func @rounded
// CHECK: %[[P:.*]] = loop.kernel {{.*}} -> tensor<6x2x8xbf16> {
// CHECK: loop.contract parallel [6, 2, 8] reduction [16] lhs %{{.*}}[d0, d1, d3] : {{.*}} rhs %{{.*}}[d0, d3, d2] : {{.*}} epilogue (%[[ACC:[^,]*]],
// CHECK-NEXT: %[[V:.*]] = arith.truncf %[[ACC]] : f32 to bf16
// CHECK-NEXT: loop.yield %[[V]]
// CHECK: %[[R:.*]] = loop.kernel {{.*}} ins(%[[X:.*]] = %[[P]] : tensor<6x2x8xbf16>)
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [2, 6, 1, 8]
// CHECK-NEXT: %[[E:.*]] = loop.load %[[X]][%[[I]] * 3 + floordiv(%[[J]], 2), mod(%[[J]], 2), %{{.*}}%[[L]]]
// CHECK-NEXT: loop.yield %[[E]]
// CHECK-NOT: loop.kernel
// CHECK: return %[[R]]
func.func @rounded(%a: tensor<6x2x16xbf16>, %b: tensor<6x16x8xbf16>) -> tensor<2x6x1x8xbf16> {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xbf16>
      rhs %b[d0, d3, d2] : tensor<6x16x8xbf16> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j, %k, %l) in [2, 6, 1, 8] : tensor<2x6x1x8xbf16> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 2), mod(%j, 2) + %k, %l] : tensor<6x2x8xf32>
    %y = arith.truncf %x : f32 to bf16
    loop.yield %y : bf16
  }
  return %r : tensor<2x6x1x8xbf16>
}

// -----

// Another product reads it with those.

// REMARK: remark: [Passed] epilogue | Category:loop-fuse | Function=read
// CHECK-LABEL: func.func @read
// CHECK: %[[P:.*]] = loop.kernel {{.*}} -> tensor<6x2x8xbf16> {
// CHECK: loop.contract parallel [6, 2, 8] {{.*}} epilogue
// CHECK: loop.kernel {{.*}} ins(%[[X:.*]] = %[[P]] : tensor<6x2x8xbf16>
// CHECK-NEXT: loop.contract parallel [2, 32] reduction [48] lhs %[[X]][d0 * 3 + floordiv(d2, 16), {{.*}}, mod(d2, 8)]
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @read(%a: tensor<6x2x16xbf16>, %b: tensor<6x16x8xbf16>, %w: tensor<32x48xbf16>)
    -> tensor<2x32xf32> {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xbf16>
      rhs %b[d0, d3, d2] : tensor<6x16x8xbf16> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j) in [2, 48] : tensor<2x48xbf16> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 16), mod(floordiv(%j, 8), 2), mod(%j, 8)] : tensor<6x2x8xf32>
    %y = math.exp %x : f32
    %z = arith.truncf %y : f32 to bf16
    loop.yield %z : bf16
  }
  %o = loop.contract parallel [2, 32] reduction [48] lhs %r[d0, d2] : tensor<2x48xbf16>
      rhs %w[d1, d2] : tensor<32x48xbf16> acc f32 : tensor<2x32xf32>
  return %o : tensor<2x32xf32>
}

// -----

// So is what reads something else in that order, and not what would read it in no regular
// steps any more.

// REMARK: remark: [Passed] epilogue | Category:loop-fuse | Function=gated
// CHECK-LABEL: func.func @gated
// CHECK: loop.contract parallel [6, 2, 8] {{.*}} epilogue (%[[ACC:[^,]*]], %[[I:.*]], %[[J:.*]], %[[K:.*]]) {
// CHECK-NEXT: %[[G:.*]] = loop.load %{{.*}}[floordiv(%[[I]] * 2 + %[[J]], 6), mod(%[[I]] * 2 + %[[J]], 6), %[[K]]] : tensor<2x6x8xf32>
// CHECK-NEXT: arith.mulf %[[ACC]], %[[G]]
// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=biased | Reason="its operands would not be read along straight lines"
// CHECK-LABEL: func.func @biased
// CHECK: loop.contract parallel [6, 2, 8]
// CHECK-NOT: epilogue
// CHECK: loop.pointwise {{.*}} in [2, 6, 8]
func.func @gated(%a: tensor<6x2x16xf32>, %b: tensor<6x16x8xf32>, %g: tensor<2x6x8xf32>)
    -> tensor<2x6x8xf32> {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xf32>
      rhs %b[d0, d3, d2] : tensor<6x16x8xf32> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j, %k) in [2, 6, 8] : tensor<2x6x8xf32> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 2), mod(%j, 2), %k] : tensor<6x2x8xf32>
    %y = loop.load %g[%i, %j, %k] : tensor<2x6x8xf32>
    %z = arith.mulf %x, %y : f32
    loop.yield %z : f32
  }
  return %r : tensor<2x6x8xf32>
}

func.func @biased(%a: tensor<6x2x16xf32>, %b: tensor<6x16x8xf32>, %g: tensor<6x8xf32>)
    -> tensor<2x6x8xf32> {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xf32>
      rhs %b[d0, d3, d2] : tensor<6x16x8xf32> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j, %k) in [2, 6, 8] : tensor<2x6x8xf32> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 2), mod(%j, 2), %k] : tensor<6x2x8xf32>
    %y = loop.load %g[%j, %k] : tensor<6x8xf32>
    %z = arith.addf %x, %y : f32
    loop.yield %z : f32
  }
  return %r : tensor<2x6x8xf32>
}

// -----

// Whose result a caller has and a nest reads, too, and one with rows that other nests share,
// has its own sizes.

// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=both | Reason="its operands would not be read along straight lines"
// CHECK-LABEL: func.func @both
// CHECK: loop.contract parallel [6, 2, 8]
// CHECK-NOT: epilogue
// CHECK: loop.pointwise {{.*}} in [2, 6, 8]
// REMARK: remark: [Missed] no-epilogue | Category:loop-fuse | Function=rows | Reason="its operands would not be read along straight lines"
// CHECK-LABEL: func.func @rows
// CHECK: loop.contract parallel [6, 2, 8]
// CHECK-NOT: epilogue
// CHECK: loop.kernel {{.*}} shared [2]
// CHECK: loop.pointwise {{.*}} in [2, 48]
// CHECK: loop.reduce
// CHECK: loop.pointwise {{.*}} in [2, 48]
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @both(%a: tensor<6x2x16xf32>, %b: tensor<6x16x8xf32>, %w: tensor<8x4xf32>)
    -> (tensor<2x6x8xf32>, tensor<12x4xf32>) {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xf32>
      rhs %b[d0, d3, d2] : tensor<6x16x8xf32> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j, %k) in [2, 6, 8] : tensor<2x6x8xf32> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 2), mod(%j, 2), %k] : tensor<6x2x8xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %o = loop.contract parallel [12, 4] reduction [8] lhs %r[floordiv(d0, 6), mod(d0, 6), d2] : tensor<2x6x8xf32>
      rhs %w[d2, d1] : tensor<8x4xf32> acc f32 : tensor<12x4xf32>
  return %r, %o : tensor<2x6x8xf32>, tensor<12x4xf32>
}

func.func @rows(%a: tensor<6x2x16xf32>, %b: tensor<6x16x8xf32>) -> tensor<2x48xf32> {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xf32>
      rhs %b[d0, d3, d2] : tensor<6x16x8xf32> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j) in [2, 48] : tensor<2x48xf32> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 16), mod(floordiv(%j, 8), 2), mod(%j, 8)] : tensor<6x2x8xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %s = loop.reduce parallel (%i) in [2] reduction (%j) in [48] <sum> : tensor<2xf32> {
    %x = loop.load %r[%i, %j] : tensor<2x48xf32>
    loop.yield %x : f32
  }
  %o = loop.pointwise (%i, %j) in [2, 48] : tensor<2x48xf32> {
    %x = loop.load %r[%i, %j] : tensor<2x48xf32>
    %y = loop.load %s[%i] : tensor<2xf32>
    %z = arith.divf %x, %y : f32
    loop.yield %z : f32
  }
  return %o : tensor<2x48xf32>
}

// -----

// Heads that a caller has as columns of a row are written in that order, by their sizes.

// REMARK: remark: [Passed] epilogue | Category:loop-fuse | Function=heads
// CHECK-LABEL: func.func @heads
// CHECK: %[[P:.*]] = loop.kernel {{.*}} -> tensor<2x4x3x8xbf16> {
// CHECK: loop.contract parallel [2, 4, 3, 8] reduction [16] {{.*}} epilogue (%[[ACC:[^,]*]],
// CHECK-NEXT: arith.truncf %[[ACC]] : f32 to bf16
// CHECK: loop.kernel {{.*}} ins(%[[X:.*]] = %[[P]] : tensor<2x4x3x8xbf16>)
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [2, 4, 24]
// CHECK-NEXT: %[[E:.*]] = loop.load %[[X]][%[[I]], %[[J]], floordiv(%[[K]], 8), mod(%[[K]], 8)]
// CHECK-NEXT: loop.yield %[[E]]
func.func @heads(%a: tensor<6x4x16xbf16>, %b: tensor<6x16x8xbf16>) -> tensor<2x4x24xbf16> {
  %c = loop.contract parallel [6, 4, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x4x16xbf16>
      rhs %b[d0, d3, d2] : tensor<6x16x8xbf16> acc f32 : tensor<6x4x8xf32>
  %r = loop.pointwise (%n, %i, %j) in [2, 4, 24] : tensor<2x4x24xbf16> {
    %x = loop.load %c[%n * 3 + floordiv(%j, 8), %i, mod(%j, 8)] : tensor<6x4x8xf32>
    %y = arith.truncf %x : f32 to bf16
    loop.yield %y : bf16
  }
  return %r : tensor<2x4x24xbf16>
}

// -----

// A copy that only gives other sizes stays what it is.

// CHECK-LABEL: func.func @copied
// CHECK: loop.contract parallel [6, 2, 8]
// CHECK-NOT: epilogue
// CHECK: loop.pointwise {{.*}} in [2, 6, 8]
func.func @copied(%a: tensor<6x2x16xf32>, %b: tensor<6x16x8xf32>) -> tensor<2x6x8xf32> {
  %c = loop.contract parallel [6, 2, 8] reduction [16] lhs %a[d0, d1, d3] : tensor<6x2x16xf32>
      rhs %b[d0, d3, d2] : tensor<6x16x8xf32> acc f32 : tensor<6x2x8xf32>
  %r = loop.pointwise (%i, %j, %k) in [2, 6, 8] : tensor<2x6x8xf32> {
    %x = loop.load %c[%i * 3 + floordiv(%j, 2), mod(%j, 2), %k] : tensor<6x2x8xf32>
    loop.yield %x : f32
  }
  return %r : tensor<2x6x8xf32>
}

// -----

// A product of one element, which is read without dimensions.
// CHECK-LABEL: func.func @one
// CHECK: loop.kernel
// CHECK: loop.contract parallel {{.*}} epilogue
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @one(%x: tensor<1x16xf32>, %w: tensor<1x16xf32>, %b: tensor<1xf32>) -> tensor<f32> {
  %c = loop.contract parallel [1, 1] reduction [16] lhs %x[d0, d2] : tensor<1x16xf32>
      rhs %w[d1, d2] : tensor<1x16xf32> acc f32 : tensor<1x1xf32>
  %r = loop.pointwise () in [] : tensor<f32> {
    %e = loop.load %c[0, 0] : tensor<1x1xf32>
    %f = loop.load %b[0] : tensor<1xf32>
    %y = arith.addf %e, %f : f32
    loop.yield %y : f32
  }
  return %r : tensor<f32>
}
