//===- GraphPlan.cpp - Which steps a device can be asked for at once ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/GraphPlan.h"
#include "kiln/Package/ExprEvaluator.h"

#include <map>

namespace kiln::package {

static std::string located(const std::string &text,
                           const std::string &location) {
  return location.empty() ? text : text + " (at " + location + ")";
}

bool isDeviceCheck(const Program &program, const ExternStep &step) {
  if (step.overload != "aten._assert_async.msg" &&
      step.overload != "aten._assert_async.default")
    return false;
  auto *flag = step.arguments.empty()
                   ? nullptr
                   : std::get_if<Argument::TensorRef>(&step.arguments[0].value);
  if (!flag)
    return false;
  const Value &value = program.values[flag->value];
  if (value.kind == Value::Kind::Dynamic || itemSize(value.dtype) > 8)
    return false;
  for (ExprId size : value.sizes)
    if (constantSize(program.exprs[size]) != 1)
      return false;
  return true;
}

/// Why a step needs the host; empty if it does not.
static std::string whyHost(const Program &program, const Step &step) {
  if (auto *call = std::get_if<ExternStep>(&step))
    return isDeviceCheck(program, *call)
               ? ""
               : located(call->overload + " runs on the host", call->location);
  if (auto *control = std::get_if<ControlStep>(&step))
    return located("a branch or a loop is decided on the host",
                   control->location);
  if (auto *definition = std::get_if<DefineSymbolStep>(&step))
    return definition->dim == kNone ? "a number is read from a tensor"
                                    : "a size is known only while it runs";
  if (std::holds_alternative<CopyStep>(step))
    return "tensors are copied";
  if (std::holds_alternative<LaunchStep>(step))
    return "a kernel of the processor is called";
  return "";
}

GraphPlan planGraphs(const Program &program) {
  GraphPlan plan;
  GraphSegment open;
  std::vector<GraphBreak> pending; // since the last launch
  bool hasLaunched = false;
  auto close = [&](uint32_t end) {
    open.end = end;
    if (open.launches > 1)
      plan.segments.push_back(open);
    open = {end + 1, 0, 0};
  };
  uint32_t count = static_cast<uint32_t>(program.steps.size());
  for (uint32_t i = 0; i < count; ++i) {
    const Step &step = program.steps[i];
    if (isPreparation(program, step)) { // runs in few calls
      close(i);
      continue;
    }
    if (std::string why = whyHost(program, step); !why.empty()) {
      close(i);
      if (hasLaunched)
        pending.push_back({i, std::move(why)});
      continue;
    }
    auto *grid = std::get_if<GridStep>(&step);
    if (!grid && !std::holds_alternative<ExternStep>(step))
      continue;
    open.launches += grid ? static_cast<uint32_t>(grid->parts.size()) : 1;
    plan.breaks.insert(plan.breaks.end(), pending.begin(), pending.end());
    pending.clear();
    hasLaunched = true;
  }
  close(count);
  return plan;
}

std::string graphText(const Package &package) {
  if (package.image.kind != KILN_IMAGE_PTX)
    return "skipping cudagraphs: the program runs on the CPU";
  std::string text;
  for (const Program &program : package.programs) {
    GraphPlan plan = planGraphs(program);
    uint32_t launches = 0;
    for (const GraphSegment &segment : plan.segments)
      launches += segment.launches;
    text += (text.empty() ? "" : "\n") + program.name + ": ";
    text += plan.segments.empty()
                ? "skipping cudagraphs: there are no two kernels in a row"
                : std::to_string(plan.segments.size()) +
                      (plan.segments.size() == 1 ? " graph of " : " graphs of ") +
                      std::to_string(launches) + " kernels";
    std::map<std::string, unsigned> reasons;
    for (const GraphBreak &found : plan.breaks)
      ++reasons[found.reason];
    for (const auto &[reason, times] : reasons)
      text += "\n  ends where " + reason +
              (times == 1 ? "" : ", " + std::to_string(times) + " times");
  }
  return text;
}

} // namespace kiln::package
