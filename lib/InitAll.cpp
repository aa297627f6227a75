//===- InitAll.cpp - Dialects and passes of Kiln --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per area and kind; a new library adds its line here and its name in
// lib/CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#include "kiln/InitAll.h"

#include "kiln/Conversion/AtenToLoop.h"
#include "kiln/Conversion/ExpandMath/Passes.h"
#include "kiln/Conversion/KernelToLLVM/Passes.h"
#include "kiln/Conversion/LinalgToLoop/Passes.h"
#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Conversion/LoopToNvvm/Passes.h"
#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Conversion/ToProgram/Passes.h"
#include "kiln/Dialect/Aten/Derivatives/Derivatives.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/QuantizedDialect.h"
#include "kiln/Dialect/Aten/IR/TransformersDialect.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Dialect/Program/Transforms/Passes.h"
#include "kiln/Pipelines/LinalgPipeline.h"
#include "kiln/Pipelines/Pipelines.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/IR/DialectRegistry.h"

using namespace kiln;

void kiln::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<aten::AtenDialect, aten::QuantizedDecomposedDialect,
                  aten::TransformersDialect, guard::GuardDialect,
                  joint::JointDialect, loop::LoopDialect,
                  program::ProgramDialect>();
}

void kiln::registerAllExtensions(mlir::DialectRegistry &registry) {
  aten::registerComposites(registry);
  aten::registerDerivatives(registry);
  registerLinalgLoweringDialects(registry);
}

void kiln::registerAllPasses() {
  aten::registerAtenPasses();
  joint::registerJointPasses();
  loop::registerLoopPasses();
  program::registerProgramPasses();
  registerAtenToLoopPasses();
  registerExpandMathPasses();
  registerKernelToLLVMPasses();
  registerLinalgLoweringPipeline();
  registerLinalgToLoopPasses();
  registerLoopToLinalgPasses();
  registerLoopToNvvmPasses();
  registerLoopToScfPasses();
  registerPipelines();
  registerToProgramPasses();
  registerTransformsPasses();
}
