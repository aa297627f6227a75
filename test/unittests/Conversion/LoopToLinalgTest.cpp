//===- LoopToLinalgTest.cpp - Values of kernels that went through linalg --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

#include "kiln/Pipelines/LinalgPipeline.h"

#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
class LoopToLinalg : public testing::TestWithParam<LoopCase> {};
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

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToLinalg,
    testing::ValuesIn(getLoopCases().begin(), getLoopCases().end()),
    [](const testing::TestParamInfo<LoopCase> &info) {
      return std::string(info.param.name);
    });
