// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-layout --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a tf32=true" --loop-choose-layout --split-input-file | FileCheck %s --check-prefix=TF32
// RUN: kiln-opt %s --loop-choose-layout --split-input-file | FileCheck %s --check-prefix=CPU

// What the convolution reads and gives gets its channels innermost, with the nests before
// and behind it; the pool's window and the reshape that sums up an image read it in place.

// CPU-LABEL: func.func @net
// CPU: loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
// CHECK-LABEL: func.func @net
// CHECK: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 9, 9, 16] : tensor<2x9x9x16xbf16> {
// CHECK-NEXT: loop.load %arg0[%i, %l, %j, %k] : tensor<2x16x9x9xbf16>
// CHECK: %[[C:.*]] = loop.contract parallel [2, 7, 7, 8] reduction [3, 3, 16]
// CHECK-SAME: lhs %[[R]][d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<2x9x9x16xbf16>
// CHECK-SAME: mask and(le(1, d1 + d4), le(1, d2 + d5))
// CHECK-SAME: rhs %arg1[d3, d6, d4, d5] : tensor<8x16x3x3xbf16>
// CHECK-SAME: epilogue (%acc, %i, %j, %k, %l)
// CHECK-NEXT: loop.load %arg2[%l]
// CHECK: %[[P:.*]] = loop.reduce parallel (%i, %j, %k, %l) in [2, 3, 3, 8] reduction (%m, %n) in [3, 3] <max>
// CHECK-NEXT: loop.load %[[C]][%i, %j * 2 + %m, %k * 2 + %n, %l] : tensor<2x7x7x8xbf16>
// CHECK: loop.reduce parallel (%i, %j) in [2, 8] reduction (%k) in [9] <sum>
// CHECK-NEXT: loop.load %[[P]][%i, floordiv(%k, 3), mod(%k, 3), %j] : tensor<2x3x3x8xbf16>
func.func @net(%x: tensor<2x16x9x9xbf16>,
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>},
    %bias: tensor<8xf32>) -> tensor<2x8xf32> {
  %r = loop.pointwise (%n, %c, %h, %v) in [2, 16, 9, 9] : tensor<2x16x9x9xbf16> {
    %e = loop.load %x[%n, %c, %h, %v] : tensor<2x16x9x9xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %r[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<2x16x9x9xbf16> mask and(le(1, d2 + d5), le(1, d3 + d6))
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16> mask 1
      acc f32 : tensor<2x8x7x7xbf16> epilogue (%acc, %n, %c, %h, %v) {
    %b = loop.load %bias[%c] : tensor<8xf32>
    %s = arith.addf %acc, %b : f32
    %t = arith.truncf %s : f32 to bf16
    loop.yield %t : bf16
  }
  %p = loop.reduce parallel (%n, %c, %h, %v) in [2, 8, 3, 3] reduction (%i, %j) in [3, 3] <max> : tensor<2x8x3x3xbf16> {
    %e = loop.load %y[%n, %c, %h * 2 + %i, %v * 2 + %j] : tensor<2x8x7x7xbf16>
    loop.yield %e : bf16
  }
  %m = loop.reduce parallel (%n, %c) in [2, 8] reduction (%k) in [9] <sum> : tensor<2x8xf32> {
    %e = loop.load %p[%n, %c, floordiv(%k, 3), mod(%k, 3)] : tensor<2x8x3x3xbf16>
    %f = arith.extf %e : bf16 to f32
    loop.yield %f : f32
  }
  return %m : tensor<2x8xf32>
}

// -----

// Who reads a row of all channels walks it in steps: the result stays, as does one that
// is returned, and the image is channels last all the same.

// CHECK-LABEL: func.func @kept
// CHECK: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 9, 9, 16]
// CHECK: loop.contract parallel [2, 8, 7, 7] reduction [3, 3, 16]
// CHECK: loop.contract parallel [2, 8, 7, 7] reduction [3, 3, 16]
func.func @kept(%x: tensor<2x16x9x9xf32>,
    %w: tensor<8x16x3x3xf32> {loop.strides = #guard.shape<[144, 1, 48, 16]>}) -> (tensor<2xf32>, tensor<2x8x7x7xf32>) {
  %r = loop.pointwise (%n, %c, %h, %v) in [2, 16, 9, 9] : tensor<2x16x9x9xf32> {
    %e = loop.load %x[%n, %c, %h, %v] : tensor<2x16x9x9xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %r[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xf32> acc f32 : tensor<2x8x7x7xf32>
  %z = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %r[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xf32> acc f32 : tensor<2x8x7x7xf32>
  %m = loop.reduce parallel (%n) in [2] reduction (%k) in [392] <sum> : tensor<2xf32> {
    %e = loop.load %y[%n, floordiv(%k, 49), mod(floordiv(%k, 7), 7), mod(%k, 7)] : tensor<2x8x7x7xf32>
    loop.yield %e : f32
  }
  return %m, %z : tensor<2xf32>, tensor<2x8x7x7xf32>
}

// -----

// An image that the caller has channels last; weights that are not are copied once for
// both, those of channels of their own with the channel innermost as well.

// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [16, 3, 3, 16]
// CHECK-NEXT: loop.load %arg1[%i, %l, %j, %k]
// CHECK: %[[Y:.*]] = loop.contract parallel [1, 30, 30, 16] reduction [3, 3, 16]
// CHECK-SAME: rhs %[[W]][d3, d4, d5, d6]
// CHECK: %[[Z:.*]] = loop.contract parallel [1, 28, 28, 16] reduction [3, 3, 16]
// CHECK-SAME: lhs %[[Y]][d0, d1 + d4, d2 + d5, d6]
// CHECK-SAME: rhs %[[W]][d3, d4, d5, d6]
// CHECK: %[[D:.*]] = loop.pointwise (%i, %j, %k, %l) in [1, 3, 3, 16]
// CHECK-NEXT: loop.load %arg2[%l, %i, %j, %k]
// CHECK: loop.contract parallel [1, 26, 26, 16] reduction [1, 3, 3]
// CHECK-SAME: lhs %[[Z]][d0, d1 + d5, d2 + d6, d3 + d4]
// CHECK-SAME: rhs %[[D]][d4, d5, d6, d3]
func.func @weights(%x: tensor<1x16x32x32xbf16> {loop.strides = #guard.shape<[16384, 1, 512, 16]>},
    %w: tensor<16x16x3x3xbf16>, %v: tensor<16x1x3x3xbf16>) -> tensor<16xf32> {
  %y = loop.contract parallel [1, 16, 30, 30] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<1x16x32x32xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<16x16x3x3xbf16> acc f32 : tensor<1x16x30x30xbf16>
  %z = loop.contract parallel [1, 16, 28, 28] reduction [16, 3, 3]
      lhs %y[d0, d4, d2 + d5, d3 + d6] : tensor<1x16x30x30xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<16x16x3x3xbf16> acc f32 : tensor<1x16x28x28xbf16>
  %d = loop.contract parallel [1, 16, 26, 26] reduction [1, 3, 3]
      lhs %z[d0, d1 + d4, d2 + d5, d3 + d6] : tensor<1x16x28x28xbf16>
      rhs %v[d1, d4, d5, d6] : tensor<16x1x3x3xbf16> acc f32 : tensor<1x16x26x26xbf16>
  %m = loop.reduce parallel (%c) in [16] reduction (%h, %u) in [26, 26] <sum> : tensor<16xf32> {
    %zero = arith.constant 0 : index
    %e = loop.load %d[%zero, %c, %h, %u] : tensor<1x16x26x26xbf16>
    %f = arith.extf %e : bf16 to f32
    loop.yield %f : f32
  }
  return %m : tensor<16xf32>
}

// -----

// Three colours are filled up to eight with zeros, those of the weights as well. Who calls
// sees a result that may have any order in its own.

// CHECK-LABEL: func.func @colours
// CHECK-SAME: -> (tensor<1x62x62x64xbf16> {loop.order = array<i64: 0, 3, 1, 2>})
// CHECK: %[[X:.*]] = loop.pointwise (%i, %j, %k, %l) in [1, 64, 64, 8]
// CHECK: %[[IN:.*]] = arith.cmpi ult, %l, %c3
// CHECK: loop.load %arg0[%i, %l, %j, %k] mask %[[IN]], %{{.*}} : tensor<1x3x64x64xbf16>
// CHECK: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [64, 3, 3, 8]
// CHECK: loop.contract parallel [1, 62, 62, 64] reduction [3, 3, 8]
// CHECK-SAME: lhs %[[X]][d0, d1 + d4, d2 + d5, d6] : tensor<1x64x64x8xbf16>
// CHECK-SAME: rhs %[[W]][d3, d4, d5, d6] : tensor<64x3x3x8xbf16>
func.func @colours(%x: tensor<1x3x64x64xbf16>, %w: tensor<64x3x3x3xbf16>)
    -> (tensor<1x64x62x62xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %y = loop.contract parallel [1, 64, 62, 62] reduction [3, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<1x3x64x64xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<64x3x3x3xbf16> acc f32 : tensor<1x64x62x62xbf16>
  return %y : tensor<1x64x62x62xbf16>
}

// -----

// On a processor images of f32 have their channels last where a convolution sums up many
// elements: its image is copied if somebody else made it, its weight is copied with the
// channels of the image innermost, and a result that is returned is copied back.

// On a GPU the same holds where f32 may be rounded to tf32: matrix units multiply it.

// TF32-LABEL: func.func @heavy
// TF32: %[[X:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 9, 9, 16] : tensor<2x9x9x16xf32> {
// TF32: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [32, 3, 3, 16] : tensor<32x3x3x16xf32> {
// TF32: loop.contract parallel [2, 32, 7, 7] reduction [3, 3, 16]
// TF32-SAME: lhs %[[X]][d0, d2 + d4, d3 + d5, d6] : tensor<2x9x9x16xf32>
// TF32-SAME: rhs %[[W]][d1, d4, d5, d6] : tensor<32x3x3x16xf32>
// CHECK-LABEL: func.func @heavy
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract parallel [2, 32, 7, 7]
// CPU-LABEL: func.func @heavy
// CPU: %[[X:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 9, 9, 16] : tensor<2x9x9x16xf32> {
// CPU-NEXT: loop.load %arg0[%i, %l, %j, %k]
// CPU: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [32, 3, 3, 16] : tensor<32x3x3x16xf32> {
// CPU-NEXT: loop.load %arg1[%i, %l, %j, %k]
// CPU: %[[C:.*]] = loop.contract parallel [2, 7, 7, 32] reduction [3, 3, 16]
// CPU-SAME: lhs %[[X]][d0, d1 + d4, d2 + d5, d6] : tensor<2x9x9x16xf32>
// CPU-SAME: rhs %[[W]][d3, d4, d5, d6] : tensor<32x3x3x16xf32>
// CPU: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 32, 7, 7] : tensor<2x32x7x7xf32> {
// CPU-NEXT: loop.load %[[C]][%i, %k, %l, %j]
// CPU: return %[[R]]
func.func @heavy(%x: tensor<2x16x9x9xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x7x7xf32> {
  %y = loop.contract parallel [2, 32, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<32x16x3x3xf32>
      acc f32 : tensor<2x32x7x7xf32>
  return %y : tensor<2x32x7x7xf32>
}

// -----

// What a contraction says of its own precision counts more than what the target does.

// TF32-LABEL: func.func @exact
// TF32-NOT: loop.pointwise
// TF32: loop.contract parallel [2, 32, 7, 7]
// CHECK-LABEL: func.func @exact
// CHECK-NOT: loop.pointwise
// CHECK: return
func.func @exact(%x: tensor<2x16x9x9xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x7x7xf32> {
  %y = loop.contract parallel [2, 32, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<32x16x3x3xf32>
      acc f32 attributes {loop.tf32 = false} : tensor<2x32x7x7xf32>
  return %y : tensor<2x32x7x7xf32>
}

// -----

// TF32-LABEL: func.func @rounded
// TF32: loop.contract parallel [2, 32, 7, 7] reduction [3, 3, 16]
// CHECK-LABEL: func.func @rounded
// CHECK: %[[X:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 9, 9, 16] : tensor<2x9x9x16xf32> {
// CHECK: loop.contract parallel [2, 32, 7, 7] reduction [3, 3, 16]
// CHECK-SAME: lhs %[[X]][d0, d2 + d4, d3 + d5, d6]
// CHECK-SAME: attributes {loop.tf32 = true}
func.func @rounded(%x: tensor<2x16x9x9xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x7x7xf32> {
  %y = loop.contract parallel [2, 32, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<32x16x3x3xf32>
      acc f32 attributes {loop.tf32 = true} : tensor<2x32x7x7xf32>
  return %y : tensor<2x32x7x7xf32>
}

// -----

// A convolution of few elements keeps its order, unless a heavy one is beside it.

// CPU-LABEL: func.func @light
// CPU-NOT: loop.pointwise
// CPU: loop.contract parallel [2, 32, 9, 9] reduction [16, 1, 1]
func.func @light(%x: tensor<2x16x9x9xf32>, %w: tensor<32x16x1x1xf32>) -> tensor<2x32x9x9xf32> {
  %y = loop.contract parallel [2, 32, 9, 9] reduction [16, 1, 1]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<32x16x1x1xf32>
      acc f32 : tensor<2x32x9x9xf32>
  return %y : tensor<2x32x9x9xf32>
}

// CPU-LABEL: func.func @beside
// CPU: loop.contract parallel [2, 9, 9, 16] reduction [1, 1, 8]
// CPU: loop.contract parallel [2, 7, 7, 32] reduction [3, 3, 16]
func.func @beside(%x: tensor<2x8x9x9xf32>, %v: tensor<16x8x1x1xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x7x7xf32> {
  %u = loop.contract parallel [2, 16, 9, 9] reduction [8, 1, 1]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x8x9x9xf32>
      rhs %v[d1, d4, d5, d6] : tensor<16x8x1x1xf32>
      acc f32 : tensor<2x16x9x9xf32>
  %y = loop.contract parallel [2, 32, 7, 7] reduction [16, 3, 3]
      lhs %u[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xf32>
      rhs %w[d1, d4, d5, d6] : tensor<32x16x3x3xf32>
      acc f32 : tensor<2x32x7x7xf32>
  return %y : tensor<2x32x7x7xf32>
}

// -----

// What a forward saves for its backward changes its order in both; the image and the weights
// of another name stay. The gradient of the weights is summed up with the channels of both
// operands innermost, and copied to the order that the caller wants. That of the image has
// its weights turned around, with what is summed up innermost.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<2x7x7x8xbf16> {loop.carried = "saved_0"})
// CHECK: loop.contract parallel [2, 7, 7, 8] reduction [3, 3, 16]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %arg0: tensor<2x7x7x8xbf16> {loop.carried = "saved_0"}
// CHECK-SAME: -> (tensor<8x16x3x3xbf16>, tensor<2x16x9x9xf32>)
// CHECK: %[[G:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 7, 7, 8]
// CHECK-NEXT: loop.load %arg0[%i, %j, %k, %l] : tensor<2x7x7x8xbf16>
// CHECK: %[[W:.*]] = loop.contract parallel [8, 3, 3, 16] reduction [2, 7, 7]
// CHECK-SAME: lhs %[[G]][d4, d5, d6, d0] : tensor<2x7x7x8xbf16>
// CHECK-SAME: rhs %arg1[d4, d3, d1 + d5, d2 + d6] : tensor<2x16x9x9xbf16>
// CHECK: %[[T:.*]] = loop.pointwise (%i, %j, %k, %l) in [16, 3, 3, 8]
// CHECK-NEXT: loop.load %arg2[%l, %i, %j * -1 + 2, %k * -1 + 2] : tensor<8x16x3x3xbf16>
// CHECK: loop.contract parallel [2, 9, 9, 16] reduction [3, 3, 8]
// CHECK-SAME: lhs %[[G]][d0, d1 + d4 - 2, d2 + d5 - 2, d6] : tensor<2x7x7x8xbf16>
// CHECK-SAME: rhs %[[T]][d3, d4, d5, d6] : tensor<16x3x3x8xbf16>
// CHECK: %[[C:.*]] = loop.pointwise (%i, %j, %k, %l) in [8, 16, 3, 3]
// CHECK-NEXT: loop.load %[[W]][%i, %k, %l, %j] : tensor<8x3x3x16xbf16>
// CHECK: return %[[C]],
func.func @forward(
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) {
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
      acc f32 : tensor<2x8x7x7xbf16>
  return %y : tensor<2x8x7x7xbf16>
}
func.func @backward(%y: tensor<2x8x7x7xbf16> {loop.carried = "saved_0"},
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<8x16x3x3xbf16>, tensor<2x16x9x9xf32>) {
  %g = loop.pointwise (%n, %c, %h, %v) in [2, 8, 7, 7] : tensor<2x8x7x7xbf16> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x8x7x7xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  %dw = loop.contract parallel [8, 16, 3, 3] reduction [2, 7, 7]
      lhs %g[d4, d0, d5, d6] : tensor<2x8x7x7xbf16>
      rhs %x[d4, d1, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      acc f32 : tensor<8x16x3x3xbf16>
  %dx = loop.contract parallel [2, 16, 9, 9] reduction [8, 3, 3]
      lhs %g[d0, d4, d2 + d5 - 2, d3 + d6 - 2] : tensor<2x8x7x7xbf16> mask and(le(2, d2 + d5), le(2, d3 + d6))
      rhs %w[d4, d1, d5 * -1 + 2, d6 * -1 + 2] : tensor<8x16x3x3xbf16> mask 1
      acc f32 : tensor<2x16x9x9xbf16>
  %r = loop.pointwise (%n, %c, %h, %v) in [2, 16, 9, 9] : tensor<2x16x9x9xf32> {
    %e = loop.load %dx[%n, %c, %h, %v] : tensor<2x16x9x9xbf16>
    %a = arith.extf %e : bf16 to f32
    loop.yield %a : f32
  }
  return %dw, %r : tensor<8x16x3x3xbf16>, tensor<2x16x9x9xf32>
}

// -----

// What a caller sees with strides, too, is read with strides by the other function.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<2x7x7x8xbf16> {loop.order = array<i64: 0, 3, 1, 2>}, tensor<2x7x7x8xbf16> {loop.carried = "saved_0"})
// CHECK: loop.contract parallel [2, 7, 7, 8]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %arg0: tensor<2x8x7x7xbf16> {loop.carried = "saved_0", loop.strides = #guard.shape<[392, 1, 56, 8]>}
// CHECK-SAME: -> tensor<2x8x7x7xbf16>
// CHECK: loop.load %arg0[%i, %j, %k, %l] : tensor<2x8x7x7xbf16>
func.func @forward(
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<2x8x7x7xbf16> {loop.order = array<i64: 0, 1, 2, 3>}, tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) {
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
      acc f32 : tensor<2x8x7x7xbf16>
  return %y, %y : tensor<2x8x7x7xbf16>, tensor<2x8x7x7xbf16>
}
func.func @backward(%y: tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) -> tensor<2x8x7x7xbf16> {
  %g = loop.pointwise (%n, %c, %h, %v) in [2, 8, 7, 7] : tensor<2x8x7x7xbf16> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x8x7x7xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  return %g : tensor<2x8x7x7xbf16>
}

// -----

// An image that has its channels last, behind a token that is none of it, is followed by
// the result of a convolution by channels of their own; whoever reads it walks it as it did.

// CPU-LABEL: func.func @tokens
// CPU: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [1, 3, 3, 16] : tensor<1x3x3x16xf32> {
// CPU: %[[C:.*]] = loop.contract parallel [1, 6, 6, 16] reduction [1, 3, 3]
// CPU-SAME: lhs %arg0[d0, d1 * 6 + d2 + d5 * 6 + d6 - 6, d3 + d4] : tensor<1x37x16xf32>
// CPU-SAME: rhs %[[W]][d4, d5, d6, d3]
// CPU: loop.pointwise (%i, %j, %k) in [1, 36, 16] : tensor<1x36x16xf32> {
// CPU: loop.load %[[C]][
// CPU-SAME: %k] : tensor<1x6x6x16xf32>
func.func @tokens(%x: tensor<1x37x16xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<1x36x16xf32> {
  %y = loop.contract parallel [1, 16, 6, 6] reduction [1, 3, 3]
      lhs %x[d0, d2 * 6 + d3 + d5 * 6 + d6 - 6, d1 + d4] : tensor<1x37x16xf32>
          mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 6)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 6)))
      rhs %w[d1, d4, d5, d6] : tensor<16x1x3x3xf32> mask 1
      acc f32 : tensor<1x16x6x6xf32>
  %z = loop.pointwise (%i, %j, %k) in [1, 36, 16] : tensor<1x36x16xf32> {
    %e = loop.load %y[%i, %k, floordiv(%j, 6), mod(%j, 6)] : tensor<1x16x6x6xf32>
    %n = arith.negf %e : f32
    loop.yield %n : f32
  }
  return %z : tensor<1x36x16xf32>
}

// An image that has its columns beside each other is walked along them.

// CPU-LABEL: func.func @columns
// CPU: loop.contract parallel [1, 16, 6, 6]
func.func @columns(%x: tensor<1x16x8x8xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<1x36x16xf32> {
  %y = loop.contract parallel [1, 16, 6, 6] reduction [1, 3, 3]
      lhs %x[d0, d1 + d4, d2 + d5, d3 + d6] : tensor<1x16x8x8xf32>
      rhs %w[d1, d4, d5, d6] : tensor<16x1x3x3xf32>
      acc f32 : tensor<1x16x6x6xf32>
  %z = loop.pointwise (%i, %j, %k) in [1, 36, 16] : tensor<1x36x16xf32> {
    %e = loop.load %y[%i, %k, floordiv(%j, 6), mod(%j, 6)] : tensor<1x16x6x6xf32>
    loop.yield %e : f32
  }
  return %z : tensor<1x36x16xf32>
}

// -----

// So is it by the gradient of such weights, which a caller gets in the order of weights.

// CPU-LABEL: func.func @token_gradient
// CPU: %[[C:.*]] = loop.contract parallel [1, 3, 3, 16] reduction [2, 8, 8]
// CPU-SAME: lhs %arg0[d4, d5 * 8 + d6, d3] : tensor<2x64x16xf32>
// CPU-SAME: rhs %arg1[d4, d1 * 8 + d2 + d5 * 8 + d6 - 9, d3] : tensor<2x64x16xf32>
// CPU: %[[G:.*]] = loop.pointwise (%i, %j, %k, %l) in [16, 1, 3, 3] : tensor<16x1x3x3xf32> {
// CPU: loop.load %[[C]][%j, %k, %l, %i] : tensor<1x3x3x16xf32>
// CPU: return %[[G]]
func.func @token_gradient(%g: tensor<2x64x16xf32>, %x: tensor<2x64x16xf32>) -> tensor<16x1x3x3xf32> {
  %w = loop.contract parallel [16, 1, 3, 3] reduction [2, 8, 8]
      lhs %g[d4, d5 * 8 + d6, d0] : tensor<2x64x16xf32> mask 1
      rhs %x[d4, d2 * 8 + d3 + d5 * 8 + d6 - 9, d0] : tensor<2x64x16xf32>
          mask and(and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 8)), and(le(0, d3 + d6 - 1), lt(d3 + d6 - 1, 8)))
      acc f32 : tensor<16x1x3x3xf32>
  return %w : tensor<16x1x3x3xf32>
}

// -----

// What a caller sees as it lies in memory keeps its order, carried or not.

// CHECK-LABEL: func.func @forward
// CHECK: loop.contract parallel [2, 8, 7, 7]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: tensor<2x8x7x7xbf16>
func.func @forward(
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<2x8x7x7xbf16>, tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) {
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
      acc f32 : tensor<2x8x7x7xbf16>
  return %y, %y : tensor<2x8x7x7xbf16>, tensor<2x8x7x7xbf16>
}
func.func @backward(%y: tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) -> tensor<2x8x7x7xbf16> {
  %g = loop.pointwise (%n, %c, %h, %v) in [2, 8, 7, 7] : tensor<2x8x7x7xbf16> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x8x7x7xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  return %g : tensor<2x8x7x7xbf16>
}

// -----

// One result that is both carried and seen by strides has the order of the argument.

// CHECK-LABEL: func.func @forward
// CHECK: loop.contract parallel [2, 8, 7, 7]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: tensor<2x8x7x7xbf16>
func.func @forward(
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<2x8x7x7xbf16> {loop.carried = "saved_0", loop.order = array<i64: 0, 1, 2, 3>}) {
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
      acc f32 : tensor<2x8x7x7xbf16>
  return %y : tensor<2x8x7x7xbf16>
}
func.func @backward(%y: tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) -> tensor<2x8x7x7xbf16> {
  %g = loop.pointwise (%n, %c, %h, %v) in [2, 8, 7, 7] : tensor<2x8x7x7xbf16> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x8x7x7xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  return %g : tensor<2x8x7x7xbf16>
}

// -----

// An argument with strides is what it is,

// CHECK-LABEL: func.func @forward
// CHECK: loop.contract parallel [2, 8, 7, 7]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: tensor<2x8x7x7xbf16> {loop.carried = "saved_0", loop.strides
func.func @forward(
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) {
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
      acc f32 : tensor<2x8x7x7xbf16>
  return %y : tensor<2x8x7x7xbf16>
}
func.func @backward(%y: tensor<2x8x7x7xbf16> {loop.carried = "saved_0", loop.strides = #guard.shape<[392, 49, 7, 1]>}) -> tensor<2x8x7x7xbf16> {
  %g = loop.pointwise (%n, %c, %h, %v) in [2, 8, 7, 7] : tensor<2x8x7x7xbf16> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x8x7x7xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  return %g : tensor<2x8x7x7xbf16>
}

// -----

// and one of another type is no end of the same tensor.

// CHECK-LABEL: func.func @forward
// CHECK: loop.contract parallel [2, 8, 7, 7]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: tensor<2x8x7x9xbf16>
func.func @forward(
    %x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>},
    %w: tensor<8x16x3x3xbf16> {loop.strides = #guard.shape<[144, 1, 48, 16]>})
    -> (tensor<2x8x7x7xbf16> {loop.carried = "saved_0"}) {
  %y = loop.contract parallel [2, 8, 7, 7] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
      acc f32 : tensor<2x8x7x7xbf16>
  return %y : tensor<2x8x7x7xbf16>
}
func.func @backward(%y: tensor<2x8x7x9xbf16> {loop.carried = "saved_0"}) -> tensor<2x8x7x7xbf16> {
  %g = loop.pointwise (%n, %c, %h, %v) in [2, 8, 7, 7] : tensor<2x8x7x7xbf16> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x8x7x9xbf16>
    %a = math.absf %e : bf16
    loop.yield %a : bf16
  }
  return %g : tensor<2x8x7x7xbf16>
}

// -----

// Channels of their own that are last in the image are last in the result, which is copied
// to the order that the caller wants.

// CHECK-LABEL: func.func @own
// CHECK: %[[C:.*]] = loop.contract parallel [2, 7, 7, 16] reduction [1, 3, 3]
// CHECK: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 16, 7, 7]
// CHECK-NEXT: loop.load %[[C]][%i, %k, %l, %j]
// CHECK: return %[[R]]
func.func @own(%x: tensor<2x16x9x9xbf16> {loop.strides = #guard.shape<[1296, 1, 144, 16]>}, %w: tensor<16x1x3x3xbf16>) -> tensor<2x16x7x7xbf16> {
  %y = loop.contract parallel [2, 16, 7, 7] reduction [1, 3, 3]
      lhs %x[d0, d1 + d4, d2 + d5, d3 + d6] : tensor<2x16x9x9xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<16x1x3x3xbf16>
      acc f32 : tensor<2x16x7x7xbf16>
  return %y : tensor<2x16x7x7xbf16>
}

// -----

// Taps are walked as weights have them on a processor, whatever that means for the image; what
// is not moved by a window keeps its way. On a GPU weights are laid along the sum.

// CPU-LABEL: func.func @turned
// CPU: loop.contract parallel [2, 4, 9, 9] reduction [4, 3, 2]
// CPU-SAME: lhs %arg0[d0, d4, d2 - d5 + 1, d3 - d6 * 2 + 2] : tensor<2x4x9x9xf32>
// CPU-SAME: mask and(le(0, d2 - d5 + 1), lt(d3 - d6 * 2 + 2, 9))
// CPU-SAME: rhs %arg1[d4, d1, d5, d6 * 2] : tensor<4x4x3x3xf32>
// CPU: loop.contract parallel [2, 9] reduction [4, 3]
// CPU-SAME: lhs %arg2[d0, d2, d1 + d3] : tensor<2x4x11xf32>
// CPU-SAME: rhs %arg3[d2 * -1 + 3, d3] : tensor<4x3xf32>
// CHECK-LABEL: func.func @turned
// CHECK: rhs %arg1[d4, d1, d5 * -1 + 2, d6 * -2 + 2] : tensor<4x4x3x3xf32>
func.func @turned(%y: tensor<2x4x9x9xf32>, %w: tensor<4x4x3x3xf32>,
    %x: tensor<2x4x11xf32>, %v: tensor<4x3xf32>) -> (tensor<2x4x9x9xf32>, tensor<2x9xf32>) {
  %r = loop.contract parallel [2, 4, 9, 9] reduction [4, 3, 2]
      lhs %y[d0, d4, d2 + d5 - 1, d3 + d6 * 2] : tensor<2x4x9x9xf32> mask and(le(0, d2 + d5 - 1), lt(d3 + d6 * 2, 9))
      rhs %w[d4, d1, d5 * -1 + 2, d6 * -2 + 2] : tensor<4x4x3x3xf32> mask 1
      acc f32 : tensor<2x4x9x9xf32>
  %s = loop.contract parallel [2, 9] reduction [4, 3]
      lhs %x[d0, d2, d1 + d3] : tensor<2x4x11xf32>
      rhs %v[d2 * -1 + 3, d3] : tensor<4x3xf32>
      acc f32 : tensor<2x9xf32>
  return %r, %s : tensor<2x4x9x9xf32>, tensor<2x9xf32>
}

// -----

// The gradient of a weight whose order is not worth what the others would cost: what was
// freed of the caller for it is the caller's again, and keeps its order.
// CPU-LABEL: func.func @given_up
// CPU: %[[S:.*]] = loop.contract parallel [32, 3, 3] reduction [1, 16, 16]
// CPU-NOT: loop.pointwise
// CPU: return %[[S]],
func.func @given_up(%x: tensor<1x32x16x16xf32>, %g: tensor<1x32x16x16xf32>,
                    %y: tensor<1x32x8x8xf32>, %v: tensor<32x3x3xf32>)
    -> (tensor<32x3x3xf32>, tensor<1x32x8x8xf32>) {
  %s = loop.contract parallel [32, 3, 3] reduction [1, 16, 16]
      lhs %x[d3, d0, d4 + d1 - 1, d5 + d2 - 1] : tensor<1x32x16x16xf32>
          mask and(and(le(1, d4 + d1), lt(d4 + d1 - 1, 16)), and(le(1, d5 + d2), lt(d5 + d2 - 1, 16)))
      rhs %g[d3, d0, d4, d5] : tensor<1x32x16x16xf32> mask 1
      acc f32 : tensor<32x3x3xf32>
  %t = loop.contract parallel [1, 32, 8, 8] reduction [3, 3]
      lhs %y[d0, d1, d2 + d4 - 1, d3 + d5 - 1] : tensor<1x32x8x8xf32>
          mask and(and(le(1, d2 + d4), lt(d2 + d4 - 1, 8)), and(le(1, d3 + d5), lt(d3 + d5 - 1, 8)))
      rhs %v[d1, d4, d5] : tensor<32x3x3xf32> mask 1
      acc f32 : tensor<1x32x8x8xf32>
  return %s, %t : tensor<32x3x3xf32>, tensor<1x32x8x8xf32>
}
