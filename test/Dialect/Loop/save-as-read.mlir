// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-save-as-read --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-save-as-read --split-input-file | FileCheck %s --check-prefix=CPU

// Heads that a product reads as rows of tokens are copied for it; the copy is what is saved.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<512x256xbf16>, tensor<8x64x4x64xbf16> {loop.carried = "a"})
// CHECK: %[[T:.*]] = loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [8, 64, 4, 64] : tensor<8x64x4x64xbf16>
// CHECK-NEXT: loop.load %{{.*}}[%[[I]], %[[K]], %[[J]], %[[L]]] : tensor<8x4x64x64xbf16>
// CHECK: loop.contract {{.*}} lhs %[[T]][floordiv(d0, 64), mod(d0, 64), floordiv(d2, 64), mod(d2, 64)]
// CHECK: return %{{.*}}, %[[T]]
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %[[A:.*]]: tensor<8x64x4x64xbf16> {loop.carried = "a"}
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [8, 4, 64, 64]
// CHECK-NEXT: loop.load %[[A]][%[[I]], %[[K]], %[[J]], %[[L]]] : tensor<8x64x4x64xbf16>
// CHECK: loop.load %[[A]][floordiv(%[[J:.*]], 64), mod(%[[J]], 64), floordiv(%[[I:.*]], 64), mod(%[[I]], 64)]
// CHECK: loop.contract {{.*}} lhs %[[A]][d0, d1, floordiv(d3, 64), mod(d3, 64)] : tensor<8x64x4x64xbf16>
// CPU-LABEL: func.func @forward
// CPU-SAME: tensor<8x4x64x64xbf16> {loop.carried = "a"}
!h = tensor<8x4x64x64xbf16>
!t = tensor<512x256xbf16>
!w = tensor<256x256xbf16>
func.func @forward(%x: !h, %w: !w) -> (!t, !h {loop.carried = "a"}) {
  %h = loop.pointwise (%i, %j, %k, %l) in [8, 4, 64, 64] : !h {
    %e = loop.load %x[%i, %j, %k, %l] : !h
    %n = arith.negf %e : bf16
    loop.yield %n : bf16
  }
  %t = loop.pointwise (%i, %j) in [512, 256] : !t {
    %e = loop.load %h[floordiv(%i, 64), floordiv(%j, 64), mod(%i, 64), mod(%j, 64)] : !h
    loop.yield %e : bf16
  }
  %y = loop.contract parallel [512, 256] reduction [256] lhs %t[d0, d2] : !t rhs %w[d1, d2] : !w acc f32 : !t
  return %y, %h : !t, !h
}
func.func @backward(%h: !h {loop.carried = "a"}, %w: !w) -> (!h, tensor<256x512xbf16>, tensor<8x64x256xbf16>) {
  %p = loop.pointwise (%i, %j, %k, %l) in [8, 4, 64, 64] : !h {
    %e = loop.load %h[%i, %j, %k, %l] : !h
    %n = arith.negf %e : bf16
    loop.yield %n : bf16
  }
  %q = loop.pointwise (%i, %j) in [256, 512] : tensor<256x512xbf16> {
    %e = loop.load %h[floordiv(%j, 64), floordiv(%i, 64), mod(%j, 64), mod(%i, 64)] : !h
    loop.yield %e : bf16
  }
  %c = loop.contract parallel [8, 64, 256] reduction [256] lhs %h[d0, floordiv(d3, 64), d1, mod(d3, 64)] : !h
      rhs %w[d2, d3] : !w acc f32 : tensor<8x64x256xbf16>
  return %p, %q, %c : !h, tensor<256x512xbf16>, tensor<8x64x256xbf16>
}

// -----

