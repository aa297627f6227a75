//===- AtenCompositeCtcOps.td - CTC loss -------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITECTCOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITECTCOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_CtcLossIntListOp : Aten_CompositeOp<
    "aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] "
    "input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool "
    "zero_infinity=False) -> Tensor", "decomposeCtcLossIntList"> {
  let summary = "Loss over all ways to spread a target over time";
}

def Aten_CtcLossTensorOp : Aten_CompositeOp<
    "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor "
    "input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool "
    "zero_infinity=False) -> Tensor", "decomposeCtcLossTensor"> {
  let summary = "Loss over all ways to spread a target over time";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITECTCOPS_TD
