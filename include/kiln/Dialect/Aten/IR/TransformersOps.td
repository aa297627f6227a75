//===- TransformersOps.td - Operators of transformers ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_TRANSFORMERSOPS_TD
#define KILN_DIALECT_ATEN_IR_TRANSFORMERSOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"
include "kiln/Dialect/Aten/IR/TransformersDialect.td"

def Transformers_GroupedMmFallbackOp
    : Aten_CompositeOverloadOp<Transformers_Dialect,
    "transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor "
    "offs) -> Tensor", "decomposeGroupedMmFallback", NoEffects> {
  let summary = "Products of groups of rows with matrices of their own";
}

def Transformers_GroupedMmFallbackBackwardOp
    : Aten_CompositeOverloadOp<Transformers_Dialect,
    "transformers::grouped_mm_fallback_backward(Tensor input, Tensor weight, "
    "Tensor offs, Tensor grad_output) -> (Tensor, Tensor)",
    "decomposeGroupedMmFallbackBackward", NoEffects> {
  let summary = "Gradients of products of groups of rows";
}

#endif // KILN_DIALECT_ATEN_IR_TRANSFORMERSOPS_TD
