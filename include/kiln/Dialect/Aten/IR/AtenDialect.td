//===- AtenDialect.td - The aten dialect ----------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENDIALECT_TD
#define KILN_DIALECT_ATEN_IR_ATENDIALECT_TD

include "mlir/IR/DialectBase.td"

def Aten_Dialect : Dialect {
  let name = "aten";
  let cppNamespace = "::kiln::aten";
  let summary = "The operators of a captured PyTorch program";
  let description = [{
    One op per functional ATen overload, named as PyTorch names it without
    `.default`: `aten.add.Tensor`, `aten.sum.dim_IntList`, `aten.mm`. Tensors
    are builtin tensor types; `i8` is signed, `ui8` unsigned, `i1` bool. Sizes
    are `#guard.expr` attributes, numbers (`Scalar`) are SSA values of type
    `i1`, `i64`, `f64` or `complex<f64>`.

    ```mlir
    func.func @main(%x: tensor<?x4xf32, #guard.shape<[s77, 4]>>)
        -> tensor<?x1xf32, #guard.shape<[s77, 1]>> {
      %two = arith.constant 2.0 : f64
      %y = aten.mul.Tensor(%x, %two)
        : (tensor<?x4xf32, #guard.shape<[s77, 4]>>, f64)
        -> tensor<?x4xf32, #guard.shape<[s77, 4]>>
      %r = aten.sum.dim_IntList(%y, dim = [-1], keepdim = true)
        : (tensor<?x4xf32, #guard.shape<[s77, 4]>>)
        -> tensor<?x1xf32, #guard.shape<[s77, 1]>>
      return %r : tensor<?x1xf32, #guard.shape<[s77, 1]>>
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::kiln::guard::GuardDialect",
    "::kiln::aten::QuantizedDecomposedDialect",
    "::kiln::aten::TransformersDialect"
  ];
  let extraClassDeclaration = [{
    /// Says which overloads a name without one could mean.
    ::std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;

    void registerAttributes();
    // One for each category, so that categories compile apart.
    void registerControlOps();
  }];
}

#endif // KILN_DIALECT_ATEN_IR_ATENDIALECT_TD
