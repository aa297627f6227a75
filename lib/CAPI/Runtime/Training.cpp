//===- Training.cpp - Gradients, steps and checkpoints from C ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace kiln;
using namespace kiln::capi;
using runtime::OpValue;

/// Tangents by output of the program, of those by output of the caller.
static Result<std::vector<OpValue>>
readTangents(const KilnModel &model, const KilnValue *tangents) {
  std::vector<OpValue> values;
  if (!tangents)
    return values;
  const auto &programs =
      model.session->function().variant(0).package().programs;
  values.resize(programs.front().outputs.size());
  const std::vector<size_t> &places = model.signature.outputs;
  for (size_t i = 0; i < places.size(); ++i) {
    auto value = readValue(tangents[i]);
    if (!value)
      return value.error().withContext("tangent " + std::to_string(i));
    if (!value->isNone() && !value->isTensor())
      return Error::usage("tangent " + std::to_string(i) +
                          ": expected a tensor or none");
    values[places[i]] = std::move(*value);
  }
  return values;
}

static Status runTraining(KilnModel &model, const std::vector<OpValue> &inputs,
                          const std::vector<OpValue> &tangents,
                          KilnValue *outputs, KilnValue *gradients) {
  auto result = model.session->callTraining(inputs, tangents);
  if (!result)
    return result.takeError();
  const std::vector<size_t> &places = model.signature.outputs;
  auto give = [](OpValue &from, KilnValue &to) -> Status {
    auto value = handOut(std::move(from));
    if (!value)
      return value.takeError();
    to = *value;
    return Status::success();
  };
  for (size_t i = 0; i < places.size(); ++i)
    if (Status s = give(result->outputs[places[i]], outputs[i]); !s)
      return s;
  const auto &described =
      model.session->function().variant(0).package().programs.back().outputs;
  size_t next = 0;
  for (size_t i = 0; i < described.size(); ++i)
    if (described[i].role == package::Output::Role::ParameterGradient ||
        described[i].role == package::Output::Role::InputGradient)
      if (Status s = give(result->gradients[i], gradients[next++]); !s)
        return s;
  return Status::success();
}

KilnStatus *kilnModelRunTraining(KilnModel *model, const KilnValue *inputs,
                                 size_t inputCount, const KilnValue *tangents,
                                 KilnValue *outputs, size_t outputCount,
                                 KilnValue *gradients, size_t gradientCount) {
  return guarded([&]() -> Status {
    Results first(outputs, outputCount), second(gradients, gradientCount);
    if (!model)
      return isNull("model");
    for (auto [list, count, values] :
         {std::tuple(KILN_OUTPUTS, outputCount, outputs),
          std::tuple(KILN_GRADIENTS, gradientCount, gradients)}) {
      if (count != kilnModelCount(model, list))
        return Error::usage(
            "found room for " + std::to_string(count) +
            (list == KILN_OUTPUTS ? " outputs" : " gradients") +
            ", the model gives " +
            std::to_string(kilnModelCount(model, list)));
      if (count != 0 && !values)
        return isNull(list == KILN_OUTPUTS ? "outputs" : "gradients");
    }
    std::unique_lock<std::shared_mutex> alone(model->mutex);
    auto values = readInputs(*model, inputs, inputCount);
    if (!values)
      return values.takeError();
    auto given = readTangents(*model, tangents);
    if (!given)
      return given.takeError();
    Status done = runTraining(*model, *values, *given, outputs, gradients);
    if (done) {
      first.keep();
      second.keep();
    }
    return done;
  });
}

KilnStatus *kilnModelStep(KilnModel *model, const KilnValue *inputs,
                          size_t inputCount, double rate, double *loss) {
  return guarded([&]() -> Status {
    if (loss)
      *loss = 0;
    if (!model)
      return isNull("model");
    std::unique_lock<std::shared_mutex> alone(model->mutex);
    auto values = readInputs(*model, inputs, inputCount);
    if (!values)
      return values.takeError();
    auto result = model->session->step(*values, rate);
    if (!result)
      return result.takeError();
    model->steps = model->session->stepCount();
    if (loss)
      *loss = result->loss;
    return Status::success();
  });
}

uint64_t kilnModelSteps(const KilnModel *model) {
  return model ? model->steps.load() : 0;
}

KilnStatus *kilnModelSaveCheckpoint(KilnModel *model, const char *path) {
  return guarded([&]() -> Status {
    if (!model || !path)
      return isNull(model ? "path" : "model");
    std::unique_lock<std::shared_mutex> alone(model->mutex);
    return model->session->saveCheckpoint(path);
  });
}

KilnStatus *kilnModelLoadCheckpoint(KilnModel *model, const char *path) {
  return guarded([&]() -> Status {
    if (!model || !path)
      return isNull(model ? "path" : "model");
    std::unique_lock<std::shared_mutex> alone(model->mutex);
    Status status = model->session->loadCheckpoint(path);
    model->steps = model->session->stepCount();
    findMissing(*model);
    return status;
  });
}
