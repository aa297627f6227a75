//===- Passes.td - Passes of the joint dialect ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_TRANSFORMS_PASSES_TD
#define KILN_DIALECT_JOINT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def JointDifferentiatePass
    : Pass<"joint-differentiate", "::mlir::ModuleOp"> {
  let summary = "Turn a function into a graph of its outputs and gradients";
  let description = [{
    Replaces the function by a `joint.graph` of the same name. It assumes that
    the function is functional and has one block. The graph's tangents are the
    gradients of the function's floating-point outputs; its gradients are those
    of the arguments that ask for one, in the order of the arguments.

    An argument that the outputs do not depend on gets no gradient (as in
    PyTorch, where it stays `None`), with the remark `no-gradient` (missed) that
    says where the flow ended. An op on the way that is not differentiable is an
    error, unless it says that no gradient flows through it.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32> {joint.requires_grad})
        -> tensor<4xf32> {
      %y = aten.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    joint.graph @main primals(%x: tensor<4xf32> {joint.requires_grad})
        tangents(%dy: tensor<4xf32>)
        -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
      %y = aten.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %dx = aten.mul.Tensor(%dy, %y)
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"main\"",
           "The function to differentiate.">,
    Option<"inputGradients", "input-gradients", "std::string", "\"flagged\"",
           "Which floating-point user inputs get a gradient: those that ask for "
           "it (flagged), all, or none. Parameters always follow their flag.">,
    ListOption<"wrt", "wrt", "std::string",
               "Names of the arguments that get a gradient. When given, no "
               "other argument gets one, whatever its flag.">
  ];
  let dependentDialects = ["::kiln::joint::JointDialect",
                           "::mlir::arith::ArithDialect"];
}

def JointAppendOptimizerPass
    : Pass<"joint-append-optimizer", "::mlir::ModuleOp"> {
  let summary = "End a joint graph with an optimizer's step";
  let description = [{
    Replaces each gradient of a parameter by the new contents of the parameter
    and of what the optimizer keeps for it. The state becomes primals behind the
    others, all of them zeros before the first step, and so do two f64 tensors
    without dimensions: `lr`, the learning rate, and `step`, which counts from
    1. Being inputs, they may change from step to step. Gradients of user inputs
    stay results.

    What an update writes has memory of its own: a `guard.program` of the graph
    gets a `guard.check_no_alias` for each parameter and its state.

    The updates are ops of the graph's dialect: they decompose, fuse and lower
    like all others, and an update can become the epilogue of the contraction
    that makes its gradient. The numbers are those of `torch.optim`.

    Before:

    ```mlir
    joint.graph @main primals(%w: tensor<4xf32> {aten.input = #aten.input<
        kind = parameter, path = "w", requires_grad = true>})
        tangents(%dy: tensor<4xf32>)
        -> outputs(tensor<4xf32>) gradients(tensor<4xf32> {aten.output =
        #aten.output<kind = parameter_gradient, target = "w">}) {
      %y = aten.exp(%w) : (tensor<4xf32>) -> tensor<4xf32>
      %dw = aten.mul.Tensor(%dy, %y)
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      joint.return outputs(%y : tensor<4xf32>) gradients(%dw : tensor<4xf32>)
    }
    ```

    After `optimizer=sgd`:

    ```mlir
    joint.graph @main primals(%w: tensor<4xf32>, %lr: tensor<f64>,
        %step: tensor<f64>) tangents(%dy: tensor<4xf32>)
        -> outputs(tensor<4xf32>) gradients(tensor<4xf32> {aten.output =
        #aten.output<kind = parameter_mutation, target = "w">}) {
      ...
      %rate = aten.neg(%lr) : (tensor<f64>) -> tensor<f64>
      %scale = aten._to_copy(%rate, dtype = f32)
          : (tensor<f64>) -> tensor<f32>
      %move = aten.mul.Tensor(%dw, %scale)
          : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %new = aten.add.Tensor(%w, %move)
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      joint.return outputs(%y : tensor<4xf32>) gradients(%new : tensor<4xf32>)
    }
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"",
           "The optimizer and its constants, in the form of OptimizerConfig.h: "
           "sgd, adam or adamw, and settings behind commas.">
  ];
}

def JointPartitionPass : Pass<"joint-partition", "::mlir::ModuleOp"> {
  let summary = "Cut joint graphs into a forward and a backward function";
  let description = [{
    Replaces each `joint.graph` by two functions. The first computes the outputs
    and returns after them the saved values; the second takes the saved values,
    the primals that it reads, and the tangents, and returns the gradients. What
    is saved is decided by a minimum cut (Partition.h); its figure is written into
    the attribute `joint.saved_bytes` of the forward function. Reports
    `partitioned` (passed) with the figures, `over-budget` (missed), and value by
    value `saved` and `recomputed` (passed) and `kept-input` (analysis), each with
    its reason.

    Only storages are saved: views are redone in the backward. Recomputed ops
    stand right before their first use, so that they live shortly.

    Before:

    ```mlir
    joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
        -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
      %y = aten.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %dx = aten.mul.Tensor(%dy, %y) : ...
      joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
    }
    ```

    After:

    ```mlir
    func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
    func.func @backward(%x: tensor<4xf32>, %dy: tensor<4xf32>)
        -> tensor<4xf32> { ... }
    ```
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "::kiln::Fraction", "1.0",
           "Fraction, 0 to 1, of the default cut's bytes that may be saved. "
           "Below 1, more is recomputed until the bytes fit.">,
    Option<"operandsInMemory", "operands-in-memory", "bool", "false",
           "Contractions and the like read their operands from memory: what the "
           "forward writes for one of them, and the backward would write again, "
           "is saved.">,
    Option<"saveAll", "save-all", "bool", "false",
           "Save whatever the backward reads and recompute views only.">,
    Option<"forwardName", "forward-name", "std::string", "\"forward\"",
           "Name of the forward function.">,
    Option<"backwardName", "backward-name", "std::string", "\"backward\"",
           "Name of the backward function.">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::kiln::guard::GuardDialect"];
}

#endif // KILN_DIALECT_JOINT_TRANSFORMS_PASSES_TD
