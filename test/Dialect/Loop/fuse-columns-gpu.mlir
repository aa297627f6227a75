// RUN: kiln-opt %s --loop-set-target="chip=sm_90a l2-bytes=52428800" --loop-fuse-columns --loop-choose-schedule --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a l2-bytes=52428800" --loop-fuse-columns --split-input-file --remarks-filter=loop-fuse-columns 2>&1 | FileCheck %s --check-prefix=WHY

// The gradient of a norm of 16384 rows: two blocks of 512 threads on each of 132
// multiprocessors, of which 256 have 64 rows each. Both sums are of the same parts.

// WHY-COUNT-2: remark: [Passed] fused | Category:loop-fuse-columns | Function=norm | kernel=rows, rows=64

// CHECK-LABEL: func.func @norm
// CHECK: %[[R:.*]]:4 = loop.kernel @rows
// CHECK-SAME: shared [16384]
// CHECK-SAME: #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 1, stages = 2>
// CHECK: loop.reduce parallel (%i, %j) in [256, 4096] reduction (%k) in [64] <sum>
// CHECK: loop.reduce parallel (%i, %j) in [256, 4096] reduction (%k) in [64] <sum>
// CHECK: loop.kernel @columns ins(%{{.*}} = %[[R]]#2 : tensor<256x4096xf32>, %{{.*}} = %[[R]]#3 : tensor<256x4096xf32>)
// CHECK-SAME: #loop.gpu_parts
!x = tensor<16384x4096xbf16>
!m = tensor<16384xf32>
!w = tensor<4096xbf16>
!s = tensor<4096xf32>
func.func @norm(%x: !x, %g: !x, %w: !w) -> (!x, !s, !s) {
  %r:2 = loop.kernel @rows ins(%a = %x : !x, %b = %g : !x, %c = %w : !w) shared [16384] -> (!m, !x) {
    %m = loop.reduce parallel (%i) in [16384] reduction (%j) in [4096] <sum> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %p = loop.pointwise (%i, %j) in [16384, 4096] : !x {
      %e = loop.load %b[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %u = loop.load %c[%j] : !w
      %v = arith.extf %u : bf16 to f32
      %t = loop.load %m[%i] : !m
      %y = arith.mulf %f, %t : f32
      %z = arith.mulf %y, %v : f32
      %h = arith.truncf %z : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %m, %p : !m, !x
  }
  %c:2 = loop.kernel @columns ins(%a = %x : !x, %b = %g : !x, %m = %r#0 : !m) shared [4096] -> (!s, !s) {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : !s {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %d = loop.load %b[%i, %j] : !x
      %h = arith.extf %d : bf16 to f32
      %t = loop.load %m[%i] : !m
      %y = arith.subf %f, %t : f32
      %z = arith.mulf %y, %h : f32
      loop.yield %z : f32
    }
    %q = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : !s {
      %d = loop.load %b[%i, %j] : !x
      %h = arith.extf %d : bf16 to f32
      loop.yield %h : f32
    }
    loop.return %s, %q : !s, !s
  }
  return %r#1, %c#0, %c#1 : !x, !s, !s
}

// -----

// What the cache has is read again sooner than rows go one after the other.

// WHY: remark: [Missed] not-fused | Category:loop-fuse-columns | Function=small | Reason="too few bytes are read by both", kernel=columns
// CHECK-LABEL: func.func @small
// CHECK: reduction (%j) in [4096] <sum>
!x = tensor<4096x1024xf32>
func.func @small(%x: !x) -> (tensor<4096xf32>, tensor<1024xf32>) {
  %r = loop.kernel @rows ins(%a = %x : !x) shared [4096] -> tensor<4096xf32> {
    %m = loop.reduce parallel (%i) in [4096] reduction (%j) in [1024] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : !x
      loop.yield %e : f32
    }
    loop.return %m : tensor<4096xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : !x, %m = %r : tensor<4096xf32>) shared [1024] -> tensor<1024xf32> {
    %s = loop.reduce parallel (%j) in [1024] reduction (%i) in [4096] <sum> : tensor<1024xf32> {
      %e = loop.load %a[%i, %j] : !x
      %t = loop.load %m[%i] : tensor<4096xf32>
      %y = arith.mulf %e, %t : f32
      loop.yield %y : f32
    }
    loop.return %s : tensor<1024xf32>
  }
  return %r, %c : tensor<4096xf32>, tensor<1024xf32>
}

