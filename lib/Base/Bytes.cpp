//===- Bytes.cpp - Byte ranges, bounded readers, writers -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Bytes.h"

using namespace kiln;

Status ByteReader::status(std::string_view what) const {
  if (ok_)
    return Status::success();
  return Error::malformed(
      std::string(what) + " is damaged or cut short at byte " +
      std::to_string(position_) + " of " + std::to_string(bytes_.size()));
}

void ByteReader::seek(uint64_t position) {
  if (position > bytes_.size()) {
    ok_ = false;
    return;
  }
  position_ = static_cast<size_t>(position);
}

ByteView ByteReader::bytes(uint64_t count) {
  if (!ok_ || count > remaining()) {
    ok_ = false;
    return ByteView();
  }
  ByteView result(bytes_.data() + position_, static_cast<size_t>(count));
  position_ += static_cast<size_t>(count);
  return result;
}
