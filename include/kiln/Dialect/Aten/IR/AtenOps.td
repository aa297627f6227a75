//===- AtenOps.td - All aten ops ---------------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All records, as kiln-tblgen reads them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENOPS_TD

include "kiln/Dialect/Aten/IR/AtenActivationOps.td"
include "kiln/Dialect/Aten/IR/AtenArrangeOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeCtcOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeLayersOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeLinalgOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeMathOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeQuantizeOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeSpectraOps.td"
include "kiln/Dialect/Aten/IR/AtenCompositeViewsOps.td"
include "kiln/Dialect/Aten/IR/AtenContractionOps.td"
include "kiln/Dialect/Aten/IR/AtenControlOps.td"
include "kiln/Dialect/Aten/IR/AtenFactoryOps.td"
include "kiln/Dialect/Aten/IR/AtenImageOps.td"
include "kiln/Dialect/Aten/IR/AtenIndexingOps.td"
include "kiln/Dialect/Aten/IR/AtenLinalgOps.td"
include "kiln/Dialect/Aten/IR/AtenLossOps.td"
include "kiln/Dialect/Aten/IR/AtenMathOps.td"
include "kiln/Dialect/Aten/IR/AtenNormalizationOps.td"
include "kiln/Dialect/Aten/IR/AtenPointwiseOps.td"
include "kiln/Dialect/Aten/IR/AtenPoolingOps.td"
include "kiln/Dialect/Aten/IR/AtenProgramOps.td"
include "kiln/Dialect/Aten/IR/AtenReductionOps.td"
include "kiln/Dialect/Aten/IR/AtenSearchOps.td"
include "kiln/Dialect/Aten/IR/AtenUnaryOps.td"
include "kiln/Dialect/Aten/IR/AtenViewOps.td"
include "kiln/Dialect/Aten/IR/QuantizedOps.td"
include "kiln/Dialect/Aten/IR/TransformersOps.td"

#endif // KILN_DIALECT_ATEN_IR_ATENOPS_TD
