// RUN: kiln-opt %s --loop-split-contractions="max-values=4096 min-depth=8 min-ratio=2 parts=6" --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-split-contractions="max-values=4096 min-depth=8 min-ratio=2 parts=6" --split-input-file --remarks-filter=loop-split-contractions 2>&1 | FileCheck %s --check-prefix=WHY

// The epilogue follows the sum of the parts, of which there are 6 of 16.

// CHECK-LABEL: func.func @epilogue
// CHECK: %[[P:.*]] = loop.contract parallel [6, 16, 16] reduction [16]
// CHECK-SAME: lhs %{{.*}}[d1, d0 * 16 + d3] : tensor<16x96xbf16>
// CHECK-SAME: rhs %{{.*}}[d0 * 16 + d3, d2] : tensor<96x16xbf16>
// CHECK-SAME: acc f32 : tensor<6x16x16xf32>
// CHECK: %[[S:.*]] = loop.reduce parallel (%i, %j) in [16, 16] reduction (%k) in [6] <sum> : tensor<16x16xf32> {
// CHECK: loop.load %[[P]][%k, %i, %j]
// CHECK: loop.pointwise (%i, %j) in [16, 16] : tensor<16x16xbf16> {
// CHECK: loop.load %[[S]][%i, %j]
// CHECK: arith.addf
// CHECK: arith.truncf
// WHY: remark: [Passed] split | Category:loop-split-contractions | Function=epilogue | contraction="{{.*}}", depth=16, parts=6
func.func @epilogue(%a: tensor<16x96xbf16>, %b: tensor<96x16xbf16>, %bias: tensor<16xf32>) -> tensor<16x16xbf16> {
  %c = loop.contract parallel [16, 16] reduction [96]
      lhs %a[d0, d2] : tensor<16x96xbf16> rhs %b[d2, d1] : tensor<96x16xbf16>
      acc f32 : tensor<16x16xbf16> epilogue (%acc, %i, %j) {
    %x = loop.load %bias[%j] : tensor<16xf32>
    %y = arith.addf %acc, %x : f32
    %z = arith.truncf %y : f32 to bf16
    loop.yield %z : bf16
  }
  return %c : tensor<16x16xbf16>
}

// -----

// The gradient of a convolution's weights: all images. Rows and columns, which masks look
// at, stay whole.

// CHECK-LABEL: func.func @weights
// CHECK: loop.contract parallel [3, 16, 16, 3, 3] reduction [1, 16, 16]
// CHECK-SAME: lhs %{{.*}}[d0 + d5, d1, d6, d7] : tensor<3x16x16x16xf32> mask 1
// CHECK-SAME: rhs %{{.*}}[d0 + d5, d2, d3 + d6 - 1, d4 + d7 - 1] : tensor<3x16x16x16xf32> mask and(
// CHECK: loop.reduce parallel (%i, %j, %k, %l) in [16, 16, 3, 3] reduction (%m) in [3] <sum>
func.func @weights(%g: tensor<3x16x16x16xf32>,
                   %x: tensor<3x16x16x16xf32>) -> tensor<16x16x3x3xf32> {
  %c = loop.contract parallel [16, 16, 3, 3] reduction [3, 16, 16]
      lhs %g[d4, d0, d5, d6] : tensor<3x16x16x16xf32> mask 1
      rhs %x[d4, d1, d2 + d5 - 1, d3 + d6 - 1] : tensor<3x16x16x16xf32>
          mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 16)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 16)))
      acc f32 : tensor<16x16x3x3xf32>
  return %c : tensor<16x16x3x3xf32>
}

// -----

// A prime sum, a sum that is no longer than its sides, few rows, and an unknown size.

