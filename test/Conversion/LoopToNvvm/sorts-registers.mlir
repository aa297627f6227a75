// RUN: kiln-opt %s --convert-loop-to-nvvm | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {

// 16 elements of a thread: keys and places, and 16 warps' counters of 8 bits. Two blocks share a
// multiprocessor. What is read at sorted places lies in shared memory then.

// CHECK: kernel = @values, {{.*}}threads = 512, shared = 65536>
// CHECK: kernel = @words, {{.*}}threads = 256, shared = 12288>
// CHECK: llvm.func @values({{.*}}nvvm.minctasm = 2
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: llvm.inline_asm {{.*}}and.b32 bit, $1, 128; {{.*}}vote.sync.ballot.b32
// CHECK: llvm.intr.ctpop
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.barrier0
// CHECK: nvvm.shfl.sync
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK: nvvm.barrier0
// CHECK: scf.if
// CHECK-COUNT-16: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK: } else {
// CHECK-COUNT-16: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK-COUNT-16: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: llvm.intr.masked.gather %{{.*}} : (vector<4x!llvm.ptr<3>>
// CHECK: llvm.return
func.func @values(%x: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %r = loop.kernel @values ins(%a = %x : tensor<4096x8192xf32>) shared [4096] schedule #loop.gpu_rows<threads = 512, rows = 1, lanes = 4, steps = 4> -> tensor<4096x8192xf32> {
    %p = loop.sort parallel (%i) in [4096] along (%j) in [8192] at 1 : tensor<4096x8192xi64> {
      %e = loop.load %a[%i, %j] : tensor<4096x8192xf32>
      %k = arith.bitcast %e : f32 to i32
      loop.yield %k : i32
    }
    %v = loop.pointwise (%i, %j) in [4096, 8192] : tensor<4096x8192xf32> {
      %k = loop.load %p[%i, %j] : tensor<4096x8192xi64>
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : tensor<4096x8192xf32>
      loop.yield %e : f32
    }
    loop.return %v : tensor<4096x8192xf32>
  }
  return %r : tensor<4096x8192xf32>
}

// Keys of 16 bits are one word with their places, of which the upper half is sorted by.

// CHECK: llvm.func @words(
// CHECK: scf.for
// CHECK: vote.sync.ballot.b32
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK: llvm.return
func.func @words(%x: tensor<4096x1024xi16>) -> tensor<4096x1024xi64> {
  %r = loop.kernel @words ins(%a = %x : tensor<4096x1024xi16>) shared [4096] schedule #loop.gpu_rows<threads = 256, rows = 1, lanes = 1, steps = 0> -> tensor<4096x1024xi64> {
    %p = loop.sort parallel (%i) in [4096] along (%j) in [1024] at 1 : tensor<4096x1024xi64> {
      %e = loop.load %a[%i, %j] : tensor<4096x1024xi16>
      loop.yield %e : i16
    }
    loop.return %p : tensor<4096x1024xi64>
  }
  return %r : tensor<4096x1024xi64>
}

// Registers of 1024 threads have no room for 20 elements of each; nor is a row for them that has
// two keys.

// CHECK: llvm.func @long(
// CHECK-NOT: vote.sync
// CHECK: llvm.func @two(
// CHECK-NOT: vote.sync
func.func @long(%x: tensor<4096x20000xi32>) -> tensor<4096x20000xi64> {
  %r = loop.kernel @long ins(%a = %x : tensor<4096x20000xi32>) shared [4096] schedule #loop.gpu_rows<threads = 1024, rows = 1, lanes = 1, steps = 0> -> tensor<4096x20000xi64> {
    %p = loop.sort parallel (%i) in [4096] along (%j) in [20000] at 1 : tensor<4096x20000xi64> {
      %e = loop.load %a[%i, %j] : tensor<4096x20000xi32>
      loop.yield %e : i32
    }
    loop.return %p : tensor<4096x20000xi64>
  }
  return %r : tensor<4096x20000xi64>
}
func.func @two(%x: tensor<4096x1024xi32>) -> tensor<4096x1024xi64> {
  %r = loop.kernel @two ins(%a = %x : tensor<4096x1024xi32>) shared [4096] schedule #loop.gpu_rows<threads = 256, rows = 1, lanes = 1, steps = 0> -> tensor<4096x1024xi64> {
    %p = loop.sort parallel (%i) in [4096] along (%j) in [1024] at 1 : tensor<4096x1024xi64> {
      %e = loop.load %a[%i, %j] : tensor<4096x1024xi32>
      loop.yield %e, %e : i32, i32
    }
    loop.return %p : tensor<4096x1024xi64>
  }
  return %r : tensor<4096x1024xi64>
}
}
