//===- Container.cpp - Which kind of archive, and where things are -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#include "GraphReader.h"
#include "kiln/Archive/PickleReader.h"
#include "kiln/Base/CheckedMath.h"

#include <algorithm>
#include <charconv>

using namespace kiln;
using namespace kiln::archive;

constexpr uint64_t kMaxTableBytes = uint64_t(1) << 30;

static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

static bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

static std::string quoted(const std::string &text) { return "'" + text + "'"; }

Result<Container> Container::open(SharedBytes bytes, const std::string &file,
                                  const LoadOptions &options) {
  constexpr std::string_view veryOldSave(
      "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
  if (startsWith(bytes.text().substr(0, 14), veryOldSave))
    return Error::unsupported(quoted(file) +
                              ": is a torch.save checkpoint of an old kind, "
                              "expected what torch.export.save writes");
  auto zip = ZipFile::parse(std::move(bytes), quoted(file));
  if (!zip)
    return zip.takeError();
  Container container(std::move(*zip), file);
  container.checkWeights_ = options.checkWeights;
  if (auto status = container.identify(options); !status)
    return status.takeError().withContext(quoted(file));
  return container;
}

Status Container::identify(const LoadOptions &options) {
  if (zip_.members().empty())
    return Error::malformed("is an empty zip archive");
  if (zip_.find("serialized_exported_program.json"))
    return identifyLegacy();
  const std::string &first = zip_.members().front().name;
  size_t slash = first.find('/');
  root_ = slash == std::string::npos ? "" : first.substr(0, slash + 1);
  // Old packages may lack the root folder.
  if (!zip_.find(root_ + "archive_format") && zip_.find("archive_format"))
    root_.clear();
  bool hasFormat = zip_.find(root_ + "archive_format");
  if (!hasFormat && zip_.find(root_ + "data.pkl")) {
    if (zip_.find(root_ + "constants.pkl"))
      return Error::unsupported("is a TorchScript file, expected what "
                                "torch.export.save writes");
    return Error::unsupported("is a torch.save checkpoint, expected what "
                              "torch.export.save writes");
  }
  if (!hasFormat)
    return Error::malformed("is a zip archive without a program: neither "
                            "'archive_format' nor "
                            "'serialized_exported_program.json' is in it");
  return identifyArchive(options);
}

Status Container::expectText(const std::string &member, std::string_view wanted,
                             bool required) {
  if (!zip_.find(root_ + member))
    return required
               ? Status(Error::malformed(quoted(member) + " is missing"))
               : Status::success();
  auto bytes = read(root_ + member);
  if (!bytes)
    return bytes.takeError();
  std::string_view text = bytes->text();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.remove_suffix(1);
  if (text != wanted)
    return Error::unsupported(quoted(member) + " is '" +
                              std::string(text.substr(0, 40)) +
                              "', expected '" + std::string(wanted) + "'");
  return {};
}

std::vector<std::string> Container::modelNames() const {
  std::vector<std::string> names;
  std::string prefix = root_ + "models/";
  for (const ZipMember &member : zip_.members())
    if (startsWith(member.name, prefix) && endsWith(member.name, ".json"))
      names.push_back(member.name.substr(
          prefix.size(), member.name.size() - prefix.size() - 5));
  std::sort(names.begin(), names.end());
  return names;
}

Status Container::identifyArchive(const LoadOptions &options) {
  for (const ZipMember &member : zip_.members())
    if (!startsWith(member.name, root_))
      return Error::malformed("member " + quoted(member.name) +
                              " is outside of the root folder " +
                              quoted(root_));
  if (auto status = expectText("archive_format", "pt2", true); !status)
    return status;
  if (auto status = expectText("archive_version", "0", false); !status)
    return status;
  if (auto status = expectText("byteorder", "little", false); !status)
    return status;
  std::vector<std::string> names = modelNames();
  if (names.empty()) {
    for (const ZipMember &member : zip_.members())
      if (startsWith(member.name, root_ + "data/aotinductor/"))
        return Error::unsupported(
            "is a compiled package, not an exported program");
    return Error::malformed("holds no program: 'models/' is empty");
  }
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + quoted(name);
  if (options.model.empty() && names.size() > 1)
    return Error::unsupported("holds several programs; choose one of " + list);
  model_ = options.model.empty() ? names[0] : options.model;
  if (!std::binary_search(names.begin(), names.end(), model_))
    return Error::usage("holds no program " + quoted(model_) +
                        ", expected one of " + list);
  graphMember_ = root_ + "models/" + model_ + ".json";
  if (zip_.find(root_ + "data/weights/" + model_ + ".pt"))
    layout_ = Layout::PickledWeights;
  return {};
}

Status Container::identifyLegacy() {
  layout_ = Layout::Legacy;
  model_ = "model";
  graphMember_ = "serialized_exported_program.json";
  if (zip_.find("serialized_state_dict.json"))
    return Error::unsupported("stores weights as json, as exporters before "
                              "2.2 did; export again");
  if (!zip_.find("version"))
    return Error::malformed("'version' is missing");
  auto version = read("version");
  if (!version)
    return version.takeError();
  // "major.minor"; only the first number decides.
  std::string_view text = version->text();
  int major = 0, minor = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), major);
  if (code != std::errc())
    return Error::malformed("'version' does not begin with a number");
  if (major != 8)
    return Error::unsupported("schema version is " + std::to_string(major) +
                              ", expected 8");
  if (end != text.data() + text.size() && *end == '.')
    std::from_chars(end + 1, text.data() + text.size(), minor);
  hasBareNonFinite_ = minor < 7;
  return {};
}

