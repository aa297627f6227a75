// RUN: kiln-opt %s --loop-set-target="chip=sm_90a tf32=true" --loop-choose-schedule --loop-round-factors --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule --loop-round-factors --split-input-file | FileCheck %s --check-prefix=SAME
// RUN: kiln-opt %s --loop-set-target="chip=sm_80 tf32=true" --loop-choose-schedule --loop-round-factors --split-input-file | FileCheck %s --check-prefix=SAME
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a tf32=true" --loop-choose-schedule --loop-round-factors --convert-loop-to-nvvm --split-input-file | FileCheck %s --check-prefix=CODE

// An image that is turned around for a convolution is rounded to tf32 on the way: threads that
// bring its windows to warpgroups have nothing to round. The copy engine rounds weights. Where
// products are exact, or warps round what they read, it stays as it is.

// SAME-NOT: loop.rounded
// CHECK-LABEL: func.func @turned
// CHECK: loop.pointwise
// CHECK: %[[X:.*]] = loop.load
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK: %[[UP:.*]] = arith.addi %[[BITS]], %c4096_i32
// CHECK: %[[CUT:.*]] = arith.andi %[[UP]], %c-8192_i32
// CHECK: %[[ROUNDED:.*]] = arith.bitcast %[[CUT]] : i32 to f32
// CHECK: %[[IS:.*]] = arith.cmpf ord, %[[X]], %[[X]] : f32
// CHECK: %[[MADE:.*]] = arith.select %[[IS]], %[[ROUNDED]], %{{.*}} : f32
// CHECK: loop.yield %[[MADE]] : f32
// CHECK: loop.contract
// CHECK-SAME: attributes {loop.rounded = array<i64: 0>}
// CODE: llvm.func @product(
// CODE-NOT: nvvm.convert.float.to.tf32
// CODE: nvvm.cp.async.mbarrier.arrive
// CODE: nvvm.wgmma.mma_async {{.*}}tf32
func.func @turned(%x: tensor<32x128x56x56xf32>, %w: tensor<128x3x3x128xf32>) -> tensor<32x128x56x56xf32> {
  %i = loop.kernel @turn ins(%a = %x : tensor<32x128x56x56xf32>) shared [32, 56, 56, 128] -> tensor<32x56x56x128xf32> {
    %p = loop.pointwise (%n, %h, %v, %c) in [32, 56, 56, 128] : tensor<32x56x56x128xf32> {
      %e = loop.load %a[%n, %c, %h, %v] : tensor<32x128x56x56xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<32x56x56x128xf32>
  }
  %r = loop.kernel @product ins(%a = %i : tensor<32x56x56x128xf32>, %b = %w : tensor<128x3x3x128xf32>)
      shared [32, 128, 56, 56] -> tensor<32x128x56x56xf32> {
    %c = loop.contract parallel [32, 128, 56, 56] reduction [3, 3, 128]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d6] : tensor<32x56x56x128xf32>
        mask and(and(le(1, d2 + d4), lt(d2 + d4, 57)), and(le(1, d3 + d5), lt(d3 + d5, 57)))
        rhs %b[d1, d4, d5, d6] : tensor<128x3x3x128xf32> mask 1
        acc f32 : tensor<32x128x56x56xf32>
    loop.return %c : tensor<32x128x56x56xf32>
  }
  return %r : tensor<32x128x56x56xf32>
}

// -----

// What somebody else reads as f32 is not rounded.

// CHECK-LABEL: func.func @shared
// CHECK-NOT: arith.bitcast
// CHECK-NOT: loop.rounded
// CODE-LABEL: func.func @shared
// CODE: nvvm.convert.float.to.tf32
func.func @shared(%x: tensor<32x128x56x56xf32>, %w: tensor<128x3x3x128xf32>)
    -> (tensor<32x128x56x56xf32>, tensor<32x56x56x128xf32>) {
  %i = loop.kernel @turn ins(%a = %x : tensor<32x128x56x56xf32>) shared [32, 56, 56, 128] -> tensor<32x56x56x128xf32> {
    %p = loop.pointwise (%n, %h, %v, %c) in [32, 56, 56, 128] : tensor<32x56x56x128xf32> {
      %e = loop.load %a[%n, %c, %h, %v] : tensor<32x128x56x56xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<32x56x56x128xf32>
  }
  %r = loop.kernel @product ins(%a = %i : tensor<32x56x56x128xf32>, %b = %w : tensor<128x3x3x128xf32>)
      shared [32, 128, 56, 56] -> tensor<32x128x56x56xf32> {
    %c = loop.contract parallel [32, 128, 56, 56] reduction [3, 3, 128]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d6] : tensor<32x56x56x128xf32>
        mask and(and(le(1, d2 + d4), lt(d2 + d4, 57)), and(le(1, d3 + d5), lt(d3 + d5, 57)))
        rhs %b[d1, d4, d5, d6] : tensor<128x3x3x128xf32> mask 1
        acc f32 : tensor<32x128x56x56xf32>
    loop.return %c : tensor<32x128x56x56xf32>
  }
  return %r, %i : tensor<32x128x56x56xf32>, tensor<32x56x56x128xf32>
}

// -----

// The epilogue of a convolution rounds what is the image of the next one.

// CHECK-LABEL: func.func @epilogue
// CHECK: loop.contract
// CHECK-NOT: loop.rounded
// CHECK-SAME: epilogue
// CHECK: %[[ROUNDED:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: loop.yield %[[ROUNDED]] : f32
// CHECK: loop.contract
// CHECK-SAME: attributes {loop.rounded = array<i64: 0>}
func.func @epilogue(%x: tensor<32x56x56x128xf32>, %w: tensor<128x3x3x128xf32>) -> tensor<32x56x56x128xf32> {
  %i = loop.kernel @one ins(%a = %x : tensor<32x56x56x128xf32>, %b = %w : tensor<128x3x3x128xf32>)
      shared [32, 56, 56, 128] -> tensor<32x56x56x128xf32> {
    %c = loop.contract parallel [32, 56, 56, 128] reduction [3, 3, 128]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<32x56x56x128xf32>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 57)), and(le(1, d2 + d5), lt(d2 + d5, 57)))
        rhs %b[d3, d4, d5, d6] : tensor<128x3x3x128xf32> mask 1
        acc f32 : tensor<32x56x56x128xf32> epilogue (%acc, %n, %h, %v, %o) {
      %zero = arith.constant 0.0 : f32
      %m = arith.maximumf %acc, %zero : f32
      loop.yield %m : f32
    }
    loop.return %c : tensor<32x56x56x128xf32>
  }
  %r = loop.kernel @other ins(%a = %i : tensor<32x56x56x128xf32>, %b = %w : tensor<128x3x3x128xf32>)
      shared [32, 56, 56, 128] -> tensor<32x56x56x128xf32> {
    %c = loop.contract parallel [32, 56, 56, 128] reduction [3, 3, 128]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<32x56x56x128xf32>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 57)), and(le(1, d2 + d5), lt(d2 + d5, 57)))
        rhs %b[d3, d4, d5, d6] : tensor<128x3x3x128xf32> mask 1
        acc f32 : tensor<32x56x56x128xf32>
    loop.return %c : tensor<32x56x56x128xf32>
  }
  return %r : tensor<32x56x56x128xf32>
}
