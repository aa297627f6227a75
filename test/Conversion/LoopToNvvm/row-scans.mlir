// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --kiln-gpu=chip=sm_90a \
// RUN:   | kiln-translate --gpu-to-ptx - | FileCheck %s --check-prefix=PTX

// Running sums of rows of 1024: 256 threads with vectors join their lanes, then the
// threads of a warp, then eight warps.

// CHECK-LABEL: func.func @scan
// CHECK: #loop.gpu_rows<threads = 256, rows = 1, lanes = 4, steps = 1>
// CHECK-LABEL: func.func @long
// CHECK: #loop.gpu_rows<threads = 256, rows = 1, lanes = 1, steps = 0>
// CHECK-LABEL: func.func @sort
// CHECK: #loop.gpu_rows<threads = 64, rows = 1, lanes = 4, steps = 1>
// CHECK-LABEL: func.func @longsort
// CHECK: #loop.gpu_rows<threads = 256, rows = 1, lanes = 1, steps = 0>

// CHECK-LABEL: func.func @combined
// CHECK: #loop.gpu_rows<threads = 256, rows = 1, lanes = 4, steps = 1>

// CHECK: llvm.func @scan(
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-2: vector.shuffle
// CHECK-COUNT-7: nvvm.shfl.sync {{ *}}idx
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-5: nvvm.shfl.sync {{ *}}idx
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: llvm.return
!t = tensor<64x1024xf32>
func.func @scan(%x: !t) -> !t {
  %r = loop.kernel @scan ins(%a = %x : !t) shared [64] -> !t {
    %s = loop.scan parallel (%i) in [64] along (%j) in [1024] at 1 <sum> : !t {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %s : !t
  }
  return %r : !t
}

// Rows of any size: a loop whose steps all threads take, with two barriers each, one
// before slots are read and one before they are written again.

// CHECK: llvm.func @long(
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}) -> (f32)
// CHECK: nvvm.barrier0
// CHECK: nvvm.barrier0
// CHECK: scf.yield
!u = tensor<?x?xf32, #guard.shape<[s0, s1]>>
func.func @long(%x: !u) -> !u {
  %r = loop.kernel @long ins(%a = %x : !u) shared [s0] -> !u {
    %s = loop.scan parallel (%i) in [s0] along (%j) in [s1] at 1 <max> : !u {
      %e = loop.load %a[%i, %j] : !u
      loop.yield %e : f32
    }
    loop.return %s : !u
  }
  return %r : !u
}

// A sort in shared memory: keys of 4 bytes and positions of 4.

// CHECK: llvm.mlir.global internal @sort_keys() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2048 x i8>
// CHECK: llvm.func @sort(
// CHECK: nvvm.barrier0
// CHECK: scf.while
// CHECK: nvvm.barrier0
// CHECK: scf.while
// CHECK: nvvm.barrier0
!k = tensor<64x256xi32>
!p = tensor<64x256xi64>
func.func @sort(%x: !k) -> !p {
  %r = loop.kernel @sort ins(%a = %x : !k) shared [64] -> !p {
    %s = loop.sort parallel (%i) in [64] along (%j) in [256] at 1 : !p {
      %e = loop.load %a[%i, %j] : !k
      loop.yield %e : i32
    }
    loop.return %s : !p
  }
  return %r : !p
}

// Of any size: by its digits, with keys and places in the workspace and counters in shared
// memory.

// CHECK: llvm.func @longsort(
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr<1>
// CHECK: nvvm.barrier0
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi64>
// CHECK: nvvm.barrier0
!l = tensor<?x?xi32, #guard.shape<[s0, s1]>>
!q = tensor<?x?xi64, #guard.shape<[s0, s1]>>
func.func @longsort(%x: !l) -> !q {
  %r = loop.kernel @longsort ins(%a = %x : !l) shared [s0] -> !q {
    %s = loop.sort parallel (%i) in [s0] along (%j) in [s1] at 1 : !q {
      %e = loop.load %a[%i, %j] : !l
      loop.yield %e : i32
    }
    loop.return %s : !q
  }
  return %r : !q
}

// What a combiner starts from is neutral on its left alone: the first thread has what was
// carried, not that joined with nothing.

// CHECK: llvm.func @combined(
// CHECK: arith.mulf %{{.*}} : vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK: %[[FIRST:.*]] = arith.andi %{{.*}} : i1
// CHECK: %[[JOINED:.*]] = arith.addf %{{.*}} : f32
// CHECK: arith.select %[[FIRST]], %{{.*}}, %[[JOINED]] : f32
// CHECK: llvm.return
func.func @combined(%x: !t, %y: !t) -> !t {
  %r = loop.kernel @combined ins(%a = %x : !t, %c = %y : !t) shared [64] -> !t {
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %s:2 = loop.scan parallel (%i) in [64] along (%j) in [1024] at 1
        <generic> init(%one, %zero : f32, f32) : !t, !t {
      %e = loop.load %a[%i, %j] : !t
      %f = loop.load %c[%i, %j] : !t
      loop.yield %e, %f : f32, f32
    } combine (%u: f32, %v: f32, %w: f32, %z: f32) {
      %p = arith.mulf %u, %w : f32
      %q = arith.mulf %v, %w : f32
      %o = arith.addf %q, %z : f32
      loop.yield %p, %o : f32, f32
    }
    loop.return %s#1 : !t
  }
  return %r : !t
}

// PTX-DAG: .visible .entry scan(
// PTX-DAG: .visible .entry long(
// PTX-DAG: .visible .entry sort(
// PTX-DAG: .visible .entry longsort(
