// RUN: kiln-opt %s --loop-fuse-products --loop-choose-schedule --split-input-file --remarks-filter=loop-fuse-products 2>%t.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.txt

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!h = tensor<512x192xbf16>
!q = tensor<2x256x64xf32>
!s = tensor<2x256x256xf32>
!z = tensor<2x256x1xf32>

// Queries, keys and values that were parted from one product and extended are read from
// it, and scores and weights never are in memory.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[H:.*]]: tensor<512x192xbf16>)
// CHECK-NEXT: loop.kernel @softmax ins(%[[A:.*]] = %[[H]] : tensor<512x192xbf16>, %[[B:.*]] = %[[H]] : tensor<512x192xbf16>, %[[C:.*]] = %[[H]]
// CHECK-SAME: shared [2, 256]
// CHECK-SAME: #loop.gpu_blocks<rows = 32, columns = 64, part_rows = 16, stages = 2, group = 16>
// CHECK: loop.contract parallel [2, 256, 256] reduction [64] lhs %[[A]][d0 * 256 + d1, d3] : tensor<512x192xbf16> rhs %[[B]][d0 * 256 + d2, d3 + 64]
// CHECK-NOT: prologue
// CHECK: loop.reduce
// CHECK: loop.contract {{.*}}rhs %[[C]][d0 * 256 + d3, d2 + 128] : tensor<512x192xbf16> {{.*}}rhs_prologue
// CHECK-NOT: loop.kernel
// WHY: fused
module attributes {loop.target = #gpu} {
  func.func @attention(%x: !h) -> !q {
    %p:3 = loop.kernel @parted ins(%a = %x : !h) shared [2, 256, 64] -> (!q, !q, !q) {
      %u = loop.pointwise (%i, %j, %k) in [2, 256, 64] : !q {
        %f = loop.load %a[%i * 256 + %j, %k] : !h
        %g = arith.extf %f : bf16 to f32
        loop.yield %g : f32
      }
      %v = loop.pointwise (%i, %j, %k) in [2, 256, 64] : !q {
        %f = loop.load %a[%i * 256 + %j, %k + 64] : !h
        %g = arith.extf %f : bf16 to f32
        loop.yield %g : f32
      }
      %w = loop.pointwise (%i, %j, %k) in [2, 256, 64] : !q {
        %f = loop.load %a[%i * 256 + %j, %k + 128] : !h
        %g = arith.extf %f : bf16 to f32
        loop.yield %g : f32
      }
      loop.return %u, %v, %w : !q, !q, !q
    }
    %s = loop.kernel @scores ins(%a = %p#0 : !q, %b = %p#1 : !q) shared [2, 256, 256] -> !s {
      %c = loop.contract parallel [2, 256, 256] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [2, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [2, 256, 1] reduction (%k) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %k) in [2, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %k] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [2, 256, 1] reduction (%k) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %k) in [2, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %k] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %p#2 : !q) shared [2, 256, 64] -> !q {
      %c = loop.contract parallel [2, 256, 64] reduction [256] lhs %a[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %c : !q
    }
    return %o : !q
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!q = tensor<2x256x64xf32>
!s = tensor<2x256x256xf32>

// f32 is multiplied exactly, by kernels of their own.

// CHECK-LABEL: func.func @exact
// CHECK-COUNT-3: loop.kernel
// WHY: factors are not all of bf16, or all of f16, as they lie in memory
module attributes {loop.target = #gpu} {
  func.func @exact(%x: !q, %y: !q) -> !q {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !q) shared [2, 256, 256] -> !s {
      %c = loop.contract parallel [2, 256, 256] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @rows ins(%a = %s : !s) shared [2, 256] -> !s {
      %e = loop.pointwise (%i, %j, %k) in [2, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %k] : !s
        %g = math.sqrt %f : f32
        loop.yield %g : f32
      }
      loop.return %e : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %y : !q) shared [2, 256, 64] -> !q {
      %c = loop.contract parallel [2, 256, 64] reduction [256] lhs %a[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %c : !q
    }
    return %o : !q
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!x = tensor<256x256xbf16>
!y = tensor<256x256xf32>

// Matrix units extend by themselves.

// CHECK-LABEL: func.func @extended
// CHECK: unit = mma
// CHECK-NOT: prologue
module attributes {loop.target = #gpu} {
  func.func @extended(%x: !x) -> !y {
    %s = loop.kernel @product ins(%a = %x : !x) shared [256, 256] -> !y {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !x
          rhs %a[d1, d2] : !x acc f32 : !y lhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      } rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !y
    }
    return %s : !y
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!q = tensor<2x4x512x64xbf16>
!s = tensor<2x4x512x512xf32>
!z = tensor<2x4x512x1xf32>
!k = tensor<8x64x512xf32>

// A product that sums over the rows may have points of several dimensions as one, and
// its columns first: then others read its result with these dimensions apart.

// CHECK-LABEL: func.func @backward(
// CHECK-NEXT: loop.kernel @softmax
// CHECK-SAME: shared [2, 4, 512]
// CHECK-SAME: #loop.gpu_blocks<rows = 32, columns = 32, part_rows = 16, stages = 2, group = 16>
// CHECK: loop.contract parallel [2, 4, 512, 512] reduction [64]
// CHECK: loop.contract parallel [2, 4, 64, 512] reduction [512] lhs %{{.*}}[d0, d1, d4, d2] : tensor<2x4x512x64xbf16> rhs %{{.*}}[d0, d1, d4, d3]
// CHECK-SAME: tensor<2x4x64x512xf32>
// CHECK: loop.contract parallel [2, 4, 512, 64] reduction [512]
// CHECK: loop.return
// CHECK: loop.kernel @transposed
// CHECK: loop.load %{{.*}}[%i, %j, %l, %k] : tensor<2x4x64x512xf32>
// CHECK-NOT: loop.kernel
module attributes {loop.target = #gpu} {
  func.func @backward(%x: !q, %y: !q) -> (!q, !q) {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !q) shared [2, 4, 512, 512] -> !s {
      %c = loop.contract parallel [2, 4, 512, 512] reduction [64] lhs %a[d0, d1, d2, d4] : !q
          rhs %b[d0, d1, d3, d4] : !q acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [2, 4, 512] -> !s {
      %m = loop.reduce parallel (%i, %j, %k, %u) in [2, 4, 512, 1] reduction (%l) in [512] <max> : !z {
        %f = loop.load %a[%i, %j, %k, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %k, %l) in [2, 4, 512, 512] : !s {
        %f = loop.load %a[%i, %j, %k, %l] : !s
        %g = loop.load %m[%i, %j, %k, 0] : !z
        %d = arith.subf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %e : !s
    }
    %o = loop.kernel @keys ins(%a = %x : !q, %b = %w : !s) shared [8, 64, 512] -> !k {
      %c = loop.contract parallel [8, 64, 512] reduction [512]
          lhs %a[floordiv(d0, 4), mod(d0, 4), d3, d1] : !q
          rhs %b[floordiv(d0, 4), mod(d0, 4), d3, d2] : !s acc f32 : !k lhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !k
    }
    %t = loop.kernel @transposed ins(%a = %o : !k) shared [2, 4, 512, 64] -> !q {
      %p = loop.pointwise (%i, %j, %k, %l) in [2, 4, 512, 64] : !q {
        %f = loop.load %a[%i * 4 + %j, %l, %k] : !k
        %g = arith.truncf %f : f32 to bf16
        loop.yield %g : bf16
      }
      loop.return %p : !q
    }
    %r = loop.kernel @queries ins(%a = %w : !s, %b = %y : !q) shared [2, 4, 512, 64] -> !q {
      %c = loop.contract parallel [2, 4, 512, 64] reduction [512] lhs %a[d0, d1, d2, d4] : !s
          rhs %b[d0, d1, d4, d3] : !q acc f32 : !q rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !q
    }
    return %r, %t : !q, !q
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!q = tensor<2x8x1x64xbf16>
!k = tensor<2x2x512x64xbf16>
!s = tensor<16x1x512xf32>
!w = tensor<2x8x1x512xf32>
!z = tensor<2x8x1x1xf32>

// One row of each head reads its keys in parts, and heads that share keys are the rows of
// a block; the caller's sizes are copied to.

// CHECK-LABEL: func.func @one_row(
// CHECK: loop.kernel @softmax ins({{.*}}) shared [2, 2, 4] {{.*}} #loop.gpu_column_parts<columns = 64, stages = 2, parts = 8>
// CHECK: loop.contract parallel [2, 2, 4, 512] reduction [64] lhs %{{.*}}[d0, d1 * 4 + d2, 0, d4] : tensor<2x8x1x64xbf16> rhs %{{.*}}[d0, d1, d3, d4] : tensor<2x2x512x64xbf16>
// CHECK: loop.contract parallel [2, 2, 4, 64] reduction [512] lhs %{{.*}}[d0, d1, d2, d4] : {{.*}} rhs %{{.*}}[d0, d1, d4, d3] : tensor<2x2x512x64xbf16>
// CHECK: loop.kernel @softmax_copy
// CHECK: loop.load %{{.*}}[%{{.*}}, floordiv(%[[H:.*]], 4), mod(%[[H]], 4), %{{.*}}] : tensor<2x2x4x64xbf16>
module attributes {loop.target = #gpu} {
  func.func @one_row(%x: !q, %y: !k, %u: !k) -> !q {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !k) shared [16, 1, 512] -> !s {
      %c = loop.contract parallel [16, 1, 512] reduction [64]
          lhs %a[floordiv(d0, 8), mod(d0, 8), d1, d3] : !q
          rhs %b[floordiv(d0, 8), floordiv(mod(d0, 8), 4), d2, d3] : !k acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [2, 8, 1] -> !w {
      %m = loop.reduce parallel (%n, %h, %i, %unit) in [2, 8, 1, 1] reduction (%j) in [512] <max> : !z {
        %f = loop.load %a[%n * 8 + %h, %i, %j] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%n, %h, %i, %j) in [2, 8, 1, 512] : !w {
        %f = loop.load %a[%n * 8 + %h, %i, %j] : !s
        %g = loop.load %m[%n, %h, %i, 0] : !z
        %d = arith.subf %f, %g : f32
        %p = math.exp %d : f32
        loop.yield %p : f32
      }
      %t = loop.reduce parallel (%n, %h, %i, %unit) in [2, 8, 1, 1] reduction (%j) in [512] <sum> : !z {
        %f = loop.load %e[%n, %h, %i, %j] : !w
        loop.yield %f : f32
      }
      %o = loop.pointwise (%n, %h, %i, %j) in [2, 8, 1, 512] : !w {
        %f = loop.load %e[%n, %h, %i, %j] : !w
        %g = loop.load %t[%n, %h, %i, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %o : !w
    }
    %o = loop.kernel @values ins(%a = %w : !w, %b = %u : !k) shared [2, 8, 1, 64] -> !q {
      %c = loop.contract parallel [2, 8, 1, 64] reduction [512] lhs %a[d0, d1, d2, d4] : !w
          rhs %b[d0, floordiv(d1, 4), d4, d3] : !k acc f32 : !q rhs_prologue (%x1) {
        %f = arith.extf %x1 : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !q
    }
    return %o : !q
  }
}
