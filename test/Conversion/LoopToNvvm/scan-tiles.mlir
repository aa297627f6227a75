// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file | FileCheck %s
// RUN: kiln-opt %s --kiln-gpu=chip=sm_75 --split-input-file \
// RUN:   | FileCheck %s --check-prefix=LAUNCH

// Tiles of 64 threads with two vectors each, in groups of four: two rows, by turns. A word for
// the number of the next tile, and one for each tile.

// LAUNCH-LABEL: func.func @whole
// LAUNCH: loop.launch_grid
// LAUNCH-SAME: kernel = @whole_init, symbols = [], blocks = <1>, threads = 64
// LAUNCH-SAME: kernel = @whole, symbols = [], blocks = <32>, threads = 64
// LAUNCH-SAME: workspace 264

// CHECK-LABEL: llvm.func @whole_init(
// CHECK: arith.cmpi slt, %{{.*}}, %c33
// CHECK: llvm.store %c0_i64{{.*}}, %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<1>

// A thread asks for the tile of its block; both vectors are under way before the first is used.
// CHECK-LABEL: llvm.func @whole(
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK: nvvm.barrier0
// CHECK: arith.remui %{{.*}}, %c2
// CHECK: %[[TILE:.*]] = arith.divui %{{.*}}, %c2
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: arith.addf %{{.*}} : f32
// CHECK: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// What tiles other than the last of four have is told at once, value and sign in one word.
// CHECK: %[[PLACE:.*]] = arith.andi %[[TILE]], %c3
// CHECK: %[[GOES:.*]] = arith.cmpi ne, %[[PLACE]], %c3
// CHECK: scf.if
// CHECK: arith.ori %{{.*}}, %c4294967296_i64 : i64
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>
// CHECK: scf.while
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK: scf.condition
// CHECK: nvvm.nanosleep
// CHECK: nvvm.shfl.sync {{ *}}idx
// CHECK: nvvm.barrier0
// The last of four tells what is before it, too.
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} atomic
// The nest behind has its elements in registers, and one barrier fewer than a loop.
// CHECK-NOT: nvvm.barrier0
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
!t = tensor<2x8192xf32>
func.func @whole(%x: !t) -> !t {
  %r = loop.kernel @whole ins(%a = %x : !t) shared [2]
      schedule #loop.gpu_scan<threads = 64, lanes = 4, steps = 2, group = 4> -> !t {
    %s = loop.scan parallel (%i) in [2] along (%j) in [8192] at 1 <sum> : !t {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [2, 8192] : !t {
      %e = loop.load %s[%i, %j] : !t
      %f = loop.load %a[%i, %j] : !t
      %g = arith.mulf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

// A row that ends within a vector: the elements behind the last one are a tile of their own,
// which tells nothing. Numbers of 64 bits are two words.

// LAUNCH-LABEL: func.func @rest
// LAUNCH: kernel = @rest_init
// LAUNCH-SAME: kernel = @rest, symbols = [], blocks = <5>
// LAUNCH-SAME: workspace 88

// CHECK-LABEL: llvm.func @rest(
// CHECK: arith.cmpi eq, %{{.*}}, %c4
// CHECK: scf.if
// CHECK: scf.while
// CHECK-NOT: llvm.store %{{.*}} atomic
// CHECK: arith.cmpi slt, %{{.*}}, %c1003
// CHECK: } else {
// CHECK: arith.cmpi slt, %{{.*}}, %c1000
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: arith.cmpi ne, %{{.*}}, %c3
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} atomic
// CHECK: scf.while
// CHECK-COUNT-2: llvm.load %{{.*}} atomic
// The end of a group tells, and then who has the last vector, if that is behind it.
// CHECK-COUNT-2: llvm.store %{{.*}} atomic
// CHECK: arith.cmpi eq, %{{.*}}, %c996
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} atomic
// CHECK: llvm.return
!o = tensor<1003xf32>
func.func @rest(%x: !o) -> !o {
  %r = loop.kernel @rest ins(%a = %x : !o) shared []
      schedule #loop.gpu_scan<threads = 64, lanes = 4, steps = 1, group = 64> -> !o {
    %s = loop.scan parallel () in [] along (%j) in [1003] at 0 <sum> : !o {
      %e = loop.load %a[%j] : !o
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    }
    loop.return %s : !o
  }
  return %r : !o
}
