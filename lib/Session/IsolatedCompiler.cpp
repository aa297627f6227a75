//===- IsolatedCompiler.cpp - A compilation in a process of its own -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsolatedCompiler.h"

#include "DistantTuner.h"
#include "KernelCode.h"

#include "kiln/Base/ChildProcess.h"

using namespace kiln;
using namespace kiln::session;
using package::KernelImage;

// Messages of the copy:
//   progress: a stage
//   find:     n * 32 bytes of keys; the reply is n * (u64 length, code), with
//             length 0 for what is not there
//   keep:     32 bytes of key, u64 microseconds, code
static constexpr uint8_t kProgress = 1, kFind = 2, kKeep = 3;

static void writeDigest(ByteWriter &writer, const Digest &digest) {
  writer.bytes(ByteView(digest.bytes.data(), digest.bytes.size()));
}

static Digest readDigest(ByteReader &reader) {
  Digest digest;
  ByteView bytes = reader.bytes(digest.bytes.size());
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

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
    std::vector<uint8_t> reply = parent_.ask(kFind, message);
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
    parent_.tell(kKeep, message);
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

LibraryResult session::compileInChild(
    const LibraryRequest &wanted,
    const std::function<LibraryResult(const LibraryRequest &)> &compile,
    double graceSeconds) {
  auto body = [&](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
    DistantKernels kernels(parent);
    // The threads of the other pool are not in this process.
    runtime::ThreadPool pool(wanted.pool.threads());
    std::function<void(const std::string &)> progress;
    if (wanted.progress)
      progress = [&](const std::string &stage) {
        parent.tell(kProgress, ByteView(stage));
      };
    DistantTuner tuner(parent, wanted.pool.threads());
    LibraryResult made = compile({wanted.source, wanted.options, progress, pool,
                                  wanted.kernels ? &kernels : nullptr,
                                  wanted.tuner ? &tuner : nullptr});
    if (!made.package)
      return made.package.takeError();
    return encode(made);
  };
  auto handle = [&](uint8_t tag, ByteView message) {
    if (tag == kProgress && wanted.progress)
      wanted.progress(std::string(message.text()));
    else if (tag == kFind && wanted.kernels)
      return findKernels(*wanted.kernels, message);
    else if (tag == kKeep && wanted.kernels)
      keepKernel(*wanted.kernels, message);
    else if (wanted.tuner)
      if (auto reply = answerTuner(*wanted.tuner, tag, message))
        return std::move(*reply);
    return std::vector<uint8_t>();
  };
  ChildOptions child;
  child.seconds = wanted.options.maxSeconds + graceSeconds;
  child.what = "the compilation";
  auto bytes = runInChild(child, body, handle);
  if (bytes)
    return decode(*bytes);
  LibraryResult failed;
  failed.package = bytes.takeError();
  return failed;
}
