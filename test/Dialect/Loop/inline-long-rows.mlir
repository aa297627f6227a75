// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-inline-virtual | FileCheck %s
// RUN: kiln-opt %s --loop-set-target --loop-inline-virtual | FileCheck %s --check-prefix=CPU

// A kernel for a GPU does not keep a row of 50257 exponentials between their sum and the
// quotients: they are computed twice.

// CHECK-LABEL: func.func @long
// CHECK-NOT: loop.pointwise
// CHECK: loop.reduce
// CHECK: math.exp
// CHECK: loop.pointwise
// CHECK: math.exp
// CPU-LABEL: func.func @long
// CPU-COUNT-2: math.exp
// CPU-NOT: math.exp
// CPU-LABEL: func.func @short
!m = tensor<64x50257xbf16>
!f = tensor<64x50257xf32>
!o = tensor<64xf32>
func.func @long(%x: !m) -> !f {
  %e = loop.pointwise (%i, %j) in [64, 50257] : !f {
    %a = loop.load %x[%i, %j] : !m
    %b = arith.extf %a : bf16 to f32
    %c = math.exp %b : f32
    %d = math.exp %c : f32
    loop.yield %d : f32
  }
  %s = loop.reduce parallel (%i) in [64] reduction (%j) in [50257] <sum> : !o {
    %a = loop.load %e[%i, %j] : !f
    loop.yield %a : f32
  }
  %r = loop.pointwise (%i, %j) in [64, 50257] : !f {
    %a = loop.load %e[%i, %j] : !f
    %b = loop.load %s[%i] : !o
    %c = arith.divf %a, %b : f32
    loop.yield %c : f32
  }
  return %r : !f
}

// One of 4096 stays in registers.

// CHECK-LABEL: func.func @short
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
!p = tensor<64x4096xbf16>
!g = tensor<64x4096xf32>
func.func @short(%x: !p) -> !g {
  %e = loop.pointwise (%i, %j) in [64, 4096] : !g {
    %a = loop.load %x[%i, %j] : !p
    %b = arith.extf %a : bf16 to f32
    %c = math.exp %b : f32
    %d = math.exp %c : f32
    loop.yield %d : f32
  }
  %s = loop.reduce parallel (%i) in [64] reduction (%j) in [4096] <sum> : !o {
    %a = loop.load %e[%i, %j] : !g
    loop.yield %a : f32
  }
  %r = loop.pointwise (%i, %j) in [64, 4096] : !g {
    %a = loop.load %e[%i, %j] : !g
    %b = loop.load %s[%i] : !o
    %c = arith.divf %a, %b : f32
    loop.yield %c : f32
  }
  return %r : !g
}
