//===- Checkpoint.cpp - Leave a training run and take it up again ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"
#include "SlotTable.h"

#include "kiln/Base/Digest.h"
#include "kiln/Base/FileSystem.h"
#include "kiln/Session/Session.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;

static constexpr std::string_view kCheckpointMagic("\x8bKCKP\r\n\x1a", 8);
static constexpr uint32_t kCheckpointVersion = 1;
static constexpr size_t kHeaderSize = 56;
static constexpr size_t kDigestOffset = 24;
static constexpr uint32_t kLongestText = 4096;
static constexpr uint32_t kLargestRank = 64;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

Result<std::vector<uint8_t>> Checkpoint::encode() const {
  std::vector<uint8_t> out;
  ByteWriter writer(out);
  auto text = [&](const std::string &value) {
    writer.u32(static_cast<uint32_t>(value.size()));
    writer.text(value);
  };
  writer.text(kCheckpointMagic);
  writer.u32(kCheckpointVersion);
  writer.u32(0);
  out.resize(kHeaderSize); // size and digest follow
  text(optimizer);
  writer.u64(step);
  writer.u64(seed);
  writer.u32(static_cast<uint32_t>(tensors.size()));
  for (const auto &[key, tensor] : tensors) {
    auto host = tensor.toHost();
    auto dense = host ? host->contiguous() : std::move(host);
    if (!dense)
      return dense.takeError();
    writer.u8(key.first ? 1 : 0);
    text(key.second);
    writer.u8(static_cast<uint8_t>(dense->dtype()));
    writer.u32(static_cast<uint32_t>(dense->rank()));
    for (int64_t size : dense->sizes())
      writer.i64(size);
    writer.bytes(ByteView(dense->data(), static_cast<size_t>(dense->numel()) *
                                             itemSize(dense->dtype())));
  }
  writer.patchU64(16, out.size());
  Digest digest = sha256(ByteView(out).slice(kHeaderSize, out.size()));
  std::copy(digest.bytes.begin(), digest.bytes.end(),
            out.begin() + kDigestOffset);
  return out;
}

static Error malformed(const std::string &what) {
  return Error::malformed("checkpoint: " + what);
}

Result<Checkpoint> Checkpoint::decode(ByteView bytes) {
  if (bytes.size() < kHeaderSize ||
      bytes.slice(0, 8).text() != kCheckpointMagic)
    return malformed("expected a file that begins as one");
  ByteReader header(bytes.slice(8, kHeaderSize - 8));
  uint32_t version = header.u32(), zero = header.u32();
  if (version != kCheckpointVersion || zero != 0)
    return malformed("has version " + std::to_string(version) + ", expected " +
                     std::to_string(kCheckpointVersion));
  if (header.u64() != bytes.size())
    return malformed("its size is not what it says, it may be cut off");
  ByteView body = bytes.slice(kHeaderSize, bytes.size());
  Digest digest = sha256(body);
  if (bytes.slice(kDigestOffset, 32).text() !=
      ByteView(digest.bytes.data(), 32).text())
    return malformed("is damaged, its digest does not match");

  Checkpoint result;
  ByteReader reader(body);
  auto text = [&]() -> std::string {
    uint32_t length = reader.u32();
    if (length > kLongestText)
      reader.fail();
    return std::string(reader.ok() ? reader.text(length) : "");
  };
  result.optimizer = text();
  result.step = reader.u64();
  result.seed = reader.u64();
  uint32_t count = reader.u32();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    uint8_t state = reader.u8();
    std::string name = text();
    std::optional<DType> dtype = toDType(reader.u8());
    uint32_t rank = reader.u32();
    if (!reader.ok() || state > 1 || rank > kLargestRank || !dtype)
      return malformed("tensor " + std::to_string(i) + " is no tensor");
    std::vector<int64_t> sizes;
    // No size may claim more than the bytes that are left.
    uint64_t needed = itemSize(*dtype);
    for (uint32_t dim = 0; dim < rank; ++dim) {
      int64_t size = reader.i64();
      if (size < 0 ||
          __builtin_mul_overflow(needed, static_cast<uint64_t>(size), &needed))
        return malformed("tensor '" + name + "' has an impossible size");
      sizes.push_back(size);
    }
    if (!reader.ok() || needed > reader.remaining())
      return malformed("tensor '" + name + "' is larger than the file");
    auto tensor = Tensor::empty(*dtype, std::move(sizes));
    if (!tensor)
      return tensor.error().withContext("checkpoint: tensor '" + name + "'");
    ByteView raw = reader.bytes(needed);
    std::copy(raw.begin(), raw.end(), tensor->data());
    auto [entry, isNew] =
        result.tensors.try_emplace({state == 1, name}, std::move(*tensor));
    if (!isNew || &result.tensors.rbegin()->second != &entry->second)
      return malformed("tensor '" + name + "' is out of order");
  }
  if (Status s = reader.status("checkpoint"); !s)
    return s.takeError();
  if (!reader.atEnd())
    return malformed("has bytes behind its last tensor");
  return result;
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

