// Ops outside of the core set are decomposed at the end of stage `core`, unless
// they keep a derivative of their own for the joint graph.
// RUN: not kiln-opt %s --kiln-verify-stage=stage=core 2>&1 | FileCheck %s
// RUN: kiln-opt %s --kiln-verify-stage='stage=core keeps-derivatives=true'
// RUN: kiln-opt %s --kiln-core
// RUN: kiln-opt %s --kiln-verify-stage=stage=capture
// CHECK: error: 'aten.silu' op is not in the form of stage 'core': expected operators of the core set, as 'aten-decompose' makes them
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.silu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
