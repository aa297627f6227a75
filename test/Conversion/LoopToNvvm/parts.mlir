// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// Columns: a block has 64 vectors of four of them side by side. Four threads add up a part of
// each and hand what they have to the first one, which writes it into the workspace. Another
// function adds up the parts, some by each of eight threads, and goes on.

// CHECK-LABEL: func.func @columns
// CHECK: #loop.step<kernel = @columns_parts, {{.*}}blocks = <256>, threads = 256>
// CHECK-SAME: #loop.step<kernel = @columns, {{.*}}blocks = <128>, threads = 256>
// CHECK-SAME: #loop.gpu_parts<threads = 256, lanes = 4, parts = 16, columns = 64>
// CHECK-LABEL: func.func @mean
// CHECK: #loop.step<kernel = @mean_parts, {{.*}}blocks = <528>, threads = 256>
// CHECK-SAME: #loop.step<kernel = @mean, {{.*}}blocks = <1>, threads = 256>
// CHECK-SAME: #loop.gpu_parts<threads = 256, lanes = 4, parts = 528, columns = 0>

// CHECK: llvm.func @columns_parts(
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: scf.yield
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: nvvm.barrier0
// CHECK: scf.if
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: llvm.func @columns(
// CHECK: scf.for
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: scf.yield
// CHECK-COUNT-6: nvvm.barrier0
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @columns(%x: tensor<16384x4096xf32>) -> tensor<4096xf32> {
  %r = loop.kernel @columns ins(%a = %x : tensor<16384x4096xf32>) shared [4096] -> tensor<4096xf32> {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : tensor<16384x4096xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// One row: blocks have parts of it, one block what is left.

// CHECK: llvm.func @mean_parts(
// CHECK: scf.for
// CHECK: vector<4xf32>
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK: llvm.func @mean(
// CHECK: nvvm.barrier0
// CHECK: arith.divf
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @mean(%x: tensor<268435456xf32>) -> tensor<f32> {
  %r = loop.kernel @mean ins(%a = %x : tensor<268435456xf32>) shared [] -> tensor<f32> {
    %s = loop.reduce parallel () in [] reduction (%i) in [268435456] <sum> : tensor<f32> {
      %e = loop.load %a[%i] : tensor<268435456xf32>
      loop.yield %e : f32
    }
    %m = loop.pointwise () in [] : tensor<f32> {
      %e = loop.load %s[] : tensor<f32>
      %n = arith.constant 268435456.0 : f32
      %q = arith.divf %e, %n : f32
      loop.yield %q : f32
    }
    loop.return %m : tensor<f32>
  }
  return %r : tensor<f32>
}

// Few columns: a block has all four vectors, 64 threads for each, that join what they have in six
// steps. Four rows are read before the first is added, and of the last ones those that are there.

// CHECK-LABEL: llvm.func @few_parts(
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load %{{.*}} -> vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK: scf.yield
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: arith.addf
// CHECK-COUNT-3: arith.select
// CHECK: scf.yield
// CHECK-COUNT-12: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-LABEL: llvm.func @few(
// CHECK: scf.for
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @few(%x: tensor<1048576x16xf32>) -> tensor<16xf32> {
  %r = loop.kernel @few ins(%a = %x : tensor<1048576x16xf32>) shared [16] -> tensor<16xf32> {
    %s = loop.reduce parallel (%j) in [16] reduction (%i) in [1048576] <sum> : tensor<16xf32> {
      %e = loop.load %a[%i, %j] : tensor<1048576x16xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// One part has one function, that goes on with its sums, and no workspace.

// CHECK-NOT: llvm.func @joined_parts(
// CHECK: llvm.func @joined(
// CHECK: scf.for
// CHECK: nvvm.barrier0
// CHECK: math.sqrt
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @joined(%x: tensor<784x256xf32>) -> tensor<256xf32> {
  %r = loop.kernel @joined ins(%a = %x : tensor<784x256xf32>) shared [256]
      schedule #loop.gpu_parts<threads = 512, lanes = 1, parts = 1, columns = 8> -> tensor<256xf32> {
    %s = loop.reduce parallel (%j) in [256] reduction (%i) in [784] <sum> : tensor<256xf32> {
      %e = loop.load %a[%i, %j] : tensor<784x256xf32>
      loop.yield %e : f32
    }
    %p = loop.pointwise (%j) in [256] : tensor<256xf32> {
      %e = loop.load %s[%j] : tensor<256xf32>
      %f = math.sqrt %e : f32
      loop.yield %f : f32
    }
    loop.return %p : tensor<256xf32>
  }
  return %r : tensor<256xf32>
}

// Images with their channels last: rows lie one behind the other, so that none is found by a
// division. Terms of f32 are added up as such, eight of them where there is one load for each, and
// then once in f64; those that are not marked are widened one by one.

// CHECK-LABEL: llvm.func @moments_parts(
// CHECK: scf.for
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xbf16>
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK-COUNT-7: math.fma %{{.*}} : vector<8xf32>
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK-NEXT: arith.addf %{{.*}} : vector<8xf64>
// CHECK-NOT: arith.addf %{{.*}} : vector<8xf64>
// CHECK: scf.yield
// CHECK-LABEL: llvm.func @lengths_parts(
// CHECK-NOT: math.fma
// CHECK-COUNT-4: arith.addf %{{.*}} : vector<8xf64>
// CHECK: scf.yield
!x = tensor<64x128x56x56xbf16>
func.func @moments(%x: !x {loop.strides = #guard.shape<[401408, 1, 7168, 128]>}) -> tensor<128xf32> {
  %r = loop.kernel @moments ins(%a = %x : !x) shared [128]
      schedule #loop.gpu_parts<threads = 256, lanes = 8, parts = 264, columns = 16> -> tensor<128xf32> {
    %s = loop.reduce parallel (%j) in [128] reduction (%n, %h, %w) in [64, 56, 56] <sum>
        attributes {kiln.short_sums} : tensor<128xf32> {
      %e = loop.load %a[%n, %j, %h, %w] : !x
      %f = arith.extf %e : bf16 to f32
      %d = arith.extf %f : f32 to f64
      %p = arith.mulf %d, %d : f64
      loop.yield %p : f64
    }
    loop.return %s : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}
func.func @lengths(%x: !x {loop.strides = #guard.shape<[401408, 1, 7168, 128]>}) -> tensor<128xf32> {
  %r = loop.kernel @lengths ins(%a = %x : !x) shared [128]
      schedule #loop.gpu_parts<threads = 256, lanes = 8, parts = 264, columns = 16> -> tensor<128xf32> {
    %s = loop.reduce parallel (%j) in [128] reduction (%n, %h, %w) in [64, 56, 56] <sum>
        : tensor<128xf32> {
      %e = loop.load %a[%n, %j, %h, %w] : !x
      %f = arith.extf %e : bf16 to f32
      %d = arith.extf %f : f32 to f64
      %p = arith.mulf %d, %d : f64
      loop.yield %p : f64
    }
    loop.return %s : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}
