//===- JointDialect.td - The joint dialect --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_IR_JOINTDIALECT_TD
#define KILN_DIALECT_JOINT_IR_JOINTDIALECT_TD

include "mlir/IR/DialectBase.td"

def Joint_Dialect : Dialect {
  let name = "joint";
  let cppNamespace = "::kiln::joint";
  let summary = "Forward and backward of a training step in one graph";
  let description = [{
    A `joint.graph` computes the outputs of a model from its primals, and the
    gradients of some primals from primals and tangents. It exists between two
    passes: `joint-differentiate` makes it from a function, `joint-partition`
    cuts it into a forward and a backward function. In between every pass on
    values (canonicalization, CSE, simplification) sees both at once.

    The dialect has no arithmetic. The body is made of whatever dialect the
    function had; see `DifferentiableOpInterface` for what its ops must offer.

    ```mlir
    joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
        -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
      %y = math.exp %x : tensor<4xf32>
      %dx = arith.mulf %dy, %y : tensor<4xf32>
      joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
    }
    ```
  }];
}

#endif // KILN_DIALECT_JOINT_IR_JOINTDIALECT_TD
