// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-number-draws))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-number-draws))' | kiln-opt | FileCheck %s

// A dropout is the product with a mask of which nothing depends on the input.
// CHECK-LABEL: func.func @dropout
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK: %[[DRAWS:.*]] = aten.operator "aten::_draws"() [1] : () -> tensor<2xi64>
// CHECK: %[[ONES:.*]] = aten.full(size = [2, 3], %{{.*}}, dtype = i1)
// CHECK: %[[MASK:.*]] = aten.bernoulli.p(%[[ONES]], p = 7.5{{0*}}e-01, draws = %[[DRAWS]], draw = 0)
// CHECK-SAME: -> tensor<2x3xi1>
// CHECK: %[[KEEP:.*]] = aten._to_copy(%[[MASK]], dtype = f32)
// CHECK: %[[FACTOR:.*]] = aten.mul.Tensor(%[[KEEP]], %{{.*}})
// CHECK: %[[Y:.*]] = aten.mul.Tensor(%[[X]], %[[FACTOR]])
// CHECK: return %[[Y]], %[[MASK]]
func.func @dropout(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %y, %mask = aten.native_dropout(%x, p = 0.25, train = true)
    : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return %y, %mask : tensor<2x3xf32>, tensor<2x3xi1>
}

// Each op has a number of its own. What only lends its sizes is not read; what
// is probabilities or weights is.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>)
// CHECK: %[[DRAWS:.*]] = aten.operator "aten::_draws"() [4]
// CHECK: %[[SHAPE:.*]] = aten.full(size = [4], %{{.*}}, dtype = f64)
// CHECK: aten.rand_like(%[[SHAPE]], draws = %[[DRAWS]], draw = 0)
// CHECK: aten.bernoulli(%[[X]], draws = %[[DRAWS]], draw = 1)
// CHECK: aten.randperm(n = 4, draws = %[[DRAWS]], draw = 2)
// CHECK: aten.randn(size = [2], draws = %[[DRAWS]], draw = 3)
func.func @numbers(%x: tensor<4xf64>)
    -> (tensor<4xf64>, tensor<4xf64>, tensor<4xi64>, tensor<2xf32>) {
  %a = aten.rand_like(%x) : (tensor<4xf64>) -> tensor<4xf64>
  %b = aten.bernoulli(%x) : (tensor<4xf64>) -> tensor<4xf64>
  %c = aten.randperm(n = 4, dtype = i64) : () -> tensor<4xi64>
  %d = aten.randn(size = [2]) : () -> tensor<2xf32>
  return %a, %b, %c, %d
    : tensor<4xf64>, tensor<4xf64>, tensor<4xi64>, tensor<2xf32>
}

// Nothing is drawn: nothing is reserved.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: _draws
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y, %mask = aten.native_dropout(%x, p = 0.25, train = false)
    : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
  return %y : tensor<4xf32>
}
