// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// Arguments are labelled primal or tangent, results output or gradient.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: primals(%[[X:.*]]: tensor<4xf32> {joint.requires_grad}, %{{.*}}: i64)
// CHECK-SAME: tangents(%[[DY:.*]]: tensor<4xf32>)
// CHECK-SAME: -> outputs(tensor<4xf32>) gradients(tensor<4xf32>)
joint.graph @main primals(%x: tensor<4xf32> {joint.requires_grad}, %n: i64)
    tangents(%dy: tensor<4xf32>)
    -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
  // CHECK: %[[S:.*]] = joint.save %[[X]] : tensor<4xf32>
  %0 = joint.save %x : tensor<4xf32>
  // CHECK: %[[R:.*]] = joint.recompute %[[S]] : tensor<4xf32>
  %1 = joint.recompute %0 : tensor<4xf32>
  // CHECK: %[[D:.*]] = joint.detach %[[R]] : tensor<4xf32>
  %2 = joint.detach %1 : tensor<4xf32>
  // CHECK: joint.return outputs(%[[D]] : tensor<4xf32>) gradients(%[[DY]] : tensor<4xf32>)
  joint.return outputs(%2 : tensor<4xf32>) gradients(%dy : tensor<4xf32>)
}

// A graph without tangents and gradients is inference.
// CHECK-LABEL: joint.graph @nothing primals() tangents() -> outputs() gradients() {
// CHECK: joint.return outputs() gradients()
joint.graph @nothing primals() tangents() -> outputs() gradients() {
  joint.return outputs() gradients()
}
