//===- Precision.h - How exactly a contraction multiplies -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch lets products of matrices and convolutions be rounded to tf32 apart from each
// other. `#loop.gpu` says both; a contraction that was made of a convolution, where that
// differs, says its own:
//
//   loop.contract ... acc f32 attributes {loop.tf32 = true} : tensor<8x16x4x4xf32>
//
// Operands whose elements were rounded when they were made (`loop-round-factors`) are named
// by their numbers, so that who multiplies need not do it:
//
//   loop.contract ... attributes {loop.rounded = array<i64: 0>, loop.tf32 = true} : ...
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_PRECISION_H
#define KILN_DIALECT_LOOP_IR_PRECISION_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// The attribute (a bool) of a contraction that says whether its factors of f32 may be
/// rounded to tf32; without it that is what `tf32` of `#loop.gpu` says.
inline constexpr llvm::StringLiteral kTf32AttrName = "loop.tf32";

/// True if factors of f32 may be rounded to tf32 on `target`, which is null for a processor:
/// there never.
bool permitsTf32(ContractOp op, GPUTargetAttr target);
/// The same on the target of the module that `op` stands in.
bool permitsTf32(ContractOp op);

/// Says of a contraction that was made of a convolution what its target permits.
void setConvolutionPrecision(ContractOp op);

/// The attribute (numbers) of a contraction that names operands whose elements of f32 are numbers
/// of tf32.
inline constexpr llvm::StringLiteral kRoundedAttrName = "loop.rounded";

/// Whether operand `number` of a contraction, 0 for the left one, is such a one.
bool isRounded(ContractOp op, unsigned number);
void setRounded(ContractOp op, unsigned number);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_PRECISION_H
