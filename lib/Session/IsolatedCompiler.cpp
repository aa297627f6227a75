//===- IsolatedCompiler.cpp - A compilation in a process of its own -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsolatedCompiler.h"

#include "CompilerMessages.h"
#include "DistantTuner.h"
#include "KernelCode.h"

#include "kiln/Base/ChildProcess.h"

using namespace kiln;
using namespace kiln::session;
using package::KernelImage;

/// The copy has come to the import by then, on a machine that does other things as
/// well.
static constexpr double kBeginSeconds = 30;

// Messages of the copy:
//   stage begins:  its name
//   find kernels:  n * 32 bytes of keys; the reply is n * (u64 length, code), with
//                  length 0 for what is not there
//   keep kernel:   32 bytes of key, u64 microseconds, code
//   find joint:    nothing; the reply is the graphs, empty if they are not there
//   refuse joint:  a reason
//   keep joint:    u64 microseconds, graphs

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

namespace {
/// The parent's kernels.
class DistantKernels final : public package::KernelStore {
public:
  explicit DistantKernels(ChildChannel &parent) : parent_(parent) {}

  std::vector<std::optional<KernelImage>>
  find(const std::vector<Digest> &keys) override {
    std::vector<uint8_t> message;
    ByteWriter writer(message);
    for (const Digest &key : keys)
      writeDigest(writer, key);
    std::vector<uint8_t> reply = parent_.ask(kFindKernels, message);
    ByteReader reader(reply);
    std::vector<std::optional<KernelImage>> images;
    for (size_t i = 0; i < keys.size(); ++i)
      images.push_back(decodeKernel(reader.bytes(reader.u64())));
    return images;
  }

  void keep(const Digest &key, const KernelImage &image,
            uint64_t micros) override {
    std::vector<uint8_t> message;
    ByteWriter writer(message);
    writeDigest(writer, key);
    writer.u64(micros);
    writer.bytes(encodeKernel(image));
    parent_.tell(kKeepKernel, message);
  }

private:
  ChildChannel &parent_;
};

/// The parent's graphs of training steps.
class DistantJoint final : public package::JointStore {
public:
  explicit DistantJoint(ChildChannel &parent) : parent_(parent) {}

  std::optional<std::vector<uint8_t>> find() override {
    std::vector<uint8_t> reply = parent_.ask(kFindJoint, ByteView());
    return reply.empty() ? std::nullopt : std::optional(std::move(reply));
  }

  void refuse(const std::string &reason) override {
    parent_.tell(kRefuseJoint, ByteView(std::string_view(reason)));
  }

  void keep(ByteView bytes, uint64_t micros) override {
    std::vector<uint8_t> message;
    ByteWriter writer(message);
    writer.u64(micros);
    writer.bytes(bytes);
    parent_.tell(kKeepJoint, message);
  }

private:
  ChildChannel &parent_;
};
} // namespace

/// What the compiler made, without what the parent knows.
static std::vector<uint8_t> encode(const LibraryResult &made) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u32(made.kernelsCompiled);
  writer.u32(made.kernelsFound);
  writer.u32(static_cast<uint32_t>(made.timing.size()));
  writer.text(made.timing);
  writer.bytes(*made.package);
  return bytes;
}

static LibraryResult decode(ByteView bytes) {
  ByteReader reader(bytes);
  LibraryResult made;
  made.kernelsCompiled = reader.u32();
  made.kernelsFound = reader.u32();
  made.timing = reader.text(reader.u32());
  ByteView package = reader.bytes(reader.remaining());
  made.package = std::vector<uint8_t>(package.begin(), package.end());
  return made;
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

static std::vector<uint8_t> findKernels(package::KernelStore &kernels,
                                        ByteView message) {
  ByteReader reader(message);
  std::vector<Digest> keys;
  while (reader.remaining() != 0 && reader.ok())
    keys.push_back(readDigest(reader));
  std::vector<uint8_t> reply;
  ByteWriter writer(reply);
  for (const auto &image : kernels.find(keys)) {
    std::vector<uint8_t> code =
        image ? encodeKernel(*image) : std::vector<uint8_t>();
    writer.u64(code.size());
    writer.bytes(code);
  }
  return reply;
}

static void keepKernel(package::KernelStore &kernels, ByteView message) {
  ByteReader reader(message);
  Digest key = readDigest(reader);
  uint64_t micros = reader.u64();
  if (auto image = decodeKernel(reader.bytes(reader.remaining())))
    kernels.keep(key, *image, micros);
}

/// The reply to a message about graphs; nothing for one about something else.
static std::optional<std::vector<uint8_t>>
answerJoint(package::JointStore &joint, uint8_t tag, ByteView message) {
  ByteReader reader(message);
  switch (tag) {
  case kFindJoint:
    return joint.find().value_or(std::vector<uint8_t>());
  case kRefuseJoint:
    joint.refuse(std::string(message.text()));
    return std::vector<uint8_t>();
  case kKeepJoint: {
    uint64_t micros = reader.u64();
    joint.keep(reader.bytes(reader.remaining()), micros);
    return std::vector<uint8_t>();
  }
  default:
    return std::nullopt;
  }
}

LibraryResult session::compileInChild(
    const LibraryRequest &wanted,
    const std::function<LibraryResult(const LibraryRequest &)> &compile,
    double graceSeconds) {
  auto body = [&](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
    DistantKernels kernels(parent);
    // The threads of the other pool are not in this process.
    runtime::ThreadPool pool(wanted.pool.threads());
    // The first one says that it has begun.
    std::function<void(const std::string &)> progress =
        [&](const std::string &stage) {
          parent.tell(kStageBegins, ByteView(stage));
        };
    DistantJoint joint(parent);
    DistantTuner tuner(parent, wanted.pool.threads(),
                       wanted.tuner && wanted.tuner->isOnDevice());
    LibraryResult made = compile({wanted.source, wanted.options, progress, pool,
                                  wanted.kernels ? &kernels : nullptr,
                                  wanted.joint ? &joint : nullptr,
                                  wanted.tuner ? &tuner : nullptr});
    if (!made.package)
      return made.package.takeError();
    return encode(made);
  };
  auto handle = [&](uint8_t tag, ByteView message) {
    if (tag == kStageBegins && wanted.progress)
      wanted.progress(std::string(message.text()));
    if (tag == kFindKernels && wanted.kernels)
      return findKernels(*wanted.kernels, message);
    if (tag == kKeepKernel && wanted.kernels)
      keepKernel(*wanted.kernels, message);
    if (wanted.joint)
      if (auto reply = answerJoint(*wanted.joint, tag, message))
        return std::move(*reply);
    if (wanted.tuner)
      if (auto reply = answerTuner(*wanted.tuner, tag, message))
        return std::move(*reply);
    return std::vector<uint8_t>();
  };
  ChildOptions child;
  child.seconds = wanted.options.maxSeconds + graceSeconds;
  child.what = "the compilation";
  child.beginSeconds = kBeginSeconds;
  ChildEnd how = watchChild(child, body, handle);
  const bool isMade = how.kind != ChildEnd::NotMade;
  auto bytes = resultOf(std::move(how), child);
  if (bytes)
    return decode(*bytes);
  Error error = bytes.takeError();
  // In this one it would be this that ends with the compiler: the caller decides.
  if (!isMade)
    error.message += "; allow this program more processes, files or memory, or "
                     "switch `isolated` off to compile in this one";
  LibraryResult failed;
  failed.package = std::move(error);
  return failed;
}
