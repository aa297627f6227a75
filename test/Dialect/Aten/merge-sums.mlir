// RUN: kiln-opt %s --pass-pipeline='builtin.module(aten-merge-sums,cse)' --split-input-file | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(aten-merge-sums,cse)' --split-input-file | kiln-opt --split-input-file | FileCheck %s

// Slices that lie side by side are their concatenation, in the order of the dimension; what none of them covers is zeros.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME: %[[A:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<4x5xf32>
// CHECK: %[[ZEROS:.*]] = aten.full(size = [4, 2], %{{.*}}, dtype = f32)
// CHECK: %[[CAT:.*]] = aten.cat([%[[B]], %[[ZEROS]], %[[A]]], dim = 1)
// CHECK: return %[[CAT]]
func.func @slices(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) -> tensor<4x10xf32> {
  %0 = aten.slice_backward(%a, input_sizes = [4, 10], dim = 1, start = -3, end = 9223372036854775807, step = 1) : (tensor<4x3xf32>) -> tensor<4x10xf32>
  %1 = aten.slice_backward(%b, input_sizes = [4, 10], dim = 1, start = 0, end = 5, step = 1) : (tensor<4x5xf32>) -> tensor<4x10xf32>
  %2 = aten.add.Tensor(%0, %1) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  return %2 : tensor<4x10xf32>
}

// -----

// Slices that meet are added up, as are those of other dimensions.
// CHECK-LABEL: func.func @meet(
// CHECK-NOT: aten.cat
// CHECK-COUNT-2: aten.add.Tensor
// CHECK-NOT: aten.cat
// CHECK: return
func.func @meet(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %c: tensor<1x5xf32>) -> tensor<4x5xf32> {
  %0 = aten.slice_backward(%a, input_sizes = [4, 5], dim = 1, start = 0, end = 3, step = 1) : (tensor<4x3xf32>) -> tensor<4x5xf32>
  %1 = aten.slice_backward(%b, input_sizes = [4, 5], dim = 1, start = 2, end = 5, step = 1) : (tensor<4x3xf32>) -> tensor<4x5xf32>
  %2 = aten.slice_backward(%c, input_sizes = [4, 5], dim = 0, start = 0, end = 1, step = 1) : (tensor<1x5xf32>) -> tensor<4x5xf32>
  %3 = aten.add.Tensor(%0, %1) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = aten.add.Tensor(%3, %2) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %4 : tensor<4x5xf32>
}

// -----

