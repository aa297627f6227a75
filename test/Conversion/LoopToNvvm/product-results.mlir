// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file | FileCheck %s

// What follows a product is made of the pairs that are at hand, rounded. Each result has a box of
// 64 columns, one after the other, of the tensor that its map is of; nothing is read back.
// CHECK-LABEL: func.func @boxes
// CHECK: loop.launch_grid
// CHECK-SAME: tensor_map<pointer = 2, element = bf16
// CHECK-SAME: tensor_map<pointer = 3, element = bf16
// CHECK: llvm.func @boxes(
// CHECK: nvvm.wgmma.mma_async
// CHECK: %[[E:.*]] = arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: %[[F:.*]] = arith.extf %[[E]] : vector<2xbf16> to vector<2xf32>
// CHECK: math.exp %{{.*}} : vector<2xf32>
// CHECK-NOT: llvm.load {{.*}} !llvm.ptr<1>
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[C:[^,]*]],
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[G:[^,]*]],
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[C]],
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[G]],
!x = tensor<4096x256xbf16>
!w = tensor<256x256xbf16>
!g = tensor<8x512x256xbf16>
func.func @boxes(%x: !x, %w: !w) -> (!x, !g) {
  %r:2 = loop.kernel @boxes ins(%a = %x : !x, %b = %w : !w) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> (!x, !g) {
    %c = loop.contract parallel [4096, 256] reduction [256]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !x
    %g = loop.pointwise (%i, %j, %k) in [8, 512, 256] : !g {
      %e = loop.load %c[%i * 512 + %j, %k] : !x
      %f = arith.extf %e : bf16 to f32
      %h = math.exp %f : f32
      %t = arith.truncf %h : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %c, %g : !x, !g
  }
  return %r#0, %r#1 : !x, !g
}

// -----

// Elements that nobody wants have no memory, and no map. Of another type vectors of sums are
// finished, and what is read of a row is under way before them.
// CHECK-LABEL: func.func @kept
// CHECK: loop.launch_grid
// CHECK-NOT: pointer = 3
// CHECK-NOT: workspace
// CHECK: llvm.func @kept(
// CHECK: nvvm.wgmma.mma_async
// CHECK: llvm.load %{{.*}} invariant {{.*}}vector<8xf32>
// CHECK: llvm.inline_asm
// CHECK-NOT: nvvm.stmatrix
// CHECK: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr<1>
!x = tensor<4096x256xbf16>
!w = tensor<256x256xbf16>
!f = tensor<4096x256xf32>
func.func @kept(%x: !x, %w: !w, %z: !f) -> !f {
  %r = loop.kernel @kept ins(%a = %x : !x, %b = %w : !w, %u = %z : !f) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> !f {
    %c = loop.contract parallel [4096, 256] reduction [256]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !x
    %g = loop.pointwise (%i, %j) in [4096, 256] : !f {
      %e = loop.load %c[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %o = loop.load %u[%i, %j] : !f
      %m = arith.mulf %f, %o : f32
      loop.yield %m : f32
    }
    loop.return %g : !f
  }
  return %r : !f
}

// -----

// Parts of a sum are added up by another function, which has all of it.
// CHECK-LABEL: func.func @parts
// CHECK: llvm.func @parts_parts(
// CHECK-NOT: math.exp
// CHECK: llvm.func @parts(
// CHECK: arith.addf
// CHECK: math.exp
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<{{.*}}bf16>, !llvm.ptr<1>
!x = tensor<256x4096xbf16>
!w = tensor<4096x256xbf16>
!c = tensor<256x256xbf16>
func.func @parts(%x: !x, %w: !w) -> (!c, !c) {
  %r:2 = loop.kernel @parts ins(%a = %x : !x, %b = %w : !w) shared []
      schedule #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 32, part_rows = 32, part_columns = 32,
                                 stages = 3, lanes = 8, group = 8, split = 4> -> (!c, !c) {
    %c = loop.contract parallel [256, 256] reduction [4096]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !c
    %g = loop.pointwise (%i, %j) in [256, 256] : !c {
      %e = loop.load %c[%i, %j] : !c
      %f = arith.extf %e : bf16 to f32
      %h = math.exp %f : f32
      %t = arith.truncf %h : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %c, %g : !c, !c
  }
  return %r#0, %r#1 : !c, !c
}
