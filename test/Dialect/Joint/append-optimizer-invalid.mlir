// RUN: kiln-opt %s --split-input-file --verify-diagnostics --joint-append-optimizer=optimizer=adam
// RUN: not kiln-opt %s --split-input-file --joint-append-optimizer=optimizer=lion 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not kiln-opt %s --split-input-file --joint-append-optimizer=optimizer=adam,beta1=1 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not kiln-opt %s --split-input-file --joint-append-optimizer=optimizer=sgd,nesterov 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not kiln-opt %s --split-input-file --joint-append-optimizer=optimizer=sgd,momentum=1,momentum=2 2>&1 | FileCheck %s --check-prefix=TWICE
// KIND: option 'optimizer': optimizer 'lion', expected sgd, adam or adamw
// RANGE: option 'optimizer': 'beta1=1', expected a number from 0 to below 1
// NESTEROV: option 'optimizer': 'nesterov' needs a momentum and no dampening
// TWICE: option 'optimizer': 'momentum' is given twice

// expected-error @+1 {{has no gradient of a parameter, expected one for an optimizer to use}}
joint.graph @main primals(%x: tensor<4xf32>) tangents()
    -> outputs(tensor<4xf32>) gradients() {
  %y = aten.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  joint.return outputs(%y : tensor<4xf32>) gradients()
}

// -----

// Without a graph dialect nothing says what a parameter is.
// expected-error @+1 {{no loaded dialect says which arguments are parameters}}
joint.graph @main primals(%x: tensor<4xf32>) tangents()
    -> outputs(tensor<4xf32>) gradients() {
  joint.return outputs(%x : tensor<4xf32>) gradients()
}
