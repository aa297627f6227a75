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

def Aten_CtcLossIntListOp : Aten_CompositeOp<"ctc_loss.IntList",
    "aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] "
    "input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool "
    "zero_infinity=False) -> Tensor",
    (ins Aten_Tensor:$log_probs, Aten_Tensor:$targets,
         Aten_Ints:$input_lengths, Aten_Ints:$target_lengths, Aten_Int:$blank,
         Aten_Int:$reduction, Aten_Bool:$zero_infinity),
    (outs Aten_Tensor:$result), "decomposeCtcLossIntList"> {
  let summary = "Loss over all ways to spread a target over time";
}

def Aten_CtcLossTensorOp : Aten_CompositeOp<"ctc_loss.Tensor",
    "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor "
    "input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool "
    "zero_infinity=False) -> Tensor",
    (ins Aten_Tensor:$log_probs, Aten_Tensor:$targets,
         Aten_Tensor:$input_lengths, Aten_Tensor:$target_lengths,
         Aten_Int:$blank, Aten_Int:$reduction, Aten_Bool:$zero_infinity),
    (outs Aten_Tensor:$result), "decomposeCtcLossTensor"> {
  let summary = "Loss over all ways to spread a target over time";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITECTCOPS_TD
