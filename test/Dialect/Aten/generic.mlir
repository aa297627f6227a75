// RUN: kiln-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --emit-bytecode | kiln-opt | FileCheck %s

// Attributes are properties in generic text, and come back from it and from
// bytecode, with those that no record knows beside them.

// GENERIC: "aten.clamp"(%{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 1>}> {mine = 1 : i64}
// GENERIC: "aten.cumsum"(%{{.*}}) <{dim = 0 : i64}>

// CHECK: %[[C:.*]] = aten.clamp(%{{.*}}, max = %{{.*}}) {mine = 1 : i64}
// CHECK: aten.cumsum(%[[C]], dim = 0)
func.func @f(%x: tensor<4xf32>, %n: f64) -> tensor<4xf32> {
  %0 = aten.clamp(%x, max = %n) {mine = 1 : i64} : (tensor<4xf32>, f64) -> tensor<4xf32>
  %1 = aten.cumsum(%0, dim = 0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
