//===- Weights.cpp - The weights of a model from C --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace kiln;
using namespace kiln::capi;
using runtime::Tensor;

static Result<Tensor> findTensor(const KilnModel &model, KilnList list,
                                 const std::string &name) {
  const session::Session &session = *model.session;
  Tensor found;
  if (list == KILN_WEIGHTS) {
    found = session.weight(name);
  } else {
    const auto &slots =
        session.function().variant(0).package().programs.front().slots;
    for (size_t i = 0; i < slots.size() && list == KILN_STATE; ++i)
      if (slots[i].kind == package::Slot::Kind::OptimizerState &&
          slots[i].path == name)
        if (auto *tensor =
                std::get_if<Tensor>(&session.slotValues()[i].value))
          found = *tensor;
  }
  if (found.defined())
    return found;
  return Error::usage("the model has no " +
                      std::string(list == KILN_WEIGHTS ? "weight" : "state") +
                      " '" + name + "' with values");
}

KilnStatus *kilnModelGetWeight(KilnModel *model, KilnList list,
                               const char *name, KilnTensor **tensor) {
  return guarded([&]() -> Status {
    if (!tensor)
      return isNull("tensor");
    *tensor = nullptr;
    if (!model || !name)
      return isNull(model ? "name" : "model");
    CallLock lock(*model);
    auto found = findTensor(*model, list, name);
    if (!found)
      return found.takeError();
    auto copy = found->clone();
    if (!copy)
      return copy.takeError();
    *tensor = new KilnTensor{std::move(*copy)};
    return Status::success();
  });
}

KilnStatus *kilnModelSetWeight(KilnModel *model, const char *name,
                               const KilnTensor *tensor) {
  return guarded([&]() -> Status {
    if (!model || !name || !tensor)
      return isNull(!model ? "model" : !name ? "name" : "tensor");
    std::unique_lock<std::shared_mutex> alone(model->mutex);
    Status status = model->session->setWeight(name, tensor->tensor);
    findMissing(*model);
    return status;
  });
}

KilnStatus *kilnModelLoadWeights(KilnModel *model, const char *path) {
  return guarded([&]() -> Status {
    if (!model || !path)
      return isNull(model ? "path" : "model");
    std::unique_lock<std::shared_mutex> alone(model->mutex);
    Status status = model->session->loadWeights(path);
    findMissing(*model);
    return status;
  });
}
