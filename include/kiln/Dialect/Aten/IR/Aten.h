//===- Aten.h - The aten dialect --------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole dialect. It adds five seconds to the compilation of a file: where a
// category or two are enough, include kiln/Dialect/Aten/IR/Aten<Category>Ops.h,
// and AtenBase.h or AtenBuilder.h where no op class is named.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATEN_H
#define KILN_DIALECT_ATEN_IR_ATEN_H

#include "kiln/Dialect/Aten/IR/AtenActivationOps.h"
#include "kiln/Dialect/Aten/IR/AtenArrangeOps.h"
#include "kiln/Dialect/Aten/IR/AtenContractionOps.h"
#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Dialect/Aten/IR/AtenFactoryOps.h"
#include "kiln/Dialect/Aten/IR/AtenImageOps.h"
#include "kiln/Dialect/Aten/IR/AtenIndexingOps.h"
#include "kiln/Dialect/Aten/IR/AtenLinalgOps.h"
#include "kiln/Dialect/Aten/IR/AtenLossOps.h"
#include "kiln/Dialect/Aten/IR/AtenMathOps.h"
#include "kiln/Dialect/Aten/IR/AtenNormalizationOps.h"
#include "kiln/Dialect/Aten/IR/AtenPointwiseOps.h"
#include "kiln/Dialect/Aten/IR/AtenPoolingOps.h"
#include "kiln/Dialect/Aten/IR/AtenProgramOps.h"
#include "kiln/Dialect/Aten/IR/AtenReductionOps.h"
#include "kiln/Dialect/Aten/IR/AtenSearchOps.h"
#include "kiln/Dialect/Aten/IR/AtenUnaryOps.h"
#include "kiln/Dialect/Aten/IR/AtenViewOps.h"

#endif // KILN_DIALECT_ATEN_IR_ATEN_H
