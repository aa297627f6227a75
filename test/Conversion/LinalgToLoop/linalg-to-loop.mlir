// RUN: kiln-opt %s --convert-linalg-to-loop --split-input-file | FileCheck %s \
// RUN:   --implicit-check-not=linalg. --implicit-check-not=tensor.empty

// The operands are read where the maps say; indices are those of the nest.

// CHECK-LABEL: func @transposed_and_broadcast
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8xf32>
func.func @transposed_and_broadcast(%x: tensor<8x4xf32>, %b: tensor<8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]]) in [4, 8] origins ["generic"]
  // CHECK-DAG: %[[V:.*]] = loop.load %[[X]][%[[J]], %[[I]]]
  // CHECK-DAG: %[[C:.*]] = loop.load %[[B]][%[[J]]]
  // CHECK: %[[S:.*]] = arith.addf %[[V]], %[[C]]
  // CHECK: %[[P:.*]] = arith.index_cast %[[I]] : index to i32
  // CHECK: arith.mulf %[[S]], %{{.*}}
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<8x4xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %c: f32, %o: f32):
    %s = arith.addf %v, %c : f32
    %i = linalg.index 0 : index
    %p = arith.index_cast %i : index to i32
    %f = arith.sitofp %p : i32 to f32
    %m = arith.mulf %s, %f : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A result that is written transposed orders the nest.

// CHECK-LABEL: func @transposed_result
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]]) in [8, 4]
// CHECK: loop.load %{{.*}}[%[[J]], %[[I]]]
func.func @transposed_result(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// A product from zeros is a contraction and no more; from other values it is
// followed by an addition.

// CHECK-LABEL: func @products
// CHECK: %[[P:.*]] = loop.contract parallel [8, 4] reduction [16]
// CHECK-SAME: lhs %{{.*}}[d0, d2] : tensor<8x16xf32>
// CHECK-SAME: rhs %{{.*}}[d2, d1] : tensor<16x4xf32> acc f32
// CHECK: %[[Q:.*]] = loop.contract
// CHECK: loop.pointwise
// CHECK: loop.load %[[P]]
// CHECK: loop.load %[[Q]]
// CHECK: arith.addf
func.func @products(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>)
    -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>)
      outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
  %q = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>)
      outs(%p : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %q : tensor<8x4xf32>
}

// -----

// Windows are sums of indices; a convolution is a contraction.

// CHECK-LABEL: func @convolution
// CHECK: loop.contract parallel [1, 4, 4, 8] reduction [3, 3, 2]
// CHECK-SAME: lhs %{{.*}}[d0, d1 + d4, d2 + d5, d6]
// CHECK-SAME: rhs %{{.*}}[d4, d5, d6, d3]
func.func @convolution(%x: tensor<1x6x6x2xf32>, %w: tensor<3x3x2x8xf32>)
    -> tensor<1x4x4x8xf32> {
  %z = arith.constant dense<0.0> : tensor<1x4x4x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x6x6x2xf32>,
      tensor<3x3x2x8xf32>) outs(%z : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %r : tensor<1x4x4x8xf32>
}

// -----

// Two results of one reduction stay together.

// CHECK-LABEL: func @two_results
// CHECK: loop.reduce parallel (%{{.*}}) in [8] reduction (%{{.*}}) in [16] <max, sum>
func.func @two_results(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%low, %zero : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%v: f32, %m: f32, %s: f32):
    %a = arith.maximumf %m, %v : f32
    %q = arith.mulf %v, %v : f32
    %b = arith.addf %q, %s : f32
    linalg.yield %a, %b : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Sizes that have names stay symbolic.

// CHECK-LABEL: func @named_sizes
// CHECK: loop.pointwise (%{{.*}}, %{{.*}}) in [s0, 4]
!rows = tensor<?x4xf32, #guard.shape<[s0, 4]>>
func.func @named_sizes(%x: !rows, %e: !rows) -> !rows {
  %r = linalg.exp ins(%x : !rows) outs(%e : !rows) -> !rows
  return %r : !rows
}

// -----

// A truth as a signed number is 0 or -1, which no contraction reads. The greater of
// two such numbers is -1 if both are.

// CHECK-LABEL: func @signed_truths
// CHECK: loop.reduce {{.*}} <sum> {{.*}} : tensor<i32>
// CHECK: arith.extsi %{{.*}} : i1 to i32
// CHECK: loop.reduce {{.*}} <all> {{.*}} : tensor<i1>
// CHECK: loop.reduce {{.*}} <any> {{.*}} : tensor<i1>
#v = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
func.func @signed_truths(%x: tensor<8xi1>, %y: tensor<8xi8>)
    -> (tensor<i32>, tensor<i1>, tensor<i1>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %true = arith.constant dense<true> : tensor<i1>
  %false = arith.constant dense<false> : tensor<i1>
  %r = linalg.generic {indexing_maps = [#v, #v, #s], iterator_types = ["reduction"]}
      ins(%x, %y : tensor<8xi1>, tensor<8xi8>) outs(%zero : tensor<i32>) {
  ^bb0(%a: i1, %b: i8, %o: i32):
    %c = arith.extsi %a : i1 to i32
    %d = arith.extsi %b : i8 to i32
    %m = arith.muli %c, %d : i32
    %n = arith.addi %o, %m : i32
    linalg.yield %n : i32
  } -> tensor<i32>
  %p = linalg.reduce { arith.maxsi } ins(%x : tensor<8xi1>)
      outs(%true : tensor<i1>) dimensions = [0]
  %q = linalg.reduce { arith.minsi } ins(%x : tensor<8xi1>)
      outs(%false : tensor<i1>) dimensions = [0]
  return %r, %p, %q : tensor<i32>, tensor<i1>, tensor<i1>
}

// -----

// Bits of integers.

// CHECK-LABEL: func @bits
// CHECK: loop.reduce {{.*}} <all> {{.*}} : tensor<i8>
// CHECK: loop.reduce {{.*}} <any> {{.*}} : tensor<i8>
// CHECK-NOT: loop.pointwise
func.func @bits(%x: tensor<8xi8>) -> (tensor<i8>, tensor<i8>) {
  %ones = arith.constant dense<-1> : tensor<i8>
  %zero = arith.constant dense<0> : tensor<i8>
  %p = linalg.reduce { arith.andi } ins(%x : tensor<8xi8>)
      outs(%ones : tensor<i8>) dimensions = [0]
  %q = linalg.reduce { arith.ori } ins(%x : tensor<8xi8>)
      outs(%zero : tensor<i8>) dimensions = [0]
  return %p, %q : tensor<i8>, tensor<i8>
}
