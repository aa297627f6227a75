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

// -----

// A row of exponentials behind its largest number of 16 bits is added up, and each is rounded.
// CHECK-LABEL: llvm.func @softmax(
// CHECK-COUNT-2: math.exp {{.*}} fastmath<afn>
// CHECK-NOT: math.exp
// CHECK: llvm.return
func.func @softmax(%x: tensor<512x1000xbf16>) -> tensor<512x1000xbf16> {
  %r = loop.kernel @softmax ins(%a = %x : tensor<512x1000xbf16>) shared [512] -> tensor<512x1000xbf16> {
    %m = loop.reduce parallel (%i) in [512] reduction (%j) in [1000] <max> : tensor<512xf32> {
      %l = loop.load %a[%i, %j] : tensor<512x1000xbf16>
      %e = arith.extf %l : bf16 to f32
      loop.yield %e : f32
    }
    %s = loop.reduce parallel (%i) in [512] reduction (%j) in [1000] <sum> : tensor<512xf32> {
      %l = loop.load %a[%i, %j] : tensor<512x1000xbf16>
      %e = arith.extf %l : bf16 to f32
      %z = loop.load %m[%i] : tensor<512xf32>
      %d = arith.subf %e, %z : f32
      %t = math.exp %d : f32
      loop.yield %t : f32
    }
    %p = loop.pointwise (%i, %j) in [512, 1000] : tensor<512x1000xbf16> {
      %l = loop.load %a[%i, %j] : tensor<512x1000xbf16>
      %e = arith.extf %l : bf16 to f32
      %z = loop.load %m[%i] : tensor<512xf32>
      %d = arith.subf %e, %z : f32
      %t = math.exp %d : f32
      %y = loop.load %s[%i] : tensor<512xf32>
      %q = arith.divf %t, %y : f32
      %o = arith.truncf %q : f32 to bf16
      loop.yield %o : bf16
    }
    loop.return %p : tensor<512x1000xbf16>
  }
  return %r : tensor<512x1000xbf16>
}

// -----

// Not so where nothing is behind the sum's largest.
// CHECK-LABEL: llvm.func @sums(
// CHECK-NOT: fastmath<afn>
// CHECK: llvm.return
func.func @sums(%x: tensor<512x1000xbf16>) -> tensor<512xf32> {
  %r = loop.kernel @sums ins(%a = %x : tensor<512x1000xbf16>) shared [512] -> tensor<512xf32> {
    %s = loop.reduce parallel (%i) in [512] reduction (%j) in [1000] <sum> : tensor<512xf32> {
      %l = loop.load %a[%i, %j] : tensor<512x1000xbf16>
      %e = arith.extf %l : bf16 to f32
      %t = math.exp %e : f32
      loop.yield %t : f32
    }
    loop.return %s : tensor<512xf32>
  }
  return %r : tensor<512xf32>
}

// -----

// A sigmoid is as exact as f32 wherever sums are made of it: the gradient of silu.
// CHECK-LABEL: llvm.func @slope(
// CHECK: math.exp {{.*}} fastmath<afn>
func.func @slope(%x: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %r = loop.kernel @slope ins(%a = %x : tensor<4096xbf16>) shared [4096] -> tensor<4096xbf16> {
    %p = loop.pointwise (%i) in [4096] : tensor<4096xbf16> {
      %e = loop.load %a[%i] : tensor<4096xbf16>
      %v = arith.extf %e : bf16 to f32
      %one = arith.constant 1.0 : f32
      %n = arith.negf %v : f32
      %p = math.exp %n : f32
      %s = arith.addf %one, %p : f32
      %q = arith.divf %one, %s fastmath<afn> : f32
      %d = arith.subf %one, %q : f32
      %m = arith.mulf %v, %d : f32
      %t = arith.addf %one, %m : f32
      %u = arith.mulf %q, %t : f32
      %k = arith.truncf %u : f32 to bf16
      loop.yield %k : bf16
    }
    loop.return %p : tensor<4096xbf16>
  }
  return %r : tensor<4096xbf16>
}
