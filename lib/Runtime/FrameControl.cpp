//===- FrameControl.cpp - Steps that run bodies --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is a program with a runner of its own; each run of it checks its
// inputs as any call does, so a body gets no shapes it was not made for.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "kiln/Package/Printer.h"
#include "kiln/Runtime/Element.h"

#include <iterator>

namespace kiln::runtime {

using package::ControlStep;
using package::kNone;

namespace {

Result<bool> truthOf(const OpValue &value) {
  if (auto *b = std::get_if<bool>(&value.value))
    return *b;
  if (auto *i = std::get_if<int64_t>(&value.value))
    return *i != 0;
  auto *tensor = std::get_if<Tensor>(&value.value);
  if (!tensor || !tensor->defined())
    return Error::guard("expected a predicate that is a bool");
  if (tensor->dtype() != DType::Bool)
    return Error::guard("expected a predicate that is a bool, found " +
                        tensor->typeString());
  auto item = itemOf(*tensor);
  if (!item)
    return item.takeError();
  return std::get<bool>(item->value);
}

/// Slice `index` along the first dimension.
Tensor sliceOf(const Tensor &tensor, int64_t index) {
  std::vector<int64_t> sizes(tensor.sizes().begin() + 1, tensor.sizes().end());
  std::vector<int64_t> strides(tensor.strides().begin() + 1,
                               tensor.strides().end());
  return tensor.asStrided(std::move(sizes), std::move(strides),
                          tensor.storageOffset() + index * tensor.stride(0));
}

/// Writes `slice` into place `index` of a stack of `count`, which is made when
/// the first slice is known.
Status stack(OpValue &stacked, const OpValue &slice, int64_t index,
             int64_t count) {
  auto *tensor = std::get_if<Tensor>(&slice.value);
  if (!tensor || !tensor->defined())
    return Error::guard("expected a tensor to stack, found none");
  if (index == 0) {
    std::vector<int64_t> sizes = {count};
    sizes.insert(sizes.end(), tensor->sizes().begin(), tensor->sizes().end());
    auto whole = Tensor::emptyOn(tensor->storage()->device(),
                                 tensor->dtype(), std::move(sizes));
    if (!whole)
      return whole.takeError();
    stacked = OpValue(std::move(*whole));
  }
  Tensor place = sliceOf(std::get<Tensor>(stacked.value), index);
  if (place.sizes() != tensor->sizes() || place.dtype() != tensor->dtype())
    return Error::guard("slice " + std::to_string(index) + " is " +
                        tensor->typeString() + ", expected " +
                        place.typeString() + " as the slices before it");
  return copyElements(*tensor, place);
}

} // namespace

Result<std::vector<OpValue>>
ProgramRunner::Frame::runBody(uint32_t index,
                              const std::vector<OpValue> &inputs) {
  RunOptions options = options_;
  // What surrounds a step was checked, what a body gets was not.
  options.inputsChecked = false;
  options.reuseOutputs = true;
  return (*plan_.bodies)[index]->run(inputs, options);
}

Status ProgramRunner::Frame::branch(const ControlStep &step,
                                    std::vector<OpValue> &values) {
  auto truth = truthOf(values[0]);
  if (!truth)
    return truth.takeError();
  values.erase(values.begin());
  auto results = runBody(step.bodies[*truth ? 0 : 1], values);
  if (!results)
    return results.takeError();
  values = std::move(*results);
  return Status::success();
}

Status ProgramRunner::Frame::repeat(const ControlStep &step,
                                    std::vector<OpValue> &values) {
  for (;;) {
    auto condition = runBody(step.bodies[0], values);
    if (!condition)
      return condition.takeError();
    auto truth = truthOf((*condition)[0]);
    if (!truth)
      return truth.takeError();
    if (!*truth)
      break;
    auto next = runBody(step.bodies[1], values);
    if (!next)
      return next.takeError();
    std::move(next->begin(), next->end(), values.begin());
  }
  values.resize(step.carried);
  return Status::success();
}

/// What stacking no slices gives: its declared sizes, the first of which is 0.
Status ProgramRunner::Frame::emptyStack(package::ValueId id, OpValue &value) {
  std::shared_ptr<const TensorLayout> layout;
  if (Status s = layoutOf(id, layout); !s)
    return s;
  const std::vector<int64_t> &sizes = layout->sizes;
  if (sizes.empty() || sizes[0] != 0)
    return Error::guard("expected no slices in value " + std::to_string(id));
  auto tensor = Tensor::empty(program_.values[id].dtype, sizes);
  if (!tensor)
    return tensor.takeError();
  value = OpValue(std::move(*tensor));
  return Status::success();
}

Status ProgramRunner::Frame::scan(const ControlStep &step,
                                  std::vector<OpValue> &values) {
  std::vector<Tensor> scanned;
  for (uint32_t i = 0; i < step.scanned; ++i) {
    auto *tensor = std::get_if<Tensor>(&values[step.carried + i].value);
    if (!tensor || !tensor->defined() || tensor->rank() == 0)
      return Error::guard("expected a tensor with a dimension to take slices "
                          "of as argument " +
                          std::to_string(step.carried + i));
    scanned.push_back(*tensor);
    if (tensor->size(0) != scanned[0].size(0))
      return Error::guard(
          "expected " + std::to_string(scanned[0].size(0)) +
          " slices of argument " + std::to_string(step.carried + i) +
          ", found " + std::to_string(tensor->size(0)));
  }
  int64_t count = scanned[0].size(0);
  std::vector<OpValue> stacks(step.results.size() - step.carried);
  for (int64_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < scanned.size(); ++i)
      values[step.carried + i] = OpValue(sliceOf(scanned[i], k));
    auto results = runBody(step.bodies[0], values);
    if (!results)
      return results.takeError();
    for (size_t i = 0; i < stacks.size(); ++i)
      if (Status s = stack(stacks[i], (*results)[step.carried + i], k, count);
          !s)
        return s.error().withContext("result " +
                                     std::to_string(step.carried + i));
    std::move(results->begin(), results->begin() + step.carried,
              values.begin());
  }
  for (size_t i = 0; i < stacks.size() && count == 0; ++i)
    if (package::ValueId id = step.results[step.carried + i]; id != kNone)
      if (Status s = emptyStack(id, stacks[i]); !s)
        return s;
  values.resize(step.carried);
  std::move(stacks.begin(), stacks.end(), std::back_inserter(values));
  return Status::success();
}

Status ProgramRunner::Frame::control(const ControlStep &step) {
  auto located = [&](const Error &error) {
    Error result = error.withContext(package::controlKindName(step.kind));
    if (!step.location.empty())
      result.message += " (at " + step.location + ")";
    return result;
  };
  std::vector<OpValue> values(step.arguments.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (Status s = argument(step.arguments[i], values[i]); !s)
      return located(s.error());
  Status status = Status::success();
  switch (step.kind) {
  case ControlStep::Kind::Branch:
    status = branch(step, values);
    break;
  case ControlStep::Kind::While:
    status = repeat(step, values);
    break;
  case ControlStep::Kind::Scan:
    status = scan(step, values);
    break;
  }
  if (!status)
    return located(status.error());
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (step.results[i] == kNone)
      continue;
    if (Status s = leaveArena(values[i]); !s)
      return located(s.error());
    if (Status s = assign(step.results[i], std::move(values[i])); !s)
      return located(s.error());
  }
  return Status::success();
}

} // namespace kiln::runtime
