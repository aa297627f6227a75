// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file | FileCheck %s

// Two warpgroups, whose warps read each box that they have stored by columns: a lane has two of
// 64, and 16 rows of them, whose squares are added in f32 first. Once a tile they hand each other
// what they have, where the boxes were.
// CHECK-LABEL: func.func @boxes
// CHECK: llvm.func @boxes(
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK: math.fma %{{.*}} : f32
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK-NEXT: arith.addf %{{.*}} : f64
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-8: llvm.store %{{.*}} : f64, !llvm.ptr<3>
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: scf.if
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> f64
// CHECK-COUNT-2: llvm.store %{{.*}} : f64, !llvm.ptr<1>
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
!x = tensor<4096x256xbf16>
!w = tensor<256x256xbf16>
!s = tensor<32x256xf64>
func.func @boxes(%x: !x, %w: !w) -> (!x, !s, !s) {
  %r:3 = loop.kernel @boxes ins(%a = %x : !x, %b = %w : !w) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> (!x, !s, !s) {
    %c = loop.contract parallel [4096, 256] reduction [256]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !x
    %s = loop.reduce parallel (%p, %j) in [32, 256] reduction (%r) in [128] <sum> : !s {
      %e = loop.load %c[%p * 128 + %r, %j] : !x
      %f = arith.extf %e : bf16 to f64
      loop.yield %f : f64
    }
    %q = loop.reduce parallel (%p, %j) in [32, 256] reduction (%r) in [128] <sum>
        attributes {kiln.short_sums} : !s {
      %e = loop.load %c[%p * 128 + %r, %j] : !x
      %f = arith.extf %e : bf16 to f64
      %g = arith.mulf %f, %f : f64
      loop.yield %g : f64
    }
    loop.return %c, %s, %q : !x, !s, !s
  }
  return %r#0, %r#1, %r#2 : !x, !s, !s
}

// -----

// By turns a tile is one warpgroup's, whose two parts are added up in registers; each has a
// barrier of its own.
// CHECK: llvm.func @turns(
// CHECK: nvvm.wgmma.mma_async
// CHECK: llvm.load %{{.*}} -> vector<2xbf16>
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[ID:.*]] = arith.addi %{{.*}}, %[[ONE]] : i32
// CHECK: %[[COUNT:.*]] = arith.constant 128 : i32
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
!x = tensor<4096x256xbf16>
!w = tensor<256x128xbf16>
!y = tensor<4096x128xbf16>
!s = tensor<32x128xf32>
func.func @turns(%x: !x, %w: !w) -> (!y, !s) {
  %r:2 = loop.kernel @turns ins(%a = %x : !x, %b = %w : !w) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132, turns = 2> -> (!y, !s) {
    %c = loop.contract parallel [4096, 128] reduction [256]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !y
    %s = loop.reduce parallel (%p, %j) in [32, 128] reduction (%r) in [128] <sum> : !s {
      %e = loop.load %c[%p * 128 + %r, %j] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %c, %s : !y, !s
  }
  return %r#0, %r#1 : !y, !s
}

// -----

// Where sums go through shared memory as f32, what is made of a vector lies where its sums were.
// CHECK: llvm.func @wide(
// CHECK: nvvm.wgmma.mma_async
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf32>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> bf16
// CHECK: nvvm.bar.warp.sync
!x = tensor<4096x1024xbf16>
!w = tensor<1024x256xbf16>
!y = tensor<4096x256xbf16>
!s = tensor<32x256xf32>
func.func @wide(%x: !x, %w: !w, %z: !y) -> (!y, !s) {
  %r:2 = loop.kernel @wide ins(%a = %x : !x, %b = %w : !w, %d = %z : !y) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> (!y, !s) {
    %c = loop.contract parallel [4096, 256] reduction [1024]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !y
        epilogue (%acc, %i, %j) {
      %e = loop.load %d[%i, %j] : !y
      %f = arith.extf %e : bf16 to f32
      %g = arith.mulf %acc, %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    %s = loop.reduce parallel (%p, %j) in [32, 256] reduction (%r) in [128] <sum> : !s {
      %e = loop.load %c[%p * 128 + %r, %j] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %c, %s : !y, !s
  }
  return %r#0, %r#1 : !y, !s
}