Result<SharedBytes> Container::read(const std::string &member) {
  const ZipMember *found = zip_.find(member);
  if (!found)
    return Error::malformed("member " + quoted(member) + " is missing");
  return zip_.read(*found);
}

Result<SharedBytes> Container::graphJson() { return read(graphMember_); }

std::vector<std::string> Container::tableMembers() const {
  switch (layout_) {
  case Layout::Raw:
    return {root_ + "data/weights/" + model_ + "_weights_config.json",
            root_ + "data/constants/" + model_ + "_constants_config.json"};
  case Layout::PickledWeights:
    return {root_ + "data/weights/" + model_ + ".pt",
            root_ + "data/constants/" + model_ + ".pt"};
  case Layout::Legacy:
    return {"serialized_state_dict.pt", "serialized_constants.pt"};
  }
  return {};
}

Result<Digest> Container::digest() {
  Hasher hasher;
  auto json = graphJson();
  if (!json)
    return json.takeError();
  hasher.addPart("graph", json->view());
  for (const std::string &table : tableMembers()) {
    // Pickled tables hold the weights themselves; their CRC below counts.
    if (layout_ != Layout::Raw || !zip_.find(table))
      continue;
    auto bytes = read(table);
    if (!bytes)
      return bytes.takeError();
    hasher.addPart("table", bytes->view());
  }
  for (const ZipMember &member : zip_.members()) {
    // Without the root, which repeats the name the file was saved under.
    hasher.addPart("member",
                   std::string_view(member.name).substr(root_.size()));
    hasher.addNumber(member.size);
    hasher.addNumber(member.crc);
  }
  return hasher.finish();
}

Result<std::map<std::string, Weight>>
Container::weights(const std::map<std::string, std::string> &usedAs) {
  std::map<std::string, Weight> weights;
  if (layout_ == Layout::Raw) {
    for (const char *kind : {"weights", "constants"})
      if (auto status = readRawTable(kind, usedAs, weights); !status)
        return status.takeError();
    return weights;
  }
  for (const std::string &table : tableMembers()) {
    if (!zip_.find(table))
      continue; // no constants
    auto bytes = read(table);
    if (!bytes)
      return bytes.takeError();
    auto part = readTorchSave(*bytes, quoted(file_) + ": " + quoted(table));
    if (!part)
      return part.takeError();
    weights.merge(*part);
    if (!part->empty())
      return Error::malformed(quoted(file_) + ": weight " +
                              quoted(part->begin()->first) +
                              " is in two tables");
  }
  return weights;
}

