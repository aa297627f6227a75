// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// Eight elements of bf16 are one access of 16 bytes; of f32 it takes two. What the
// result may overwrite is no constant. A thread has two rows, for which it loads the parameters
// once, and what it loads of both is on its way before it waits.

// CHECK-LABEL: func.func @vectors
// CHECK: loop.launch_grid(%{{.*}}, %{{.*}}) steps [#loop.step<kernel = @vectors
// CHECK-SAME: symbols = [], blocks = <1024>, threads = 256>]
// CHECK-SAME: overwrites = array<i64: 0, 0>
// CHECK-SAME: #loop.gpu_across<threads = 256, lanes = 8, sum_block = 0, points = 2>
func.func @vectors(%x: tensor<1024x4096xbf16>, %y: tensor<4096xf32>)
    -> tensor<1024x4096xbf16> {
  %r = loop.kernel @vectors ins(%a = %x : tensor<1024x4096xbf16>,
      %b = %y : tensor<4096xf32>) shared [1024, 4096] -> tensor<1024x4096xbf16> {
    %p = loop.pointwise (%i, %j) in [1024, 4096] : tensor<1024x4096xbf16> {
      %e = loop.load %a[%i, %j] : tensor<1024x4096xbf16>
      %f = loop.load %b[%j] : tensor<4096xf32>
      %g = arith.extf %e : bf16 to f32
      %h = arith.addf %g, %f : f32
      %k = arith.truncf %h : f32 to bf16
      loop.yield %k : bf16
    }
    loop.return %p : tensor<1024x4096xbf16>
  }
  return %r : tensor<1024x4096xbf16>
}

// Sizes that are not known: functions with 32 bits and 64, and a vector only where
// all of it is inside.

// CHECK-LABEL: func.func @dynamic
// CHECK: #loop.step<kernel = @dynamic, symbols = [
// CHECK-SAME: blocks = {{.*}}, threads = 256>] narrow
!d = tensor<?xf32, #guard.shape<[s0]>>
func.func @dynamic(%x: !d) -> !d {
  %r = loop.kernel @dynamic ins(%a = %x : !d) shared [s0] -> !d {
    %p = loop.pointwise (%i) in [s0] : !d {
      %e = loop.load %a[%i] : !d
      %k = arith.negf %e : f32
      loop.yield %k : f32
    }
    loop.return %p : !d
  }
  return %r : !d
}

// More elements than 32 bits count.

// CHECK-LABEL: func.func @large
// CHECK: #loop.step<kernel = @large
// CHECK-NOT: narrow
func.func @large(%x: tensor<4294967296xf32>) -> tensor<4294967296xf32> {
  %r = loop.kernel @large ins(%a = %x : tensor<4294967296xf32>)
      shared [4294967296] -> tensor<4294967296xf32> {
    %p = loop.pointwise (%i) in [4294967296] : tensor<4294967296xf32> {
      %e = loop.load %a[%i] : tensor<4294967296xf32>
      %k = arith.negf %e : f32
      loop.yield %k : f32
    }
    loop.return %p : tensor<4294967296xf32>
  }
  return %r : tensor<4294967296xf32>
}

// CHECK: gpu.module @kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>}
// CHECK: llvm.func @vectors(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 256>
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf32>
// CHECK-NOT: invariant
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.func @dynamic(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NOT: llvm.func @large
// CHECK: gpu.module @kernels_64 attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>}
// CHECK-NOT: llvm.func @vectors
// CHECK: llvm.func @dynamic
// CHECK: llvm.func @large
