// RUN: kiln-opt %s --split-input-file --verify-diagnostics --joint-partition

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

// -----

// expected-error @+1 {{has no 'joint.graph' to cut in two; run 'joint-differentiate' first}}
module {
}