/// What training changes: weights that the program writes to, which others find
/// in the source, and what the optimizer keeps.
static std::map<std::pair<bool, std::string>, Tensor>
trainedTensors(const SlotTable &slots) {
  std::map<std::pair<bool, std::string>, Tensor> tensors;
  for (const auto &[name, tensor] : slots.ownedWeights())
    tensors[{false, name}] = tensor;
  for (const SlotTable::StateTensor &state : slots.optimizerState())
    tensors[{true, state.name}] =
        std::get<Tensor>(slots.values()[state.slot].value);
  return tensors;
}

Status Session::saveCheckpoint(const std::string &path) const {
  Checkpoint checkpoint;
  checkpoint.optimizer = options_.optimizer;
  checkpoint.step = stepCount_;
  checkpoint.seed = options_.seed;
  checkpoint.tensors = trainedTensors(*slots_);
  auto bytes = checkpoint.encode();
  if (!bytes)
    return bytes.takeError();
  return writeFile(path, ByteView(*bytes), {/*sync=*/true});
}

Status Session::loadCheckpoint(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  auto checkpoint = Checkpoint::decode(bytes->view());
  if (!checkpoint)
    return checkpoint.error().withContext("'" + path + "'");
  auto refuse = [&](const std::string &why) {
    return Error::usage("checkpoint '" + path + "' is of another run: " + why);
  };
  if (checkpoint->optimizer != options_.optimizer)
    return refuse("its optimizer is '" + checkpoint->optimizer +
                  "', expected '" + options_.optimizer + "'");
  if (checkpoint->seed != options_.seed)
    return refuse("its seed is " + std::to_string(checkpoint->seed) +
                  ", expected " + std::to_string(options_.seed));

  // Everything is compared before anything is changed.
  std::map<std::pair<bool, std::string>, Tensor> targets =
      trainedTensors(*slots_);
  std::vector<std::string> missing = missingWeights();
  for (auto &[key, tensor] : checkpoint->tensors) {
    auto target = targets.find(key);
    if (target == targets.end()) {
      if (!key.first &&
          std::find(missing.begin(), missing.end(), key.second) !=
              missing.end())
        continue;
      return refuse("it has a tensor '" + key.second + "'");
    }
    if (tensor.dtype() != target->second.dtype() ||
        tensor.sizes() != target->second.sizes())
      return refuse("'" + key.second + "' is " + tensor.typeString() +
                    ", expected " + target->second.typeString());
  }
  for (const auto &[key, target] : targets)
    if (!checkpoint->tensors.count(key))
      return refuse("it has no tensor '" + key.second + "'");
  ++slots_->weightsVersion();
  for (auto &[key, tensor] : checkpoint->tensors) {
    auto target = targets.find(key);
    Status s = target != targets.end()
                   ? runtime::copyElements(tensor, target->second)
                   : setWeight(key.second, tensor);
    if (!s)
      return s;
  }
  stepCount_ = checkpoint->step;
  return Status::success();
}