// CHECK-LABEL: func.func @stay
// CHECK-COUNT-4: loop.contract
// CHECK-NOT: loop.contract
// CHECK-NOT: loop.reduce
// WHY-DAG: no dimension of its sum has pieces of equal size
// WHY-DAG: its sum is not much longer than its sides
// WHY-DAG: few rows or columns are not packed
// WHY-DAG: a size is not known
func.func @stay(%a: tensor<16x97xf32>, %b: tensor<97x16xf32>, %p: tensor<16x24xf32>, %q: tensor<24x16xf32>,
                %r: tensor<8x96xf32>, %s: tensor<96x16xf32>,
                %t: tensor<16x?xf32, #guard.shape<[16, s0]>>, %u: tensor<?x16xf32, #guard.shape<[s0, 16]>>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>) {
  %c = loop.contract parallel [16, 16] reduction [97]
      lhs %a[d0, d2] : tensor<16x97xf32> rhs %b[d2, d1] : tensor<97x16xf32> acc f32 : tensor<16x16xf32>
  %d = loop.contract parallel [16, 16] reduction [24]
      lhs %p[d0, d2] : tensor<16x24xf32> rhs %q[d2, d1] : tensor<24x16xf32> acc f32 : tensor<16x16xf32>
  %e = loop.contract parallel [8, 16] reduction [96]
      lhs %r[d0, d2] : tensor<8x96xf32> rhs %s[d2, d1] : tensor<96x16xf32> acc f32 : tensor<8x16xf32>
  %f = loop.contract parallel [16, 16] reduction [s0]
      lhs %t[d0, d2] : tensor<16x?xf32, #guard.shape<[16, s0]>> rhs %u[d2, d1] : tensor<?x16xf32, #guard.shape<[s0, 16]>>
      acc f32 : tensor<16x16xf32>
  return %c, %d, %e, %f : tensor<16x16xf32>, tensor<16x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>
}

// -----

// Rows that are normalized along the sum are kept where they are made: the product fuses with
// them.

// CHECK-LABEL: func.func @rows
// CHECK: loop.contract parallel [16, 16] reduction [96]
// WHY-DAG: an operand is of rows that it sums along
func.func @rows(%x: tensor<16x96xf32>, %v: tensor<96x16xf32>) -> tensor<16x16xf32> {
  %s = loop.reduce parallel (%i) in [16] reduction (%k) in [96] <sum> : tensor<16xf32> {
    %e = loop.load %x[%i, %k] : tensor<16x96xf32>
    loop.yield %e : f32
  }
  %p = loop.pointwise (%i, %k) in [16, 96] : tensor<16x96xf32> {
    %e = loop.load %x[%i, %k] : tensor<16x96xf32>
    %t = loop.load %s[%i] : tensor<16xf32>
    %d = arith.divf %e, %t : f32
    loop.yield %d : f32
  }
  %c = loop.contract parallel [16, 16] reduction [96]
      lhs %p[d0, d2] : tensor<16x96xf32> rhs %v[d2, d1] : tensor<96x16xf32> acc f32 : tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}

// -----

// The places of images are no row, though a batch norm sums over them, too: the gradient of a
// weight is made in parts.

// CHECK-LABEL: func.func @places
// CHECK: loop.contract parallel [2, 3, 16, 16] reduction [1, 4, 8]
func.func @places(%x: tensor<2x16x12x8xf32>, %v: tensor<2x12x8x16xf32>) -> tensor<16x16xf32> {
  %s = loop.reduce parallel (%i) in [16] reduction (%n, %h, %u) in [2, 12, 8] <sum> : tensor<16xf32> {
    %e = loop.load %x[%n, %i, %h, %u] : tensor<2x16x12x8xf32>
    loop.yield %e : f32
  }
  %p = loop.pointwise (%n, %i, %h, %u) in [2, 16, 12, 8] : tensor<2x16x12x8xf32> {
    %e = loop.load %x[%n, %i, %h, %u] : tensor<2x16x12x8xf32>
    %t = loop.load %s[%i] : tensor<16xf32>
    %d = arith.divf %e, %t : f32
    loop.yield %d : f32
  }
  %c = loop.contract parallel [16, 16] reduction [2, 12, 8]
      lhs %p[d2, d0, d3, d4] : tensor<2x16x12x8xf32> rhs %v[d2, d3, d4, d1] : tensor<2x12x8x16xf32> acc f32 : tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
