// RUN: kiln-opt %s --convert-aten-to-loop | FileCheck %s

// A running sum of f32 accumulates in f64, along whatever dimension.
// CHECK-LABEL: func.func @cumsum
// CHECK: loop.scan parallel (%[[J:.*]]) in [8] along (%[[I:.*]]) in [4] at 0 <sum> origins ["cumsum"] : tensor<4x8xf32>
// CHECK: %[[X:.*]] = loop.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: arith.extf %[[X]] : f32 to f64
func.func @cumsum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = aten.cumsum(%x, dim = 0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Of running extremes whose positions nobody asks for there is a kind.
// CHECK-LABEL: func.func @cummax
// CHECK: loop.scan parallel (%{{.*}}) in [4] along (%{{.*}}) in [8] at 1 <max> origins ["cummax"] : tensor<4x8xf32>
func.func @cummax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %v, %i = aten.cummax(%x, dim = 1) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %v : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cummin
// CHECK: loop.scan parallel (%{{.*}}) in [4] along (%{{.*}}) in [8] at 1 <generic>
func.func @cummin(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  %v, %i = aten.cummin(%x, dim = 1) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %v, %i : tensor<4x8xf32>, tensor<4x8xi64>
}

// The keys are the bits of the numbers; what is first in the order is read.
// CHECK-LABEL: func.func @topk
// CHECK: %[[P:.*]] = loop.sort parallel (%{{.*}}) in [4] along (%{{.*}}) in [8] keeping [3] at 1 origins ["topk"] : tensor<4x3xi64>
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: loop.yield %{{.*}} : i32
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]]) in [4, 3]
// CHECK: %[[K:.*]] = loop.load %[[P]][%[[I]], %[[J]]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[K]] : i64 to index
// CHECK: loop.load %{{.*}}[%[[I]], %[[AT]]]
func.func @topk(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %v, %i = aten.topk(%x, k = 3)
      : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %v : tensor<4x3xf32>
}

// One element is an extremum, but for the least of floats: a NaN comes last here.
// CHECK-LABEL: func.func @top1
// CHECK: loop.reduce {{.*}} in [4, 1] reduction (%{{.*}}) in [8] <argmax>
// CHECK: loop.sort {{.*}} keeping [1] at 1
// CHECK: loop.reduce {{.*}} in [4, 1] reduction (%{{.*}}) in [8] <argmin>
func.func @top1(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>)
    -> (tensor<4x1xi64>, tensor<4x1xi64>, tensor<4x1xi64>) {
  %v, %i = aten.topk(%x, k = 1)
      : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  %w, %j = aten.topk(%x, k = 1, largest = false)
      : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  %u, %k = aten.topk(%y, k = 1, largest = false)
      : (tensor<4x8xi32>) -> (tensor<4x1xi32>, tensor<4x1xi64>)
  return %i, %j, %k : tensor<4x1xi64>, tensor<4x1xi64>, tensor<4x1xi64>
}

// A tensor without dimensions is a row of one element.
// CHECK-LABEL: func.func @scalar
// CHECK: loop.scan parallel () in [] along (%{{.*}}) in [1] at 0 <prod> origins ["cumprod"] : tensor<1xf64>
// CHECK: loop.pointwise () in []
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %r = aten.cumprod(%x, dim = 0) : (tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}

// An extremum whose place nobody asks for is one reduction of the values alone.

// CHECK-LABEL: func.func @value_alone
// CHECK: loop.reduce {{.*}} in [4] reduction (%{{.*}}) in [8] <max>
// CHECK: loop.reduce {{.*}} in [4, 1] reduction (%{{.*}}) in [8] <any>
// CHECK: loop.reduce {{.*}} in [8] reduction (%{{.*}}) in [4] <argmin>
func.func @value_alone(%x: tensor<4x8xbf16>, %y: tensor<4x8xi1>) -> (tensor<4xbf16>, tensor<4x1xi1>, tensor<8xbf16>, tensor<8xi64>) {
  %v, %i = aten.max.dim(%x, dim = 1) : (tensor<4x8xbf16>) -> (tensor<4xbf16>, tensor<4xi64>)
  %w, %j = aten.max.dim(%y, dim = -1, keepdim = true) : (tensor<4x8xi1>) -> (tensor<4x1xi1>, tensor<4x1xi64>)
  %u, %k = aten.min.dim(%x, dim = 0) : (tensor<4x8xbf16>) -> (tensor<8xbf16>, tensor<8xi64>)
  return %v, %w, %u, %k : tensor<4xbf16>, tensor<4x1xi1>, tensor<8xbf16>, tensor<8xi64>
}
