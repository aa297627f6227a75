// RUN: kiln-opt %s --loop-fuse-products --loop-choose-schedule --split-input-file --remarks-filter=loop-fuse-products 2>%t.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.txt

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 16, threads = 2048, registers = 65536, shared = 232448, l2 = 41943040>

!q = tensor<8x256x100xbf16>
!k = tensor<2x256x100xbf16>
!o = tensor<8x256x100xbf16>
!s = tensor<8x256x256xf32>
!z = tensor<8x256x1xf32>

// Rows of 200 bytes begin at no multiples of 16: copies of queries, keys and values have
// longer ones, those of keys that four heads share once. The result is as it was.

// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[X:.*]]: tensor<8x256x100xbf16>, %[[Y:.*]]: tensor<2x256x100xbf16>, %[[U:.*]]: tensor<2x256x100xbf16>)
// CHECK: %[[Q:.*]] = loop.kernel @softmax_padded_0 ins({{.*}} = %[[X]] : {{.*}}) shared [8, 256, 112]
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [8, 256, 112]
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[K]], %{{.*}} : index
// CHECK: loop.load %{{.*}}[%[[I]], %[[J]], %[[K]]] mask %[[IN]]
// CHECK: %[[KEYS:.*]] = loop.kernel @softmax_padded_1 ins({{.*}} = %[[Y]] : {{.*}}) shared [2, 256, 112]
// CHECK: %[[VALUES:.*]] = loop.kernel @softmax_padded_2 ins({{.*}} = %[[U]] : {{.*}}) shared [2, 256, 112]
// CHECK: loop.kernel @softmax ins({{.*}} = %[[Q]] : {{.*}} = %[[KEYS]] : {{.*}} = %[[VALUES]] : tensor<2x256x112xbf16>)
// CHECK-SAME: #loop.gpu_blocks<{{.*}} unit = wgmma>
// CHECK: loop.contract parallel [8, 256, 256] reduction [100] lhs %{{.*}}[d0, d1, d3] : tensor<8x256x112xbf16> rhs %{{.*}}[floordiv(d0, 4), d2, d3] : tensor<2x256x112xbf16>
// CHECK: loop.contract parallel [8, 256, 100] reduction [256] lhs %{{.*}} rhs %{{.*}}[floordiv(d0, 4), d3, d2] : tensor<2x256x112xbf16>
// CHECK-NOT: loop.kernel
// WHY: fused
module attributes {loop.target = #gpu} {
  func.func @heads(%x: !q, %y: !k, %value: !k) -> !o {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !k) shared [8, 256, 256] -> !s {
      %c = loop.contract parallel [8, 256, 256] reduction [100] lhs %a[d0, d1, d3] : !q
          rhs %b[floordiv(d0, 4), d2, d3] : !k acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [8, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %k] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %k] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %value : !k) shared [8, 256, 100] -> !o {
      %c = loop.contract parallel [8, 256, 100] reduction [256] lhs %a[d0, d1, d3] : !s
          rhs %b[floordiv(d0, 4), d3, d2] : !k acc f32 : !o rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !o
    }
    return %o : !o
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!q = tensor<8x256x104xbf16>
!k = tensor<8x256x104xbf16>
!o = tensor<8x256x99xbf16>
!s = tensor<8x256x256xf32>
!z = tensor<8x256x1xf32>

// What lies in longer rows already is read as it is.

// CHECK-LABEL: func.func @apart(
// CHECK-NEXT: loop.kernel @softmax
// CHECK-SAME: #loop.gpu_blocks<
// CHECK: loop.contract parallel [8, 256, 256] reduction [99]
// CHECK-NOT: loop.kernel
// WHY: fused
module attributes {loop.target = #gpu} {
  func.func @apart(%x: !q, %y: !k) -> !o {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !k) shared [8, 256, 256] -> !s {
      %c = loop.contract parallel [8, 256, 256] reduction [99] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !k acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [8, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %k] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %k] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %y : !k) shared [8, 256, 99] -> !o {
      %c = loop.contract parallel [8, 256, 99] reduction [256] lhs %a[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !k acc f32 : !o rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !o
    }
    return %o : !o
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!q = tensor<256x2400xbf16>
!k = tensor<256x2400xbf16>
!o = tensor<8x256x100xbf16>
!s = tensor<8x256x256xf32>
!z = tensor<8x256x1xf32>

// Heads of one product are copied one after the other.

// CHECK-LABEL: func.func @parts(
// CHECK: loop.kernel @softmax_padded_0 {{.*}} shared [8, 256, 112]
// CHECK: loop.load %{{.*}}[%{{.*}}, %{{.*}} * 100 + %{{.*}}]
// CHECK: loop.kernel @softmax_padded_1
// CHECK: loop.load %{{.*}}[%{{.*}}, %{{.*}} * 100 + %{{.*}} + 800]
// CHECK: loop.kernel @softmax_padded_2
// CHECK: loop.load %{{.*}}[%{{.*}}, %{{.*}} * 100 + %{{.*}} + 1600]
// CHECK: loop.kernel @softmax ins
// CHECK-SAME: #loop.gpu_blocks<
// CHECK-NOT: loop.kernel
// WHY: fused
module attributes {loop.target = #gpu} {
  func.func @parts(%x: !q, %y: !k) -> !o {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !k) shared [8, 256, 256] -> !s {
      %c = loop.contract parallel [8, 256, 256] reduction [100] lhs %a[d1, d0 * 100 + d3] : !q
          rhs %b[d2, d0 * 100 + d3 + 800] : !k acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [8, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %k] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %k] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %y : !k) shared [8, 256, 100] -> !o {
      %c = loop.contract parallel [8, 256, 100] reduction [256] lhs %a[d0, d1, d3] : !s
          rhs %b[d3, d0 * 100 + d2 + 1600] : !k acc f32 : !o rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !o
    }
    return %o : !o
  }
}

// -----

#gpu = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>

!q = tensor<8x256x100xbf16>
!k = tensor<8x100x256xbf16>
!o = tensor<8x256x100xbf16>
!s = tensor<8x256x256xf32>
!z = tensor<8x256x1xf32>

// Where one operand cannot be copied, none is.

// CHECK-LABEL: func.func @across(
// CHECK-COUNT-3: loop.kernel
// CHECK-NOT: loop.kernel
// CHECK: return
// WHY: factors of scores do not lie beside each other
module attributes {loop.target = #gpu} {
  func.func @across(%x: !q, %y: !k, %value: !q) -> !o {
    %s = loop.kernel @scores ins(%a = %x : !q, %b = %y : !k) shared [8, 256, 256] -> !s {
      %c = loop.contract parallel [8, 256, 256] reduction [100] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d3, d2] : !k acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [8, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %k] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %unit) in [8, 256, 1] reduction (%k) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %k] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %k) in [8, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %k] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %value : !q) shared [8, 256, 100] -> !o {
      %c = loop.contract parallel [8, 256, 100] reduction [256] lhs %a[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !q acc f32 : !o rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %c : !o
    }
    return %o : !o
  }
}
