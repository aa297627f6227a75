//===- Dialects.cpp - Kiln's dialects from C ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln-c/Dialects.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Program/IR/Program.h"

#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Aten, aten, kiln::aten::AtenDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Guard, guard, kiln::guard::GuardDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Joint, joint, kiln::joint::JointDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Loop, loop, kiln::loop::LoopDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Program, program,
                                      kiln::program::ProgramDialect)