// Who walked the heads in regular steps could not walk the copy so: sums of a head over all
// tokens of several points.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: tensor<512x256xbf16>, tensor<8x4x64x64xbf16> {loop.carried = "a"}
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: tensor<8x4x64x64xbf16> {loop.carried = "a"}
!h = tensor<8x4x64x64xbf16>
!t = tensor<512x256xbf16>
!w = tensor<256x256xbf16>
func.func @forward(%x: !h, %w: !w) -> (!t, !h {loop.carried = "a"}) {
  %h = loop.pointwise (%i, %j, %k, %l) in [8, 4, 64, 64] : !h {
    %e = loop.load %x[%i, %j, %k, %l] : !h
    %n = arith.negf %e : bf16
    loop.yield %n : bf16
  }
  %t = loop.pointwise (%i, %j) in [512, 256] : !t {
    %e = loop.load %h[floordiv(%i, 64), floordiv(%j, 64), mod(%i, 64), mod(%j, 64)] : !h
    loop.yield %e : bf16
  }
  %y = loop.contract parallel [512, 256] reduction [256] lhs %t[d0, d2] : !t rhs %w[d1, d2] : !w acc f32 : !t
  return %y, %h : !t, !h
}
func.func @backward(%h: !h {loop.carried = "a"}, %w: tensor<64x64xbf16>) -> tensor<2048x64xbf16> {
  %c = loop.contract parallel [2048, 64] reduction [64]
      lhs %h[floordiv(d0, 256), mod(floordiv(d0, 64), 4), mod(d0, 64), d2] : !h
      rhs %w[d1, d2] : tensor<64x64xbf16> acc f32 : tensor<2048x64xbf16>
  return %c : tensor<2048x64xbf16>
}

// -----

// A copy that the product need not have, as one of the same order, and one without whole
// heads side by side.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: tensor<512x256xbf16> {loop.carried = "a"}, tensor<8x128x64x2xbf16> {loop.carried = "b"}
!h = tensor<8x64x256xbf16>
!n = tensor<8x128x64x2xbf16>
!t = tensor<512x256xbf16>
!w = tensor<256x256xbf16>
func.func @forward(%x: !t, %z: !n, %w: !w) -> (!t, !t, !t {loop.carried = "a"}, !n {loop.carried = "b"}) {
  %h = loop.pointwise (%i, %j) in [512, 256] : !t {
    %e = loop.load %x[%i, %j] : !t
    %n = arith.negf %e : bf16
    loop.yield %n : bf16
  }
  %t = loop.pointwise (%i, %j, %k) in [8, 64, 256] : !h {
    %e = loop.load %h[%i * 64 + %j, %k] : !t
    loop.yield %e : bf16
  }
  %y = loop.contract parallel [512, 256] reduction [256] lhs %t[floordiv(d0, 64), mod(d0, 64), d2] : !h rhs %w[d1, d2] : !w acc f32 : !t
  %g = loop.pointwise (%i, %j, %k, %l) in [8, 128, 64, 2] : !n {
    %e = loop.load %z[%i, %j, %k, %l] : !n
    %n = arith.negf %e : bf16
    loop.yield %n : bf16
  }
  %s = loop.pointwise (%i, %j) in [512, 256] : !t {
    %e = loop.load %g[floordiv(%i, 64), floordiv(%j, 2), mod(%i, 64), mod(%j, 2)] : !n
    loop.yield %e : bf16
  }
  %u = loop.contract parallel [512, 256] reduction [256] lhs %s[d0, d2] : !t rhs %w[d1, d2] : !w acc f32 : !t
  return %y, %u, %h, %g : !t, !t, !t, !n
}
func.func @backward(%h: !t {loop.carried = "a"}, %g: !n {loop.carried = "b"}) -> (!t, !n) {
  %p = loop.pointwise (%i, %j) in [512, 256] : !t {
    %e = loop.load %h[%i, %j] : !t
    loop.yield %e : bf16
  }
  %q = loop.pointwise (%i, %j, %k, %l) in [8, 128, 64, 2] : !n {
    %e = loop.load %g[%i, %j, %k, %l] : !n
    loop.yield %e : bf16
  }
  return %p, %q : !t, !n
}
