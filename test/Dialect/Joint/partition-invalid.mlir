// RUN: kiln-opt %s --split-input-file --verify-diagnostics --joint-partition
// RUN: not kiln-opt %s --split-input-file --joint-partition=memory-budget=2 2>&1 | FileCheck %s

// CHECK: error: option 'memory-budget' is 2.0{{.*}}, expected 0 to 1
joint.graph @a primals() tangents() -> outputs() gradients() {
  joint.return outputs() gradients()
}

// -----

joint.graph @a primals() tangents() -> outputs() gradients() {
  joint.return outputs() gradients()
}
// expected-error @+1 {{is a second 'joint.graph', expected 1 in a module}}
joint.graph @b primals() tangents() -> outputs() gradients() {
  joint.return outputs() gradients()
}

// -----

func.func private @forward()
// expected-error @+1 {{cannot be cut: the module has a symbol 'forward' already}}
joint.graph @a primals() tangents() -> outputs() gradients() {
  joint.return outputs() gradients()
}