// Two of three: the third stays a number to add.
// CHECK-LABEL: func.func @two_of_three(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK: %[[CAT:.*]] = aten.cat([%[[A]], %[[B]]])
// CHECK: %[[SUM:.*]] = aten.add.Tensor(%[[C]], %[[CAT]])
// CHECK: return %[[SUM]]
func.func @two_of_three(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.slice_backward(%a, input_sizes = [4], dim = 0, start = 0, end = 2, step = 1) : (tensor<2xf32>) -> tensor<4xf32>
  %1 = aten.slice_backward(%b, input_sizes = [4], dim = 0, start = 2, end = 4, step = 1) : (tensor<2xf32>) -> tensor<4xf32>
  %2 = aten.add.Tensor(%0, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = aten.add.Tensor(%2, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// A recurrence: its weight's gradient is one product over all steps, its bias' one sum of the same rows, and so
// are the steps that its input came in.
// CHECK-LABEL: func.func @recurrence(
// CHECK-SAME: %[[G0:.*]]: tensor<2x32xf32>, %[[G1:.*]]: tensor<2x32xf32>, %[[H0:.*]]: tensor<2x64xf32>, %[[H1:.*]]: tensor<2x64xf32>
// CHECK-DAG: %[[G:.*]] = aten.cat([%[[G0]], %[[G1]]])
// CHECK-DAG: %[[H:.*]] = aten.cat([%[[H0]], %[[H1]]])
// CHECK-DAG: %[[T:.*]] = aten.permute(%[[H]], dims = [1, 0])
// CHECK-DAG: %[[W:.*]] = aten.mm(%[[T]], %[[G]]) : (tensor<64x4xf32>, tensor<4x32xf32>) -> tensor<64x32xf32>
// CHECK-DAG: %[[BIAS:.*]] = aten.sum.dim_IntList(%[[G]], dim = [0])
// CHECK-DAG: %[[STEPS:.*]] = aten.view(%[[G]], size = [2, 2, 32])
// CHECK: return %[[W]], %[[BIAS]], %[[STEPS]]
func.func @recurrence(%g0: tensor<2x32xf32>, %g1: tensor<2x32xf32>, %h0: tensor<2x64xf32>, %h1: tensor<2x64xf32>)
    -> (tensor<64x32xf32>, tensor<32xf32>, tensor<2x2x32xf32>) {
  %t1 = aten.permute(%h1, dims = [1, 0]) : (tensor<2x64xf32>) -> tensor<64x2xf32>
  %w1 = aten.mm(%t1, %g1) : (tensor<64x2xf32>, tensor<2x32xf32>) -> tensor<64x32xf32>
  %b1 = aten.sum.dim_IntList(%g1, dim = [0]) : (tensor<2x32xf32>) -> tensor<32xf32>
  %s1 = aten.select_backward(%g1, input_sizes = [2, 2, 32], dim = 0, index = -1) : (tensor<2x32xf32>) -> tensor<2x2x32xf32>
  %t0 = aten.permute(%h0, dims = [1, 0]) : (tensor<2x64xf32>) -> tensor<64x2xf32>
  %w0 = aten.mm(%t0, %g0) : (tensor<64x2xf32>, tensor<2x32xf32>) -> tensor<64x32xf32>
  %b0 = aten.sum.dim_IntList(%g0, dim = [0]) : (tensor<2x32xf32>) -> tensor<32xf32>
  %s0 = aten.select_backward(%g0, input_sizes = [2, 2, 32], dim = 0, index = 0) : (tensor<2x32xf32>) -> tensor<2x2x32xf32>
  %b = aten.add.Tensor(%b1, %b0) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %w = aten.add.Tensor(%w1, %w0) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = aten.add.Tensor(%s1, %s0) : (tensor<2x2x32xf32>, tensor<2x2x32xf32>) -> tensor<2x2x32xf32>
  return %w, %b, %s : tensor<64x32xf32>, tensor<32xf32>, tensor<2x2x32xf32>
}

// -----

// 16-bit products that are added up wide, one of them transposed, are one that is rounded once.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME: %[[A:.*]]: tensor<64x2xbf16>, %[[B:.*]]: tensor<2x32xbf16>, %[[C:.*]]: tensor<2x64xbf16>
// CHECK: %[[RIGHTS:.*]] = aten.cat([%[[B]], %[[B]]])
// CHECK: %[[LEFTS:.*]] = aten.cat([%[[A]], %[[A]]], dim = 1)
// CHECK: %[[BOTH:.*]] = aten.mm(%[[LEFTS]], %[[RIGHTS]]) : (tensor<64x4xbf16>, tensor<4x32xbf16>) -> tensor<64x32xbf16>
// CHECK: aten._to_copy(%[[BOTH]], dtype = f32)
func.func @wide(%a: tensor<64x2xbf16>, %b: tensor<2x32xbf16>, %c: tensor<2x64xbf16>) -> tensor<64x32xf32> {
  %0 = aten.mm(%a, %b) : (tensor<64x2xbf16>, tensor<2x32xbf16>) -> tensor<64x32xbf16>
  %1 = aten._to_copy(%0, dtype = f32) : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %bt = aten.permute(%b, dims = [1, 0]) : (tensor<2x32xbf16>) -> tensor<32x2xbf16>
  %at = aten.permute(%a, dims = [1, 0]) : (tensor<64x2xbf16>) -> tensor<2x64xbf16>
  %2 = aten.mm(%bt, %at) : (tensor<32x2xbf16>, tensor<2x64xbf16>) -> tensor<32x64xbf16>
  %3 = aten.permute(%2, dims = [1, 0]) : (tensor<32x64xbf16>) -> tensor<64x32xbf16>
  %4 = aten._to_copy(%3, dtype = f32) : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %5 = aten.add.Tensor(%1, %4) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %5 : tensor<64x32xf32>
}

// -----

// Not where what is concatenated is more than the products are, nor a product that somebody else reads.
// CHECK-LABEL: func.func @dear(
// CHECK-NOT: aten.cat
// CHECK: return
func.func @dear(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x2xf32>, %d: tensor<2x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = aten.mm(%a, %b) : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %1 = aten.mm(%a, %b) : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %2 = aten.mm(%c, %d) : (tensor<64x2xf32>, tensor<2x64xf32>) -> tensor<64x64xf32>
  %3 = aten.mm(%c, %d) : (tensor<64x2xf32>, tensor<2x64xf32>) -> tensor<64x64xf32>
  %4 = aten.add.Tensor(%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = aten.add.Tensor(%4, %2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %6 = aten.add.Tensor(%5, %3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %6, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}
