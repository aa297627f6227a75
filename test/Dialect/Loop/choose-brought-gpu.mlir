// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_80 --loop-choose-schedule | FileCheck %s --check-prefix=EARLY

// EARLY-NOT: stages

// Rows of parts are brought ahead of their turn, if they are not so short that copies would
// have few bytes.

// CHECK: loop.kernel @gradient
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 1, stages = 2>
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
// CHECK-SAME: #loop.gpu_rows<threads = 32, rows = 8, lanes = 8, steps = 3>
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

// Long rows come in pieces where several nests read them and there is room for two blocks;
// a row that is made and read again is in registers.

// CHECK: loop.kernel @long
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 13, stages = 4>
!l = tensor<2048x50257xbf16>
func.func @long(%x: !l) -> !l {
  %r = loop.kernel @long ins(%a = %x : !l) shared [2048] -> !l {
    %m = loop.reduce parallel (%i) in [2048] reduction (%j) in [50257] <max> : tensor<2048xbf16> {
      %e = loop.load %a[%i, %j] : !l
      loop.yield %e : bf16
    }
    %p = loop.pointwise (%i, %j) in [2048, 50257] : !l {
      %e = loop.load %a[%i, %j] : !l
      %z = loop.load %m[%i] : tensor<2048xbf16>
      %d = arith.subf %e, %z : bf16
      loop.yield %d : bf16
    }
    loop.return %p : !l
  }
  return %r : !l
}

// CHECK: loop.kernel @both
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 13>
func.func @both(%x: !l, %y: !l) -> tensor<2048xf32> {
  %r = loop.kernel @both ins(%a = %x : !l, %b = %y : !l) shared [2048] -> tensor<2048xf32> {
    %m = loop.reduce parallel (%i) in [2048] reduction (%j) in [50257] <max> : tensor<2048xf32> {
      %e = loop.load %a[%i, %j] : !l
      %f = loop.load %b[%i, %j] : !l
      %g = arith.mulf %e, %f : bf16
      %h = arith.extf %g : bf16 to f32
      loop.yield %h : f32
    }
    %s = loop.reduce parallel (%i) in [2048] reduction (%j) in [50257] <sum> : tensor<2048xf32> {
      %e = loop.load %a[%i, %j] : !l
      %f = loop.load %b[%i, %j] : !l
      %g = arith.mulf %e, %f : bf16
      %h = arith.extf %g : bf16 to f32
      %z = loop.load %m[%i] : tensor<2048xf32>
      %d = arith.subf %h, %z : f32
      loop.yield %d : f32
    }
    loop.return %s : tensor<2048xf32>
  }
  return %r : tensor<2048xf32>
}

// CHECK: loop.kernel @once
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 13>
func.func @once(%x: !l) -> tensor<2048xf32> {
  %r = loop.kernel @once ins(%a = %x : !l) shared [2048] -> tensor<2048xf32> {
    %m = loop.reduce parallel (%i) in [2048] reduction (%j) in [50257] <max> : tensor<2048xf32> {
      %e = loop.load %a[%i, %j] : !l
      %h = arith.extf %e : bf16 to f32
      loop.yield %h : f32
    }
    loop.return %m : tensor<2048xf32>
  }
  return %r : tensor<2048xf32>
}

// CHECK: loop.kernel @made
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 13>
func.func @made(%x: !l) -> !l {
  %r = loop.kernel @made ins(%a = %x : !l) shared [2048] -> !l {
    %m = loop.reduce parallel (%i) in [2048] reduction (%j) in [50257] <max> : tensor<2048xbf16> {
      %e = loop.load %a[%i, %j] : !l
      loop.yield %e : bf16
    }
    %p = loop.pointwise (%i, %j) in [2048, 50257] : !l {
      %e = loop.load %a[%i, %j] : !l
      %z = loop.load %m[%i] : tensor<2048xbf16>
      %d = arith.subf %e, %z : bf16
      loop.yield %d : bf16
    }
    %q = loop.pointwise (%i, %j) in [2048, 50257] : !l {
      %e = loop.load %p[%i, %j] : !l
      %d = arith.negf %e : bf16
      loop.yield %d : bf16
    }
    loop.return %q : !l
  }
  return %r : !l
}
