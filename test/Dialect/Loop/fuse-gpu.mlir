// RUN: kiln-opt %s --kiln-fuse=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: kiln-opt %s --kiln-fuse | FileCheck %s --check-prefixes=CHECK,CPU

// A row of 256 KiB between two nests fits into a processor's cache, not into the
// registers of a block.

// GPU: loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132
// CPU: loop.target = #loop.target<
// CHECK-LABEL: func.func @main
// CHECK: loop.kernel
// GPU-SAME: #loop.gpu_
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_
// CHECK-NOT: loop.kernel
!t = tensor<256x65536xf32>
func.func @main(%x: !t) -> !t {
  %m = loop.reduce parallel (%i) in [256] reduction (%j) in [65536] <max> : tensor<256xf32> {
    %e = loop.load %x[%i, %j] : !t
    loop.yield %e : f32
  }
  %a = loop.scan parallel (%i) in [256] along (%j) in [65536] at 1 <sum> : !t {
    %e = loop.load %x[%i, %j] : !t
    %z = loop.load %m[%i] : tensor<256xf32>
    %d = arith.subf %e, %z : f32
    loop.yield %d : f32
  }
  %p = loop.pointwise (%i, %j) in [256, 65536] : !t {
    %e = loop.load %a[%i, %j] : !t
    %n = math.exp %e : f32
    loop.yield %n : f32
  }
  return %p : !t
}

// Of two reductions across memory to few points, one of which waits for the other, each is a
// kernel that is done in parts; on a processor they are one.

// CHECK-LABEL: func.func @moments
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_parts<{{.*}}, across = true>
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_parts<{{.*}}, across = true>
// CPU: loop.kernel
// CPU-NOT: loop.kernel
// CHECK: {{^ +}}return
func.func @moments(%x: tensor<4096x256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %m = loop.reduce parallel (%i) in [256] reduction (%j) in [4096] <sum> : tensor<256xf32> {
    %e = loop.load %x[%j, %i] : tensor<4096x256xf32>
    loop.yield %e : f32
  }
  %v = loop.reduce parallel (%i) in [256] reduction (%j) in [4096] <sum> : tensor<256xf32> {
    %e = loop.load %x[%j, %i] : tensor<4096x256xf32>
    %s = loop.load %m[%i] : tensor<256xf32>
    %d = arith.subf %e, %s : f32
    %q = arith.mulf %d, %d : f32
    loop.yield %q : f32
  }
  return %m, %v : tensor<256xf32>, tensor<256xf32>
}

// Columns of 21 elements are too short for parts: sums that wait for maxima have their kernel.

// CHECK-LABEL: func.func @short
// CHECK: loop.kernel
// GPU-SAME: #loop.gpu_across
// CHECK-NOT: loop.kernel
// CHECK: {{^ +}}return
!c = tensor<8x21x64x64xf32>
!p = tensor<8x64x64xf32>
func.func @short(%x: !c) -> (!p, !p) {
  %m = loop.reduce parallel (%i, %j, %k) in [8, 64, 64] reduction (%l) in [21] <max> : !p {
    %e = loop.load %x[%i, %l, %j, %k] : !c
    loop.yield %e : f32
  }
  %s = loop.reduce parallel (%i, %j, %k) in [8, 64, 64] reduction (%l) in [21] <sum> : !p {
    %e = loop.load %x[%i, %l, %j, %k] : !c
    %z = loop.load %m[%i, %j, %k] : !p
    %d = arith.subf %e, %z : f32
    %n = math.exp %d : f32
    loop.yield %n : f32
  }
  return %m, %s : !p, !p
}
