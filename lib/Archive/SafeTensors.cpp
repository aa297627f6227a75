//===- SafeTensors.cpp - Reading and writing safetensors files ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/SafeTensors.h"

#include "kiln/Archive/JsonReader.h"
#include "kiln/Base/CheckedMath.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::archive;

/// The original's limit, too.
static constexpr uint64_t kLongestHeader = 100'000'000;
static constexpr size_t kLargestRank = 64;
static constexpr const char *kMetadata = "__metadata__";

namespace {
struct TypeName {
  DType dtype;
  const char *name;
};
} // namespace

static constexpr TypeName kTypeNames[] = {
    {DType::Bool, "BOOL"}, {DType::U8, "U8"},     {DType::I8, "I8"},
    {DType::I16, "I16"},   {DType::U16, "U16"},   {DType::I32, "I32"},
    {DType::U32, "U32"},   {DType::I64, "I64"},   {DType::U64, "U64"},
    {DType::F16, "F16"},   {DType::BF16, "BF16"}, {DType::F32, "F32"},
    {DType::F64, "F64"},   {DType::C64, "C64"},   {DType::F8E4M3FN, "F8_E4M3"},
    {DType::F8E5M2, "F8_E5M2"}, {DType::F8E8M0FNU, "F8_E8M0"},
};

/// Reads an entry; errors go to the view's document.
static SafeTensor readEntry(const std::string &name, const JsonView &entry,
                            ByteView data) {
  SafeTensor tensor;
  tensor.name = name;
  auto refuse = [&](const char *field, const std::string &why) {
    entry.field(field).fail(why);
    return tensor;
  };
  const std::string &type = entry.field("dtype").asString();
  auto found = std::find_if(
      std::begin(kTypeNames), std::end(kTypeNames),
      [&](const TypeName &candidate) { return candidate.name == type; });
  if (found == std::end(kTypeNames)) {
    entry.field("dtype").fail("there is no element type '" + type + "' here",
                              ErrorKind::Unsupported);
    return tensor;
  }
  tensor.dtype = found->dtype;
  tensor.sizes = entry.field("shape").asInts(0);
  std::vector<int64_t> offsets = entry.field("data_offsets").asInts(0);
  if (!entry.ok())
    return tensor;
  if (tensor.sizes.size() > kLargestRank)
    return refuse("shape", "expected at most " + std::to_string(kLargestRank) +
                               " dimensions");
  auto bytes = byteCount(tensor.dtype, tensor.sizes);
  if (!bytes)
    return refuse("shape", bytes.error().message);
  if (offsets.size() != 2 || offsets[0] > offsets[1] ||
      static_cast<uint64_t>(offsets[1]) > data.size())
    return refuse("data_offsets",
                  "expected begin and end within the " +
                      std::to_string(data.size()) + " bytes behind the header");
  if (offsets[1] - offsets[0] != *bytes)
    return refuse("data_offsets",
                  "expected " + std::to_string(*bytes) +
                      " bytes for this dtype and shape, found " +
                      std::to_string(offsets[1] - offsets[0]));
  tensor.bytes = data.slice(offsets[0], *bytes);
  return tensor;
}

/// Sorted by their places, tensors follow each other from first to last byte.
static Status checkCover(const std::vector<SafeTensor> &tensors, ByteView data,
                         const std::string &name) {
  std::vector<const SafeTensor *> order;
  for (const SafeTensor &tensor : tensors)
    if (!tensor.bytes.empty())
      order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](auto *a, auto *b) {
    return a->bytes.data() < b->bytes.data();
  });
  const uint8_t *end = data.data();
  for (const SafeTensor *tensor : order) {
    if (tensor->bytes.data() != end)
      return Error::malformed(
          name + ": tensor '" + tensor->name + "' begins at byte " +
          std::to_string(tensor->bytes.data() - data.data()) +
          " of the data, expected " + std::to_string(end - data.data()) +
          ", where the one before it ends");
    end = tensor->bytes.end();
  }
  if (end != data.end())
    return Error::malformed(name + ": " + std::to_string(data.end() - end) +
                            " bytes behind the last tensor belong to none");
  return Status::success();
}

Result<std::vector<SafeTensor>>
archive::readSafeTensors(const SharedBytes &bytes, const std::string &name) {
  ByteReader reader(bytes.view());
  uint64_t length = reader.u64();
  if (!reader.ok() || length > kLongestHeader || length > reader.remaining())
    return Error::malformed(
        name + " is no safetensors file: expected a header of up to " +
        std::to_string(kLongestHeader) + " bytes within the file's " +
        std::to_string(bytes.size()));
  std::string_view header = reader.text(length);
  ByteView data = bytes.view().slice(reader.position(), bytes.size());
  JsonLimits limits;
  limits.bytes = kLongestHeader;
  limits.depth = 8;
  auto document = parseJson(header, name, limits);
  if (!document)
    return document.takeError();
  JsonView root = document->root();
  std::vector<SafeTensor> tensors;
  for (size_t i = 0, count = root.size(); i < count && root.ok(); ++i)
    if (root.key(i) != kMetadata)
      tensors.push_back(readEntry(root.key(i), root.member(i), data));
  if (Status s = document->status(); !s)
    return s.takeError();
  if (Status s = checkCover(tensors, data, name); !s)
    return s.takeError();
  return tensors;
}

Result<std::vector<uint8_t>>
archive::writeSafeTensors(const std::vector<SafeTensor> &tensors) {
  std::string header = "{";
  uint64_t offset = 0;
  for (const SafeTensor &tensor : tensors) {
    auto type = std::find_if(
        std::begin(kTypeNames), std::end(kTypeNames),
        [&](const TypeName &known) { return known.dtype == tensor.dtype; });
    if (type == std::end(kTypeNames))
      return Error::unsupported("weight '" + tensor.name + "' is " +
                                std::string(dtypeName(tensor.dtype)) +
                                ", which a safetensors file cannot hold");
    std::string sizes;
    for (int64_t size : tensor.sizes)
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    header += (header.size() > 1 ? "," : "") + jsonQuote(tensor.name) +
              ":{\"dtype\":\"" + type->name + "\",\"shape\":[" + sizes +
              "],\"data_offsets\":[" + std::to_string(offset) + "," +
              std::to_string(offset + tensor.bytes.size()) + "]}";
    offset += tensor.bytes.size();
  }
  header += "}";
  // Data begins at a multiple of 8, as the original writes it.
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::vector<uint8_t> out;
  out.reserve(8 + header.size() + offset);
  ByteWriter writer(out);
  writer.u64(header.size());
  writer.text(header);
  for (const SafeTensor &tensor : tensors)
    writer.bytes(tensor.bytes);
  return out;
}
