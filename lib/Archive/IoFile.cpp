//===- IoFile.cpp - Recorded inputs, results and expectations ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/IoFile.h"

#include "kiln/Archive/JsonReader.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Base/FileSystem.h"

using namespace kiln;
using namespace kiln::archive;

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

static Result<JsonDocument> openJson(const std::string &path) {
  constexpr uint64_t limit = uint64_t(1) << 28;
  auto bytes = readFile(path, limit);
  if (!bytes)
    return bytes.takeError();
  JsonLimits limits;
  limits.quoteNonFinite = true; // floats written by Python's json module
  return parseJson(ByteView(*bytes).text(), "'" + path + "'", limits);
}

namespace {

class IoReader {
public:
  explicit IoReader(std::string folder) : folder_(std::move(folder)) {}

  std::vector<IoValue> values(JsonView list) {
    std::vector<IoValue> result;
    if (list.isNull())
      return result;
    if (!list.isArray()) {
      list.fail("expected an array of values");
      return result;
    }
    for (size_t i = 0; i < list.size() && list.ok(); ++i)
      result.push_back(value(list[i]));
    return result;
  }

  IoSet set(JsonView view) {
    IoSet result;
    result.inputs = values(view.field("inputs"));
    result.outputs = values(view.field("outputs"));
    result.stateAfter = values(view.optional("state_after"));
    result.inputsAfter = values(view.optional("inputs_after"));
    return result;
  }

private:
  IoValue value(JsonView view) {
    IoValue result;
    result.path = view.field("path").asString();
    if (JsonView name = view.optional("name"); !name.isNull())
      result.name = name.asString();
    if (JsonView role = view.optional("role"); !role.isNull())
      result.role = role.asString();
    if (JsonView noise = view.optional("noise"); !noise.isNull())
      result.isNoise = noise.asBool();
    const std::string &kind = view.field("kind").asString();
    if (kind == "tensor")
      tensor(view, result);
    else if (kind == "int")
      result.constant = view.field("value").asInt();
    else if (kind == "float")
      result.constant = view.field("value").asDouble();
    else if (kind == "bool")
      result.constant = view.field("value").asBool();
    else if (kind == "str" || kind == "string")
      result.constant = view.field("value").asString();
    else if (kind != "none")
      view.fail("unknown kind '" + kind + "' of a value");
    return result;
  }

  void tensor(JsonView view, IoValue &result) {
    result.isTensor = true;
    const std::string &dtypeText = view.field("dtype").asString();
    auto dtype = parseDType(dtypeText);
    if (view.ok() && !dtype)
      view.fail("unknown dtype '" + dtypeText + "'");
    result.sizes = view.field("shape").asInts(0, kMaxDimSize);
    JsonView file = view.field("file");
    const std::string &name = file.asString();
    if (!view.ok())
      return;
    result.dtype = *dtype;
    if (name.empty() || name.find('/') != std::string::npos) {
      file.fail("expected a file beside this one, but found '" + name + "'");
      return;
    }
    auto expected = byteCount(result.dtype, result.sizes);
    if (!expected) {
      view.fail(expected.error().message);
      return;
    }
    auto bytes = mapFile(folder_ + name);
    if (!bytes) {
      file.fail(bytes.error().message, bytes.error().kind);
      return;
    }
    if (bytes->size() != static_cast<uint64_t>(*expected)) {
      file.fail("file '" + name + "' has " + std::to_string(bytes->size()) +
                " bytes, expected " + std::to_string(*expected));
      return;
    }
    result.bytes = std::move(*bytes);
  }

  std::string folder_;
};

} // namespace

