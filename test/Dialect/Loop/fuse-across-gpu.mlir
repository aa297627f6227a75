// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-fuse --loop-choose-schedule \
// RUN:   --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target --loop-fuse --split-input-file | FileCheck %s --check-prefix=CPU

// Softmax over channels that are not last: all nests have the same columns, wherever their
// dimensions stand. On a processor images would be too few.

// CHECK-LABEL: func.func @softmax
// CHECK: loop.kernel {{.*}} shared [8]
// CHECK-SAME: #loop.gpu_columns<threads = 128, lanes = 1, columns = 128, steps = 64>
// CHECK-NOT: loop.kernel
// CHECK: {{^ +}}return
// CPU-LABEL: func.func @softmax
// CPU-COUNT-4: loop.kernel
// CPU: {{^ +}}return
!t = tensor<8x64x128x128xf32>
!c = tensor<8x1x128x128xf32>
func.func @softmax(%x: !t) -> !t {
  %m = loop.reduce parallel (%i, %u, %k, %l) in [8, 1, 128, 128] reduction (%j) in [64] <max> : !c {
    %0 = loop.load %x[%i, %j, %k, %l] : !t
    loop.yield %0 : f32
  }
  %e = loop.pointwise (%i, %j, %k, %l) in [8, 64, 128, 128] : !t {
    %0 = loop.load %x[%i, %j, %k, %l] : !t
    %1 = loop.load %m[%i, 0, %k, %l] : !c
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    loop.yield %3 : f32
  }
  %s = loop.reduce parallel (%i, %u, %k, %l) in [8, 1, 128, 128] reduction (%j) in [64] <sum> : !c {
    %0 = loop.load %e[%i, %j, %k, %l] : !t
    loop.yield %0 : f32
  }
  %p = loop.pointwise (%i, %j, %k, %l) in [8, 64, 128, 128] : !t {
    %0 = loop.load %e[%i, %j, %k, %l] : !t
    %1 = loop.load %s[%i, 0, %k, %l] : !c
    %2 = arith.divf %0, %1 : f32
    loop.yield %2 : f32
  }
  return %p : !t
}

// -----

// Over the first dimension there is none that all nests begin with.

// CHECK-LABEL: func.func @first
// CHECK: loop.kernel {{.*}} shared []
// CHECK-SAME: #loop.gpu_columns<threads = 512, lanes = 4, columns = 16, steps = 7>
// CHECK-NOT: loop.kernel
// CHECK: {{^ +}}return
!t = tensor<200x65536xf32>
!c = tensor<65536xf32>
func.func @first(%x: !t, %g: !t) -> !t {
  %s = loop.reduce parallel (%k) in [65536] reduction (%j) in [200] <sum> : !c {
    %0 = loop.load %x[%j, %k] : !t
    %1 = loop.load %g[%j, %k] : !t
    %2 = arith.mulf %0, %1 : f32
    loop.yield %2 : f32
  }
  %p = loop.pointwise (%j, %k) in [200, 65536] : !t {
    %0 = loop.load %x[%j, %k] : !t
    %1 = loop.load %s[%k] : !c
    %2 = arith.subf %0, %1 : f32
    loop.yield %2 : f32
  }
  return %p : !t
}

// -----

// Reductions of which one waits for the other, over the same columns, with and without a
// dimension of one element.

// CHECK-LABEL: func.func @deviation
// CHECK: loop.kernel {{.*}} shared [32]
// CHECK-SAME: #loop.gpu_columns<threads = 512, lanes = 4, columns = 4, steps = 8>
// CHECK-NOT: loop.kernel
// CHECK: {{^ +}}return
!t = tensor<32x1000x14x14xf32>
!c = tensor<32x1x14x14xf32>
!d = tensor<32x14x14xf32>
func.func @deviation(%x: !t) -> !d {
  %m = loop.reduce parallel (%i, %u, %k, %l) in [32, 1, 14, 14] reduction (%j) in [1000] <sum> : !c {
    %0 = loop.load %x[%i, %j, %k, %l] : !t
    loop.yield %0 : f32
  }
  %v = loop.reduce parallel (%i, %k, %l) in [32, 14, 14] reduction (%j) in [1000] <sum> : !d {
    %0 = loop.load %x[%i, %j, %k, %l] : !t
    %1 = loop.load %m[%i, 0, %k, %l] : !c
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    loop.yield %3 : f32
  }
  return %v : !d
}

// -----

// Long columns fit no registers: each pass is a kernel.

// CHECK-LABEL: func.func @long
// CHECK-COUNT-2: loop.kernel
// CHECK-NOT: #loop.gpu_columns
// CHECK: {{^ +}}return
!t = tensor<4x65536x128xf32>
!c = tensor<4x1x128xf32>
func.func @long(%x: !t) -> !t {
  %m = loop.reduce parallel (%i, %u, %k) in [4, 1, 128] reduction (%j) in [65536] <max> : !c {
    %0 = loop.load %x[%i, %j, %k] : !t
    loop.yield %0 : f32
  }
  %p = loop.pointwise (%i, %j, %k) in [4, 65536, 128] : !t {
    %0 = loop.load %x[%i, %j, %k] : !t
    %1 = loop.load %m[%i, 0, %k] : !c
    %2 = arith.subf %0, %1 : f32
    loop.yield %2 : f32
  }
  return %p : !t
}

// -----

// Values of other columns are other threads'.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: loop.kernel
// CHECK-NOT: #loop.gpu_columns
// CHECK: {{^ +}}return
!t = tensor<8x64x128x128xf32>
!c = tensor<8x1x128x128xf32>
func.func @others(%x: !t) -> !t {
  %m = loop.reduce parallel (%i, %u, %k, %l) in [8, 1, 128, 128] reduction (%j) in [64] <max> : !c {
    %0 = loop.load %x[%i, %j, %k, %l] : !t
    loop.yield %0 : f32
  }
  %p = loop.pointwise (%i, %j, %k, %l) in [8, 64, 128, 128] : !t {
    %0 = loop.load %x[%i, %j, %k, %l] : !t
    %1 = loop.load %m[%i, 0, %l, %k] : !c
    %2 = arith.subf %0, %1 : f32
    loop.yield %2 : f32
  }
  return %p : !t
}

// -----

// Sums of what a product makes are left to its tiles.

// CHECK-LABEL: func.func @product
// CHECK: #loop.gpu_product
// CHECK-NOT: #loop.gpu_columns
// CHECK: {{^ +}}return
!t = tensor<1024x1024xf32>
!c = tensor<1024xf32>
func.func @product(%x: !t, %y: !t) -> !t {
  %t = loop.contract parallel [1024, 1024] reduction [1024] lhs %x[d0, d2] : !t
      rhs %y[d2, d1] : !t acc f32 : !t
  %s = loop.reduce parallel (%k) in [1024] reduction (%j) in [1024] <sum> : !c {
    %0 = loop.load %t[%j, %k] : !t
    loop.yield %0 : f32
  }
  %p = loop.pointwise (%j, %k) in [1024, 1024] : !t {
    %0 = loop.load %t[%j, %k] : !t
    %1 = loop.load %s[%k] : !c
    %2 = arith.subf %0, %1 : f32
    loop.yield %2 : f32
  }
  return %p : !t
}
