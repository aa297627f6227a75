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
