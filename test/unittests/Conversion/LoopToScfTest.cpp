//===- LoopToScfTest.cpp - Values of directly emitted kernels -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case runs under several schedules: a schedule may change how fast a
// kernel is, and never what it computes.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

#include "kiln/Conversion/LoopToScf/Passes.h"

#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

struct Schedule {
  const char *name;
  ScheduleKind kind;
  int64_t vector, unroll;
  bool masks = false; ///< as for a target that has them
};

constexpr Schedule kSchedules[] = {
    {"Scalar", ScheduleKind::Pointwise, 1, 1},
    {"Pointwise8x2", ScheduleKind::Pointwise, 8, 2},
    {"Row8", ScheduleKind::Row, 8, 1},
    {"Row4x2", ScheduleKind::Row, 4, 2},
    {"Column16", ScheduleKind::Column, 16, 1},
    {"MaskedRow16", ScheduleKind::Row, 16, 1, true},
    {"MaskedColumn8x2", ScheduleKind::Column, 8, 2, true},
    {"Transpose16", ScheduleKind::Transpose, 16, 1, true},
};

class LoopToScf
    : public testing::TestWithParam<std::tuple<LoopCase, Schedule>> {};

} // namespace

static bool emitKernels(ModuleOp module, bool masks) {
  PassManager pm(module.getContext());
  if (masks)
    module->setAttr(kTargetAttrName,
                    TargetAttr::get(module.getContext(), /*vector_bits=*/512,
                                    /*registers=*/32, /*masks=*/true,
                                    /*l1=*/32 << 10, /*l2=*/1 << 20,
                                    /*l3=*/32 << 20, /*grain_points=*/16384,
                                    /*grain_ns=*/20000));
  pm.addPass(createConvertLoopToScfPass());
  return succeeded(pm.run(module));
}

TEST_P(LoopToScf, GivesTheInterpretersValues) {
  const auto &[test, schedule] = GetParam();
  checkLowering(
      test,
      [&schedule = schedule](KernelOp kernel) {
        bool scatters = false;
        kernel.walk([&](ScatterOp) { scatters = true; });
        if (scatters || schedule.vector == 1)
          return;
        kernel.setScheduleAttr(ScheduleAttr::get(
            kernel.getContext(), schedule.kind, schedule.vector,
            schedule.unroll, /*tiles=*/{}, /*grain=*/1, /*split=*/1,
            /*nontemporal=*/false));
      },
      [masks = schedule.masks](ModuleOp module) {
        return emitKernels(module, masks);
      });
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToScf,
    testing::Combine(testing::ValuesIn(getLoopCases().begin(),
                                       getLoopCases().end()),
                     testing::ValuesIn(kSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });
