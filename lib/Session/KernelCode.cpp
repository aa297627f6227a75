//===- KernelCode.cpp - The code of one kernel as bytes -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCode.h"

using namespace kiln;
using package::KernelImage;

static constexpr uint32_t kCodeVersion = 2;

std::vector<uint8_t> session::encodeKernel(const KernelImage &image) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u32(kCodeVersion);
  writer.u32(image.kind);
  writer.u32(image.requiredFeatures);
  writer.u64(image.kernels.front().entry);
  writer.u32(static_cast<uint32_t>(image.target.size()));
  writer.text(image.target);
  writer.u64(image.bytes.size());
  writer.bytes(image.bytes);
  return bytes;
}

std::optional<KernelImage> session::decodeKernel(ByteView bytes) {
  ByteReader reader(bytes);
  KernelImage image;
  bool isKnown = reader.u32() == kCodeVersion;
  uint32_t kind = reader.u32();
  image.requiredFeatures = reader.u32();
  uint64_t entry = reader.u64();
  image.target = reader.text(reader.u32());
  uint64_t size = reader.u64();
  ByteView code = reader.bytes(size);
  if (!isKnown || kind > KILN_IMAGE_CUBIN || !reader.ok() ||
      !reader.atEnd() || entry >= code.size())
    return std::nullopt;
  image.kind = static_cast<kiln_image_kind>(kind);
  image.bytes.assign(code.begin(), code.end());
  image.kernels.push_back({"", entry});
  return image;
}
