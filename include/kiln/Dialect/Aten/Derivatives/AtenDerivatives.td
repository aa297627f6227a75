//===- AtenDerivatives.td - Derivatives of ATen ops --------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rules; DerivativeBase.td says how they are written.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_ATENDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_ATENDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/ActivationDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/ContractionDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/ImageDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/IndexingDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/LossDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/NormalizationDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/PointwiseDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/ReductionDerivatives.td"
include "kiln/Dialect/Aten/Derivatives/StopGradients.td"
include "kiln/Dialect/Aten/Derivatives/ViewDerivatives.td"

#endif // KILN_DIALECT_ATEN_DERIVATIVES_ATENDERIVATIVES_TD
