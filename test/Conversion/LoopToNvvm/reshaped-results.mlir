// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// A kernel that only gives the result of another one other sizes is none: the launch
// has them.

// CHECK-LABEL: func.func @sizes
// CHECK: %[[R:.*]] = loop.launch_grid(%arg0) {{.*}} : (tensor<2x2x256xf32>) -> tensor<2x8x1x64xf32>
// CHECK-NEXT: return %[[R]]
!a = tensor<2x2x4x64xf32>
!b = tensor<2x8x1x64xf32>
func.func @sizes(%x: tensor<2x2x256xf32>) -> !b {
  %r = loop.kernel @made ins(%a = %x : tensor<2x2x256xf32>) shared [2, 2] -> !a {
    %m = loop.reduce parallel (%n, %i) in [2, 2] reduction (%j) in [256] <sum> : tensor<2x2xf32> {
      %e = loop.load %a[%n, %i, %j] : tensor<2x2x256xf32>
      loop.yield %e : f32
    }
    %p = loop.pointwise (%n, %i, %j, %k) in [2, 2, 4, 64] : !a {
      %e = loop.load %m[%n, %i] : tensor<2x2xf32>
      loop.yield %e : f32
    }
    loop.return %p : !a
  }
  %c = loop.kernel @made_copy ins(%a = %r : !a) shared [2, 8, 1, 64] -> !b {
    %p = loop.pointwise (%n, %h, %i, %j) in [2, 8, 1, 64] : !b {
      %e = loop.load %a[%n, floordiv(%h, 4), mod(%h, 4), %j] : !a
      loop.yield %e : f32
    }
    loop.return %p : !b
  }
  return %c : !b
}

// Also for another kernel, which reads the result with the sizes that the copy gave it.

// CHECK-LABEL: func.func @reader
// CHECK: %[[M:.*]] = loop.launch_grid(%arg0) {{.*}} : (tensor<2x2x256xf32>) -> tensor<2x8x1x64xf32>
// CHECK-NEXT: %[[N:.*]] = loop.launch_grid(%[[M]]) {{.*}} : (tensor<2x8x1x64xf32>) -> tensor<2x1x64xf32>
// CHECK-NEXT: return %[[N]]
func.func @reader(%x: tensor<2x2x256xf32>) -> tensor<2x1x64xf32> {
  %r = loop.kernel @first ins(%a = %x : tensor<2x2x256xf32>) shared [2, 2] -> !a {
    %p = loop.pointwise (%n, %i, %j, %k) in [2, 2, 4, 64] : !a {
      %e = loop.load %a[%n, %i, %j * 64 + %k] : tensor<2x2x256xf32>
      %f = arith.negf %e : f32
      loop.yield %f : f32
    }
    loop.return %p : !a
  }
  %c = loop.kernel @first_copy ins(%a = %r : !a) shared [2, 8, 1, 64] -> !b {
    %p = loop.pointwise (%n, %h, %i, %j) in [2, 8, 1, 64] : !b {
      %e = loop.load %a[%n, floordiv(%h, 4), mod(%h, 4), %j] : !a
      loop.yield %e : f32
    }
    loop.return %p : !b
  }
  %s = loop.kernel @second ins(%a = %c : !b) shared [2, 1, 64] -> tensor<2x1x64xf32> {
    %p = loop.reduce parallel (%n, %i, %j) in [2, 1, 64] reduction (%h) in [8] <sum> : tensor<2x1x64xf32> {
      %e = loop.load %a[%n, %h, %i, %j] : !b
      loop.yield %e : f32
    }
    loop.return %p : tensor<2x1x64xf32>
  }
  return %s : tensor<2x1x64xf32>
}

// Another order, fewer elements, somebody else who reads the result, and a result that may lie
// where an input does are copies.

// CHECK-LABEL: func.func @turned
// CHECK-COUNT-2: loop.launch_grid
// CHECK-LABEL: func.func @first
// CHECK-COUNT-2: loop.launch_grid
// CHECK-LABEL: func.func @both
// CHECK-COUNT-2: loop.launch_grid
// CHECK-LABEL: func.func @over
// CHECK-COUNT-2: loop.launch_grid
!c = tensor<64x4xf32>
!d = tensor<4x64xf32>
!e = tensor<256xf32>
func.func @turned(%x: !c) -> !d {
  %r = loop.kernel @one ins(%a = %x : !c) shared [64, 4] -> !c {
    %p = loop.pointwise (%i, %j) in [64, 4] : !c {
      %e = loop.load %a[63 - %i, %j] : !c
      loop.yield %e : f32
    }
    loop.return %p : !c
  }
  %c = loop.kernel @other ins(%a = %r : !c) shared [4, 64] -> !d {
    %p = loop.pointwise (%i, %j) in [4, 64] : !d {
      %e = loop.load %a[%j, %i] : !c
      loop.yield %e : f32
    }
    loop.return %p : !d
  }
  return %c : !d
}

func.func @first(%x: tensor<64x256xf32>) -> tensor<32x1xf32> {
  %r = loop.kernel @sums ins(%a = %x : tensor<64x256xf32>) shared [64] -> tensor<64xf32> {
    %m = loop.reduce parallel (%n) in [64] reduction (%j) in [256] <sum> : tensor<64xf32> {
      %e = loop.load %a[%n, %j] : tensor<64x256xf32>
      loop.yield %e : f32
    }
    loop.return %m : tensor<64xf32>
  }
  %c = loop.kernel @sums_copy ins(%a = %r : tensor<64xf32>) shared [32, 1] -> tensor<32x1xf32> {
    %p = loop.pointwise (%i, %j) in [32, 1] : tensor<32x1xf32> {
      %e = loop.load %a[%i] : tensor<64xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<32x1xf32>
  }
  return %c : tensor<32x1xf32>
}

func.func @both(%x: !c) -> (!c, !e) {
  %r = loop.kernel @one ins(%a = %x : !c) shared [64, 4] -> !c {
    %p = loop.pointwise (%i, %j) in [64, 4] : !c {
      %e = loop.load %a[63 - %i, %j] : !c
      loop.yield %e : f32
    }
    loop.return %p : !c
  }
  %c = loop.kernel @other ins(%a = %r : !c) shared [256] -> !e {
    %p = loop.pointwise (%i) in [256] : !e {
      %e = loop.load %a[floordiv(%i, 4), mod(%i, 4)] : !c
      loop.yield %e : f32
    }
    loop.return %p : !e
  }
  return %r, %c : !c, !e
}

func.func @over(%x: !c) -> !e {
  %r = loop.kernel @one ins(%a = %x : !c) shared [64, 4] -> !c {
    %p = loop.pointwise (%i, %j) in [64, 4] : !c {
      %e = loop.load %a[%i, %j] : !c
      %f = arith.negf %e : f32
      loop.yield %f : f32
    }
    loop.return %p : !c
  }
  %c = loop.kernel @other ins(%a = %r : !c) shared [256] -> !e {
    %p = loop.pointwise (%i) in [256] : !e {
      %e = loop.load %a[floordiv(%i, 4), mod(%i, 4)] : !c
      loop.yield %e : f32
    }
    loop.return %p : !e
  }
  return %c : !e
}
