// RUN: kiln-opt %s --loop-fuse-products | FileCheck %s

// What a kernel only moves is read where it lies, and not moved any more: of three pieces
// the one that others read stays.

!x = tensor<16x1024x192xbf16>
!q = tensor<16x1024x64xbf16>
!s = tensor<16x1024x1024xf32>
!z = tensor<16x1024xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // CHECK-LABEL: func.func @pieces
  // CHECK: loop.kernel @split ins({{.*}}) shared [16, 1024, 64] {{.*}}-> tensor<16x1024x64xbf16> {
  // CHECK-NEXT: loop.pointwise
  // CHECK-NEXT: loop.load {{.*}} + 128]
  // CHECK-NOT: loop.pointwise
  // CHECK: loop.kernel @slopes_rows
  func.func @pieces(%whole: !x, %g: !q, %v: !q, %l: !z, %m: !z) -> (!q, !q, !q, !q) {
    %q, %key, %other = loop.kernel @split ins(%a = %whole : !x) shared [16, 1024, 64] -> (!q, !q, !q) {
      %b = loop.pointwise (%n, %i, %d) in [16, 1024, 64] : !q {
        %e = loop.load %a[%n, %i, %d] : !x
        loop.yield %e : bf16
      }
      %c = loop.pointwise (%n, %i, %d) in [16, 1024, 64] : !q {
        %e = loop.load %a[%n, %i, %d + 64] : !x
        loop.yield %e : bf16
      }
      %f = loop.pointwise (%n, %i, %d) in [16, 1024, 64] : !q {
        %e = loop.load %a[%n, %i, %d + 128] : !x
        loop.yield %e : bf16
      }
      loop.return %b, %c, %f : !q, !q, !q
    }
    %w = loop.kernel @weights ins(%a = %q : !q, %b = %key : !q, %c = %l : !z) shared [16, 1024, 1024] -> !s {
      %s = loop.contract parallel [16, 1024, 1024] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s epilogue (%acc, %n, %i, %j) {
        %zero = arith.constant 0.0 : f32
        %p = arith.cmpi sle, %j, %i : index
        %f = loop.load %c[%n, %i] : !z
        %d = arith.subf %acc, %f : f32
        %e = math.exp %d : f32
        %h = arith.select %p, %e, %zero : f32
        loop.yield %h : f32
      }
      loop.return %s : !s
    }
    %d = loop.kernel @slopes ins(%a = %g : !q, %b = %v : !q, %c = %m : !z, %e = %w : !s) shared [16, 1024, 1024] -> !s {
      %s = loop.contract parallel [16, 1024, 1024] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s epilogue (%acc, %n, %i, %j) {
        %zero = arith.constant 0.0 : f32
        %p = arith.cmpi sle, %j, %i : index
        %f = loop.load %c[%n, %i] : !z
        %x = arith.subf %acc, %f : f32
        %y = loop.load %e[%n, %i, %j] : !s
        %z = arith.mulf %x, %y : f32
        %h = arith.select %p, %z, %zero : f32
        loop.yield %h : f32
      }
      loop.return %s : !s
    }
    %r = loop.kernel @queries ins(%a = %d : !s, %b = %key : !q) shared [16, 1024, 64] -> !q {
      %s = loop.contract parallel [16, 1024, 64] reduction [1024] lhs %a[d0, d1, d3] : !s rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %s : !q
    }
    %t = loop.kernel @keys ins(%a = %d : !s, %b = %q : !q) shared [16, 1024, 64] -> !q {
      %s = loop.contract parallel [16, 1024, 64] reduction [1024] lhs %a[d0, d3, d1] : !s rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %s : !q
    }
    %u = loop.kernel @values ins(%a = %w : !s, %b = %g : !q) shared [16, 1024, 64] -> !q {
      %s = loop.contract parallel [16, 1024, 64] reduction [1024] lhs %a[d0, d3, d1] : !s rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %s : !q
    }
    return %r, %t, %u, %other : !q, !q, !q, !q
  }
}
