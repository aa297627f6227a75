// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_80 --loop-choose-schedule | FileCheck %s --check-prefix=EARLY

// EARLY-NOT: stages

// Rows of parts are brought ahead of their turn, if they are not so short that copies would
// have few bytes.

// CHECK: loop.kernel @gradient
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 1, stages = 3>
!x = tensor<16384x4096xbf16>
!m = tensor<16384xf32>
!s = tensor<256x4096xf32>
func.func @gradient(%x: !x, %g: !x) -> (!x, !s) {
  %r:2 = loop.kernel @gradient ins(%a = %x : !x, %b = %g : !x) shared [16384] -> (!x, !s) {
    %m = loop.reduce parallel (%i) in [16384] reduction (%j) in [4096] <sum> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %p = loop.pointwise (%i, %j) in [16384, 4096] : !x {
      %e = loop.load %b[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%i] : !m
      %y = arith.mulf %f, %t : f32
      %h = arith.truncf %y : f32 to bf16
      loop.yield %h : bf16
    }
    %s = loop.reduce parallel (%q, %j) in [256, 4096] reduction (%n) in [64] <sum> : !s {
      %e = loop.load %a[%q * 64 + %n, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %h = loop.load %b[%q * 64 + %n, %j] : !x
      %k = arith.extf %h : bf16 to f32
      %y = arith.mulf %f, %k : f32
      loop.yield %y : f32
    }
    loop.return %p, %s : !x, !s
  }
  return %r#0, %r#1 : !x, !s
}

// CHECK: loop.kernel @short
// CHECK-SAME: #loop.gpu_rows<threads = 128, rows = 1, lanes = 8, steps = 1>
func.func @short(%x: tensor<8192x768xbf16>) -> tensor<128x768xf32> {
  %r = loop.kernel @short ins(%a = %x : tensor<8192x768xbf16>) shared [8192] -> tensor<128x768xf32> {
    %s = loop.reduce parallel (%q, %j) in [128, 768] reduction (%n) in [64] <sum> : tensor<128x768xf32> {
      %e = loop.load %a[%q * 64 + %n, %j] : tensor<8192x768xbf16>
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %s : tensor<128x768xf32>
  }
  return %r : tensor<128x768xf32>
}
