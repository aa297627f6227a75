//===- AtenProgramOps.td - Numbers and assertions ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENPROGRAMOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENPROGRAMOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_ItemOp : Aten_CountingOp<"aten::item(Tensor self) -> Scalar"> {
  let summary = "The number in a tensor of one element";
  let aliases = ["_local_scalar_dense"];
  let description = [{
    `symbol` names the unbacked symbol that the number is bound to.
  }];
  let ownAttributes = "str? symbol";
  let shape = "item";
  let promotion = PromoteToNumber;
  let recompute = RecomputeOpaque;
  let isCore = 1;
}

def Aten_AssertTensorMetadataOp : Aten_Op<
    "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? "
    "stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? "
    "layout=None) -> ()"> {
  let summary = "Check properties of a tensor";
  let shape = "none";
  let promotion = PromoteNone;
  let recompute = RecomputeOpaque;
  let isCore = 1;
}

def Aten_PrintOp : Aten_Op<"aten::_print(str s) -> ()"> {
  let summary = "Print text";
  let shape = "none";
  let promotion = PromoteNone;
}

#endif // KILN_DIALECT_ATEN_IR_ATENPROGRAMOPS_TD
