// RUN: kiln-opt %s --kiln-core=training=true --kiln-joint | FileCheck %s
// RUN: kiln-opt %s --kiln-core=training=true --kiln-joint --kiln-loop --kiln-cpu --kiln-native | FileCheck %s --check-prefix=NATIVE

// A training step, from the captured graph to the two halves in core form.
// CHECK-LABEL: func.func @forward
// CHECK: aten.
// CHECK: return
// CHECK-LABEL: func.func @backward
// CHECK-NOT: joint.
// CHECK: return

// NATIVE-LABEL: func.func @forward
// NATIVE: loop.launch
// NATIVE-LABEL: func.func @backward
// NATIVE: loop.launch
// NATIVE: module @kernels
// NATIVE: llvm.func
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.mul.Tensor(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.tanh(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
