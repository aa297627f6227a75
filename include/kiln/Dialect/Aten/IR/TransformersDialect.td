//===- TransformersDialect.td - Operators of transformers --*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_TRANSFORMERSDIALECT_TD
#define KILN_DIALECT_ATEN_IR_TRANSFORMERSDIALECT_TD

include "mlir/IR/DialectBase.td"

def Transformers_Dialect : Dialect {
  let name = "transformers";
  let cppNamespace = "::kiln::aten";
  let summary = "Operators that the library transformers defines by PyTorch's";
  let description = [{
    Hugging Face's library registers a few operators of its own, of which an
    exported program holds the names. They are composed of ATen's.

    ```mlir
    %y = transformers.grouped_mm_fallback(%x, %w, %ends)
      : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<2xi32>) -> tensor<6x3xf32>
    ```
  }];
  // Of which the ops are composed, and which loads this one as well.
  let dependentDialects = ["::kiln::aten::AtenDialect"];
}

#endif // KILN_DIALECT_ATEN_IR_TRANSFORMERSDIALECT_TD
