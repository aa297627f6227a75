//===- PackedAhead.h - Products whose panels can be made ahead --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed product copies the operand with its columns (B) into panels as it
// goes, once for each tile of rows. Where B lies in memory before the kernel
// runs, and nothing but its columns and the sum say which element is meant,
// another kernel may make the panels, which this one then reads in its place.
//
//   for (PackableProduct &product : getPackableProducts(kernel, *strides))
//     if (isFrozen(kernel.getInputs()[product.input]))
//       product.op->setAttr(kPackedAheadAttrName, UnitAttr::get(context));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_PACKEDAHEAD_H
#define KILN_ANALYSIS_PACKEDAHEAD_H

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/KernelLayout.h"

namespace kiln::analysis {

struct PackableProduct {
  loop::ContractOp op;
  ContractionShape shape;
  loop::PackedScheduleAttr schedule;
  unsigned input = 0;   ///< of the kernel: B
  int64_t elements = 0; ///< of the panels of all matrices, in the type of the sums
};

/// The contractions of a kernel whose panels of B can be made ahead, by its
/// schedule: sizes of B are numbers, nothing else reads it, and its prologue
/// uses nothing of the kernel.
SmallVector<PackableProduct, 0>
getPackableProducts(loop::KernelOp kernel, const KernelStrides &inputStrides);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_PACKEDAHEAD_H
