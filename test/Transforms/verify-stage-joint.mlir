// Operators of a joint graph are of the core set, too.
// RUN: kiln-opt %s --verify-diagnostics --kiln-verify-stage=stage=joint
joint.graph @g primals(%x: tensor<4xf32>) tangents() -> outputs(tensor<4xf32>) gradients() {
  // expected-error @below {{'aten.silu' op is not in the form of stage 'joint': expected operators of the core set, as 'aten-decompose' makes them}}
  %0 = aten.silu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  joint.return outputs(%0 : tensor<4xf32>) gradients()
}
