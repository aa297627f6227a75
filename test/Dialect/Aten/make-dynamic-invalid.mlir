// RUN: kiln-opt %s --aten-make-dynamic=all --verify-diagnostics

// Sizes that have no name cannot be told from new ones.
// expected-error @below {{'func.func' op has dynamic dimensions in argument 1 that no '#guard.shape' names}}
func.func @main(%x: tensor<6xf32>, %y: tensor<?x7xf32>) -> tensor<?x7xf32> {
  return %y : tensor<?x7xf32>
}
