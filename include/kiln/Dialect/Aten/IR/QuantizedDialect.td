//===- QuantizedDialect.td - Operators of quantization -----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_QUANTIZEDDIALECT_TD
#define KILN_DIALECT_ATEN_IR_QUANTIZEDDIALECT_TD

include "mlir/IR/DialectBase.td"

def QuantizedDecomposed_Dialect : Dialect {
  let name = "quantized_decomposed";
  let cppNamespace = "::kiln::aten";
  let summary = "Operators with which PyTorch writes quantized programs";
  let description = [{
    PyTorch's quantization of exported programs (PT2E) leaves operators between
    floats and levels, integers of few bits whose grid is an argument. They are
    composed of ATen's, of torch/ao/quantization/fx/_decomposed.py.

    ```mlir
    %levels = quantized_decomposed.quantize_per_tensor(%x, scale = 0.02,
                  zero_point = 128, quant_min = 0, quant_max = 255, dtype = ui8)
      : (tensor<4x8xf32>) -> tensor<4x8xui8>
    ```
  }];
  // Of which the ops are composed, and which loads this one as well.
  let dependentDialects = ["::kiln::aten::AtenDialect"];
}

#endif // KILN_DIALECT_ATEN_IR_QUANTIZEDDIALECT_TD
