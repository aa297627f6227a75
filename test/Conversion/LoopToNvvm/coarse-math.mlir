// RUN: kiln-opt %s --split-input-file --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// 1 is added to the exponential, and the quotient is rounded to bf16 behind a product.
// CHECK-LABEL: llvm.func @silu(
// CHECK: math.exp {{.*}} fastmath<afn>
func.func @silu(%x: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %r = loop.kernel @silu ins(%a = %x : tensor<4096xbf16>) shared [4096] -> tensor<4096xbf16> {
    %p = loop.pointwise (%i) in [4096] : tensor<4096xbf16> {
      %e = loop.load %a[%i] : tensor<4096xbf16>
      %v = arith.extf %e : bf16 to f32
      %one = arith.constant 1.0 : f32
      %n = arith.negf %v : f32
      %p = math.exp %n : f32
      %s = arith.addf %one, %p : f32
      %q = arith.divf %one, %s fastmath<afn> : f32
      %m = arith.mulf %v, %q : f32
      %k = arith.truncf %m : f32 to bf16
      loop.yield %k : bf16
    }
    loop.return %p : tensor<4096xbf16>
  }
  return %r : tensor<4096xbf16>
}

// -----

// So is 1 + erf of gelu.
// CHECK-LABEL: llvm.func @gelu(
// CHECK: math.erf {{.*}} fastmath<afn>
func.func @gelu(%x: tensor<4096xf16>) -> tensor<4096xf16> {
  %r = loop.kernel @gelu ins(%a = %x : tensor<4096xf16>) shared [4096] -> tensor<4096xf16> {
    %p = loop.pointwise (%i) in [4096] : tensor<4096xf16> {
      %e = loop.load %a[%i] : tensor<4096xf16>
      %v = arith.extf %e : f16 to f32
      %one = arith.constant 1.0 : f32
      %c = arith.constant 0.70710678 : f32
      %n = arith.mulf %v, %c : f32
      %p = math.erf %n : f32
      %s = arith.addf %p, %one : f32
      %m = arith.mulf %v, %s : f32
      %k = arith.truncf %m : f32 to f16
      loop.yield %k : f16
    }
    loop.return %p : tensor<4096xf16>
  }
  return %r : tensor<4096xf16>
}

// -----

// The same in f32, ...
// CHECK-LABEL: llvm.func @wide(
// CHECK-NOT: fastmath
// CHECK: llvm.return
func.func @wide(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %r = loop.kernel @wide ins(%a = %x : tensor<4096xf32>) shared [4096] -> tensor<4096xf32> {
    %p = loop.pointwise (%i) in [4096] : tensor<4096xf32> {
      %v = loop.load %a[%i] : tensor<4096xf32>
      %one = arith.constant 1.0 : f32
      %p = math.erf %v : f32
      %s = arith.addf %p, %one : f32
      %m = arith.mulf %v, %s : f32
      loop.yield %m : f32
    }
    loop.return %p : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// -----

// ... where something is taken off the sum before it is rounded, or erf itself is seen.
// CHECK-LABEL: llvm.func @differences(
// CHECK-NOT: fastmath
// CHECK: llvm.return
func.func @differences(%x: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %r = loop.kernel @differences ins(%a = %x : tensor<4096xbf16>) shared [4096] -> tensor<4096xbf16> {
    %p = loop.pointwise (%i) in [4096] : tensor<4096xbf16> {
      %e = loop.load %a[%i] : tensor<4096xbf16>
      %v = arith.extf %e : bf16 to f32
      %one = arith.constant 1.0 : f32
      %p = math.exp %v : f32
      %s = arith.addf %p, %one : f32
      %d = arith.subf %s, %v : f32
      %f = math.erf %v : f32
      %t = arith.mulf %d, %f : f32
      %k = arith.truncf %t : f32 to bf16
      loop.yield %k : bf16
    }
    loop.return %p : tensor<4096xbf16>
  }
  return %r : tensor<4096xbf16>
}