/// Digits after one of the known prefixes.
static bool isRecordName(std::string_view name) {
  for (std::string_view prefix :
       {"weight_", "tensor_", "custom_obj_", "opaque_obj_"}) {
    if (!startsWith(name, prefix))
      continue;
    std::string_view digits = name.substr(prefix.size());
    return !digits.empty() && digits.size() <= 12 &&
           digits.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

static std::vector<int64_t> plainInts(JsonView list) {
  std::vector<int64_t> values;
  if (!list.isArray()) {
    list.fail("expected an array");
    return values;
  }
  for (size_t i = 0; i < list.size(); ++i)
    values.push_back(list[i].field("as_int").asInt(0));
  return values;
}

/// {"config": {name: {"path_name", "is_param", "use_pickle", "tensor_meta"}}}
Status
Container::readRawTable(const std::string &folder,
                        const std::map<std::string, std::string> &usedAs,
                        std::map<std::string, Weight> &weights) {
  std::string base = root_ + "data/" + folder + "/";
  std::string table = base + model_ + "_" + folder + "_config.json";
  if (!zip_.find(table))
    return {}; // programs without weights may lack it
  auto bytes = read(table);
  if (!bytes)
    return bytes.takeError();
  JsonLimits limits;
  limits.bytes = kMaxTableBytes;
  auto document =
      parseJson(bytes->text(), quoted(file_) + ": " + quoted(table), limits);
  if (!document)
    return document.takeError();
  JsonView config = document->root().field("config");
  if (!config.isObject())
    config.fail("expected an object of weights");
  GraphReader reader;
  for (size_t i = 0; config.isObject() && i < config.size(); ++i) {
    const std::string &name = config.key(i);
    JsonView entry = config.member(i);
    auto use = usedAs.find(name);
    std::string shown = use == usedAs.end() ? "weight '" + name + "'"
                                            : use->second + " '" + name + "'";
    const std::string &record = entry.field("path_name").asString();
    if (entry.ok() && !isRecordName(record))
      entry.fail("record name '" + record.substr(0, 60) +
                 "' is not of the form 'weight_0'");
    bool isPickled = entry.field("use_pickle").asBool();
    JsonView meta = entry.optional("tensor_meta");
    if (auto status = document->status(); !status)
      return status;
    if (isPickled || meta.isNull()) {
      if (use == usedAs.end())
        continue;
      return Error::unsupported(
          quoted(file_) + ": " + shown + " in record '" + record +
          (isPickled && !meta.isNull()
               ? "' is a pickled tensor subclass (use_pickle); only plain "
                 "tensors are supported, which run_decompositions() gives"
               : "' is a pickled object; only tensors are supported"));
    }
    Weight weight;
    weight.dtype = reader.dtype(meta.field("dtype"));
    weight.sizes = plainInts(meta.field("sizes"));
    weight.strides = plainInts(meta.field("strides"));
    weight.storageOffset =
        meta.field("storage_offset").field("as_int").asInt(0);
    weight.requiresGrad = meta.field("requires_grad").asBool();
    weight.isParameter = entry.field("is_param").asBool();
    int64_t layout = meta.field("layout").asInt(0, 255);
    if (layout != static_cast<int64_t>(archive::Layout::Strided))
      meta.fail("layout " + std::to_string(layout) +
                    " is not supported, expected strided tensors (7)",
                ErrorKind::Unsupported);
    if (auto status = document->status(); !status)
      return status;
    const ZipMember *member = zip_.find(base + record);
    if (!member)
      return Error::malformed(quoted(file_) + ": record '" + base + record +
                              "' of " + shown + " is missing");
    auto extent = storageExtent(weight.dtype, weight.sizes, weight.strides,
                                weight.storageOffset);
    if (!extent)
      return extent.takeError().withContext(quoted(file_) + ": " + shown);
    weight.isSupplied = member->size > 0 || *extent == 0;
    if (weight.isSupplied && static_cast<uint64_t>(*extent) > member->size)
      return Error::malformed(quoted(file_) + ": " + shown + " needs " +
                              std::to_string(*extent) +
                              " bytes of storage by its sizes, strides and "
                              "offset, but its record '" +
                              record + "' has " + std::to_string(member->size));
    bool isChecked = checkWeights_ && use != usedAs.end();
    auto storage = isChecked ? zip_.read(*member) : zip_.view(*member);
    if (!storage)
      return storage.takeError();
    weight.storage = std::move(*storage);
    weight.storageKey = folder + "/" + record;
    if (!weights.emplace(name, std::move(weight)).second)
      return Error::malformed(quoted(file_) + ": weight '" + name +
                              "' is in two tables");
  }
  return document->status();
}