// -----

// Warps have short rows of their own, eight of a part at a time. What a linear layer sums up over
// 4096 rows is what a norm has as 8 times 512, whose gradient the layer reads as 4096 again.

// WHY-COUNT-2: remark: [Passed] fused | Category:loop-fuse-columns | Function=short | kernel=rows, rows=32
// CHECK-LABEL: func.func @short
// CHECK: %[[R:.*]]:3 = loop.kernel @rows
// CHECK-SAME: #loop.gpu_rows<threads = 32, rows = 8, lanes = 8, steps = 3>
// CHECK: loop.reduce parallel (%i, %j, %k) in [8, 16, 768] reduction (%l) in [32] <sum>
// CHECK: loop.reduce parallel (%i, %j, %k) in [8, 16, 768] reduction (%l) in [32] <sum>
// CHECK: loop.kernel @bias ins(%{{.*}} = %[[R]]#{{[12]}} : tensor<8x16x768xf32>)
// CHECK-SAME: #loop.gpu_parts<threads = 256, lanes = 1, parts = 1, columns = 32>
// CHECK: loop.kernel @weight ins(%{{.*}} = %[[R]]#{{[12]}} : tensor<8x16x768xf32>)
!x = tensor<8x512x768xbf16>
!y = tensor<4096x768xbf16>
!m = tensor<8x512xf32>
!s = tensor<768xf32>
func.func @short(%x: !x, %g: !y) -> (!x, !s, !s) {
  %r = loop.kernel @rows ins(%a = %x : !x, %b = %g : !y) shared [8, 512] -> !x {
    %m = loop.reduce parallel (%i, %j) in [8, 512] reduction (%k) in [768] <sum> : !m {
      %e = loop.load %b[%i * 512 + %j, %k] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [8, 512, 768] : !x {
      %e = loop.load %a[%i, %j, %k] : !x
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%i, %j] : !m
      %z = arith.mulf %f, %t : f32
      %h = arith.truncf %z : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %p : !x
  }
  %c = loop.kernel @bias ins(%a = %r : !x) shared [768] -> !s {
    %s = loop.reduce parallel (%k) in [768] reduction (%i) in [4096] <sum> : !s {
      %e = loop.load %a[floordiv(%i, 512), mod(%i, 512), %k] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %s : !s
  }
  %w = loop.kernel @weight ins(%a = %x : !x, %b = %g : !y) shared [768] -> !s {
    %s = loop.reduce parallel (%k) in [768] reduction (%i, %j) in [8, 512] <sum> : !s {
      %e = loop.load %a[%i, %j, %k] : !x
      %f = arith.extf %e : bf16 to f32
      %d = loop.load %b[%i * 512 + %j, %k] : !y
      %h = arith.extf %d : bf16 to f32
      %z = arith.mulf %f, %h : f32
      loop.yield %z : f32
    }
    loop.return %s : !s
  }
  return %r, %c, %w : !x, !s, !s
}

// -----

// Of 512 rows 128 parts have four, and eight warps of a block would share them.

// WHY: Function=few | Reason="warps would have a row each"
// CHECK-LABEL: func.func @few
// CHECK: reduction (%j) in [512] <sum>
!f = tensor<512x640xf32>
func.func @few(%x: !f) -> (tensor<512xf32>, tensor<640xf32>) {
  %r = loop.kernel @rows ins(%a = %x : !f) shared [512] -> tensor<512xf32> {
    %m = loop.reduce parallel (%i) in [512] reduction (%j) in [640] <sum> : tensor<512xf32> {
      %e = loop.load %a[%i, %j] : !f
      loop.yield %e : f32
    }
    loop.return %m : tensor<512xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : !f, %m = %r : tensor<512xf32>) shared [640] -> tensor<640xf32> {
    %s = loop.reduce parallel (%i) in [640] reduction (%j) in [512] <sum> : tensor<640xf32> {
      %e = loop.load %a[%j, %i] : !f
      %t = loop.load %m[%j] : tensor<512xf32>
      %y = arith.mulf %e, %t : f32
      loop.yield %y : f32
    }
    loop.return %s : tensor<640xf32>
  }
  return %r, %c : tensor<512xf32>, tensor<640xf32>
}

// -----

// Rows too long for the registers of a block that sums them up; a sum that reads another
// column of what the rows make; a number of rows that leaves most blocks without any.

// WHY: Function=long | Reason="a block cannot keep its row and the sums in registers"
// WHY: Function=reversed | Reason="a block cannot keep its row and the sums in registers"
// WHY: Function=prime | Reason="its rows cannot be cut into enough parts of few rows"
// CHECK-LABEL: func.func @long
// CHECK: reduction (%j) in [4096] <sum>
!l = tensor<4096x16384xf32>
func.func @long(%x: !l) -> (tensor<4096xf32>, tensor<16384xf32>) {
  %r = loop.kernel @rows ins(%a = %x : !l) shared [4096] -> tensor<4096xf32> {
    %m = loop.reduce parallel (%i) in [4096] reduction (%j) in [16384] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : !l
      loop.yield %e : f32
    }
    loop.return %m : tensor<4096xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : !l, %m = %r : tensor<4096xf32>) shared [16384] -> tensor<16384xf32> {
    %s = loop.reduce parallel (%j) in [16384] reduction (%i) in [4096] <sum> : tensor<16384xf32> {
      %e = loop.load %a[%i, %j] : !l
      %t = loop.load %m[%i] : tensor<4096xf32>
      %y = arith.mulf %e, %t : f32
      loop.yield %y : f32
    }
    loop.return %s : tensor<16384xf32>
  }
  return %r, %c : tensor<4096xf32>, tensor<16384xf32>
}

// CHECK-LABEL: func.func @reversed
// CHECK: reduction (%j) in [16384] <sum>
!y = tensor<16384x4096xf32>
func.func @reversed(%x: !y) -> (!y, tensor<4096xf32>) {
  %r = loop.kernel @rows ins(%a = %x : !y) shared [16384] -> !y {
    %m = loop.reduce parallel (%i) in [16384] reduction (%j) in [4096] <sum> : tensor<16384xf32> {
      %e = loop.load %a[%i, %j] : !y
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [16384, 4096] : !y {
      %e = loop.load %a[%i, %j] : !y
      %t = loop.load %m[%i] : tensor<16384xf32>
      %d = arith.subf %e, %t : f32
      loop.yield %d : f32
    }
    loop.return %p : !y
  }
  %c = loop.kernel @columns ins(%a = %x : !y, %m = %r : !y) shared [4096] -> tensor<4096xf32> {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : !y
      %t = loop.load %m[%i, 4095 - %j] : !y
      %z = arith.mulf %e, %t : f32
      loop.yield %z : f32
    }
    loop.return %s : tensor<4096xf32>
  }
  return %r, %c : !y, tensor<4096xf32>
}

// CHECK-LABEL: func.func @prime
// CHECK: reduction (%j) in [16381] <sum>
!z = tensor<16381x4096xf32>
func.func @prime(%x: !z) -> (tensor<16381xf32>, tensor<4096xf32>) {
  %r = loop.kernel @rows ins(%a = %x : !z) shared [16381] -> tensor<16381xf32> {
    %m = loop.reduce parallel (%i) in [16381] reduction (%j) in [4096] <sum> : tensor<16381xf32> {
      %e = loop.load %a[%i, %j] : !z
      loop.yield %e : f32
    }
    loop.return %m : tensor<16381xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : !z, %m = %r : tensor<16381xf32>) shared [4096] -> tensor<4096xf32> {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16381] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : !z
      %t = loop.load %m[%i] : tensor<16381xf32>
      %y = arith.mulf %e, %t : f32
      loop.yield %y : f32
    }
    loop.return %s : tensor<4096xf32>
  }
  return %r, %c : tensor<16381xf32>, tensor<4096xf32>
}
