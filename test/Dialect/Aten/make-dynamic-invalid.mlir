// RUN: kiln-opt %s --aten-make-dynamic=all --verify-diagnostics

// Sizes that have no name cannot be told from new ones.
// expected-error @below {{'func.func' op argument 1 of @main has dynamic sizes without names; expected a type such as tensor<?x4xf32, #guard.shape<[s0, 4]>>}}
func.func @main(%x: tensor<6xf32>, %y: tensor<?x7xf32>) -> tensor<?x7xf32> {
  return %y : tensor<?x7xf32>
}
