//===- LoopToLinalgTest.cpp - Values of kernels that went through linalg --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the processor, and on an interpreter of a GPU's threads that reports races and
// accesses out of bounds.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "kiln/Pipelines/LinalgPipeline.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
class LoopToLinalg : public testing::TestWithParam<LoopCase> {};
class LoopToLinalgGrid : public testing::TestWithParam<LoopCase> {};
} // namespace

TEST_P(LoopToLinalg, GivesTheInterpretersValues) {
  checkLowering(
      GetParam(), [](KernelOp) {},
      [](ModuleOp module) {
        PassManager pm(module.getContext());
        buildLinalgLoweringPipeline(pm);
        return succeeded(pm.run(module));
      });
}

TEST_P(LoopToLinalgGrid, GivesTheInterpretersValues) {
  checkLowering(
      GetParam(), [](KernelOp) {}, lowerThroughLinalg,
      [](ModuleOp module, ArrayRef<Array> arguments,
         const SymbolValues &symbols) {
        return runGrids(module, IndexWidth::Wide, arguments, symbols);
      });
}

static std::string nameOf(const testing::TestParamInfo<LoopCase> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToLinalg,
    testing::ValuesIn(getLoopCases().begin(), getLoopCases().end()), nameOf);
INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToLinalgGrid,
    testing::ValuesIn(getLoopCases().begin(), getLoopCases().end()), nameOf);
