// RUN: kiln-opt %s --convert-aten-to-loop | FileCheck %s

// One call gives seed and first number of as many draws as the function has;
// what is drawn is a function of them, the number of the draw and the position.

// CHECK-LABEL: func.func @draws
// CHECK: %[[D:.*]] = loop.extern "aten._draws.default"() arguments [2] : () -> tensor<2xi64>
// CHECK: loop.pointwise (%{{.*}}, %{{.*}}) in [4, 8] origins ["rand"]
// CHECK: loop.load %[[D]][0]
// CHECK: loop.load %[[D]][1]
// CHECK: loop.number 0
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: loop.sort parallel () in [] along (%[[N:.*]]) in [5]
// CHECK: loop.load %[[D]][0]
// CHECK: loop.number 1
// CHECK: arith.index_cast %[[N]] : index to i64
// CHECK-NOT: loop.extern
func.func @draws() -> (tensor<4x8xf32>, tensor<5xi64>) {
  %r = aten.rand(size = [4, 8]) : () -> tensor<4x8xf32>
  %p = aten.randperm(n = 5) : () -> tensor<5xi64>
  return %r, %p : tensor<4x8xf32>, tensor<5xi64>
}
