//===- Model.cpp - Opening and running packages from C --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/FileSystem.h"

using namespace kiln;
using namespace kiln::capi;
using runtime::OpValue;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Result<session::SessionOptions>
readOptions(const KilnModelOptions *options) {
  session::SessionOptions wanted;
  wanted.asPackaged = true;
  if (!options)
    return wanted;
  if (options->structSize != sizeof(KilnModelOptions))
    return Error::usage("'options->structSize' is " +
                        std::to_string(options->structSize) + ", expected " +
                        std::to_string(sizeof(KilnModelOptions)) +
                        "; make them with kilnModelOptionsDefault");
  if (options->threads > 1024)
    return Error::usage("'options->threads' is " +
                        std::to_string(options->threads) +
                        ", expected at most 1024");
  wanted.threads = options->threads;
  wanted.seed = options->seed;
  if (options->target)
    wanted.target = options->target;
  if (options->device)
    wanted.device = options->device;
  wanted.graphs = options->graphs != 0;
  return wanted;
}

void capi::findMissing(KilnModel &model) {
  std::vector<std::string> missing = model.session->missingWeights();
  model.missing = missing.empty() ? "" : missing.front();
}

static Status checkWeights(const KilnModel &model) {
  if (model.missing.empty())
    return Status::success();
  return Error::usage("weight '" + model.missing +
                      "' has no values, expected kilnModelLoadWeights or "
                      "kilnModelSetWeight");
}

static Status openModel(SharedBytes bytes, const std::string &name,
                        const KilnModelOptions *options, KilnModel **model) {
  auto wanted = readOptions(options);
  if (!wanted)
    return wanted.takeError();
  // A source would take other bytes for another kind of model.
  if (bytes.text().substr(0, 8) != std::string_view(KILN_PACKAGE_MAGIC, 8))
    return Error::malformed("'" + name + "' is no package, expected what "
                            "kiln-compile has written");
  auto reader = package::PackageReader::open(bytes.view());
  if (!reader)
    return reader.error().withContext("'" + name + "'");
  auto made = std::make_unique<KilnModel>();
  for (const package::VariantInfo &variant : reader->variants())
    made->variants.push_back(variant.target);
  auto source = archive::Source::read(std::move(bytes), name);
  if (!source)
    return source.takeError();
  auto session =
      session::Session::open(std::move(*source), std::move(*wanted));
  if (!session)
    return session.takeError();
  made->session = std::move(*session);
  const package::Package &package =
      made->session->function().variant(0).package();
  made->signature = describe(package);
  made->target = package.image.target;
  made->isExclusive = made->session->changesWeights();
  made->steps = made->session->stepCount();
  findMissing(*made);
  *model = made.release();
  return Status::success();
}

KilnStatus *kilnModelOpen(const char *path, const KilnModelOptions *options,
                          KilnModel **model) {
  return guarded([&]() -> Status {
    if (!model)
      return isNull("model");
    *model = nullptr;
    if (!path)
      return isNull("path");
    auto bytes = mapFile(path);
    return bytes ? openModel(std::move(*bytes), path, options, model)
                 : Status(bytes.takeError());
  });
}

KilnStatus *kilnModelRead(const void *bytes, size_t size,
                          const KilnModelOptions *options, KilnModel **model) {
  return guarded([&]() -> Status {
    if (!model)
      return isNull("model");
    *model = nullptr;
    if (!bytes)
      return isNull("bytes");
    auto *begin = static_cast<const uint8_t *>(bytes);
    return openModel(
        SharedBytes::own(std::vector<uint8_t>(begin, begin + size)), "memory",
        options, model);
  });
}

void kilnModelDestroy(KilnModel *model) { delete model; }

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Result<std::vector<OpValue>> capi::readInputs(const KilnModel &model,
                                              const KilnValue *inputs,
                                              size_t count) {
  const auto &constants = model.signature.constants;
  if (count != constants.size())
    return Error::usage("'inputCount' is " + std::to_string(count) +
                        ", the model takes " +
                        std::to_string(constants.size()));
  if (count != 0 && !inputs)
    return isNull("inputs");
  if (Status s = checkWeights(model); !s)
    return s.takeError();
  std::vector<OpValue> values;
  for (size_t i = 0; i < count; ++i) {
    auto value = readValue(inputs[i]);
    if (!value)
      return value.error().withContext("input " + std::to_string(i));
    values.push_back(value->isNone() ? constants[i] : std::move(*value));
  }
  return values;
}

KilnStatus *kilnModelRun(KilnModel *model, const KilnValue *inputs,
                         size_t inputCount, KilnValue *outputs,
                         size_t outputCount) {
  return guarded([&]() -> Status {
    Results given(outputs, outputCount);
    if (!model)
      return isNull("model");
    const std::vector<size_t> &places = model->signature.outputs;
    if (outputCount != places.size())
      return Error::usage("'outputCount' is " + std::to_string(outputCount) +
                          ", the model gives " +
                          std::to_string(places.size()));
    if (outputCount != 0 && !outputs)
      return isNull("outputs");
    CallLock lock(*model);
    auto values = readInputs(*model, inputs, inputCount);
    if (!values)
      return values.takeError();
    auto results = model->session->callShared(*values);
    if (!results)
      return results.takeError();
    for (size_t i = 0; i < outputCount; ++i) {
      auto value = handOut(std::move((*results)[places[i]]));
      if (!value)
        return value.takeError();
      outputs[i] = *value;
    }
    given.keep();
    return Status::success();
  });
}