Result<IoFile> archive::loadIoFile(const std::string &path) {
  auto document = openJson(path);
  if (!document)
    return document.takeError();
  JsonView root = document->root();
  IoReader reader(folderOf(path));
  IoFile io;
  io.path = path;
  io.main = reader.set(root);
  if (JsonView alt = root.optional("alt"); alt.isObject())
    io.alts.push_back(reader.set(alt));
  if (JsonView alts = root.optional("alts"); alts.isArray())
    for (size_t i = 0; i < alts.size(); ++i)
      io.alts.push_back(reader.set(alts[i]));
  if (JsonView gradients = root.optional("gradients"); gradients.isObject()) {
    IoGradients result;
    result.tangents = reader.values(gradients.field("tangents"));
    result.parameters = reader.values(gradients.field("grads_params"));
    result.inputs = reader.values(gradients.field("grads_inputs"));
    io.gradients = std::move(result);
  }
  if (JsonView random = root.optional("random"); !random.isNull())
    io.isRandom = random.asBool();
  if (JsonView name = root.optional("name"); !name.isNull())
    io.name = name.asString();
  if (JsonView group = root.optional("group"); !group.isNull())
    io.group = group.asString();
  if (JsonView training = root.optional("training"); !training.isNull())
    io.isTraining = training.asBool();
  if (JsonView tolerance = root.optional("tolerance"); !tolerance.isNull())
    io.tolerance = tolerance.asDouble();
  if (JsonView rotate = root.optional("rotate"); !rotate.isNull())
    io.rotate = static_cast<unsigned>(rotate.asInt(1, 1000));
  if (auto status = document->status(); !status)
    return status.takeError();
  return io;
}

static Expectation expectation(const std::string &name, JsonView view,
                               IoReader &reader) {
  Expectation result;
  result.archive = name;
  JsonView outcome = view.field("result");
  result.passes = outcome.asString() == "pass";
  if (!result.passes && outcome.asString() != "refused")
    outcome.fail("expected 'pass' or 'refused'");
  if (JsonView code = view.optional("exit"); !code.isNull())
    result.exitCode = static_cast<int>(code.asInt(0, 255));
  if (JsonView reason = view.optional("reason"); !reason.isNull())
    result.reason = reason.asString();
  if (JsonView sets = view.optional("sets"); !sets.isNull())
    result.sets = sets.asStrings();
  if (JsonView sets = view.optional("refused_sets"); sets.isObject())
    for (size_t i = 0; i < sets.size(); ++i) {
      JsonView entry = sets.member(i);
      result.refusedSets.push_back(
          {sets.key(i), static_cast<int>(entry.field("exit").asInt(0, 255)),
           entry.field("reason").asString()});
    }
  if (JsonView io = view.optional("io"); !io.isNull())
    result.io = io.asString();
  if (JsonView outputs = view.optional("outputs_override"); !outputs.isNull())
    result.outputsOverride = reader.values(outputs);
  if (JsonView compare = view.optional("compare"); !compare.isNull())
    result.comparesValues = compare.asString() != "none";
  if (JsonView gradients = view.optional("gradients"); gradients.isBool())
    result.hasGradients = gradients.asBool();
  if (JsonView rtol = view.optional("rtol"); !rtol.isNull())
    result.rtol = rtol.asDouble();
  if (JsonView atol = view.optional("atol"); !atol.isNull())
    result.atol = atol.asDouble();
  if (JsonView models = view.optional("models"); models.isObject())
    for (size_t i = 0; i < models.size(); ++i)
      result.models.push_back(
          expectation(models.key(i), models.member(i), reader));
  return result;
}

Result<std::vector<Expectation>>
archive::loadExpectations(const std::string &path) {
  auto document = openJson(path);
  if (!document)
    return document.takeError();
  JsonView root = document->root();
  IoReader reader(folderOf(path));
  std::vector<Expectation> result;
  if (!root.isObject())
    root.fail("expected an object of archives");
  for (size_t i = 0; root.isObject() && i < root.size(); ++i)
    result.push_back(expectation(root.key(i), root.member(i), reader));
  if (auto status = document->status(); !status)
    return status.takeError();
  return result;
}
