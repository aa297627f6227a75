//===- Coder.cpp - Bounded decoding of package fields --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coder.h"

namespace kiln::package {

void Decoder::fail(size_t at, const std::string &what) {
  if (!error_)
    error_ = Error::malformed(place_ + ", byte " + std::to_string(at) + ": " +
                              what);
  reader_.fail();
}

void Decoder::boolean(bool &v) {
  size_t at = reader_.position();
  uint8_t raw = reader_.u8();
  if (ok() && raw > 1) {
    fail(at, "expected 0 or 1, found " + std::to_string(raw));
    return;
  }
  v = raw == 1;
}

void Decoder::text(std::string &v) {
  uint32_t length = reader_.u32();
  v = std::string(reader_.text(length));
}

void Decoder::code(std::vector<uint8_t> &v) {
  uint32_t length = reader_.u32();
  ByteView bytes = reader_.bytes(length);
  v.assign(bytes.begin(), bytes.end());
}

void Decoder::blob(std::vector<uint8_t> &v) {
  uint64_t length = reader_.u64();
  ByteView bytes = reader_.bytes(length);
  v.assign(bytes.begin(), bytes.end());
}

size_t Decoder::beginList(size_t least) {
  size_t at = reader_.position();
  size_t count = reader_.u32();
  if (!ok())
    return 0;
  if (count > reader_.remaining() / least) {
    fail(at, "expected at most " + std::to_string(reader_.remaining() / least) +
                 " elements, which is what the rest can hold, found a count "
                 "of " +
                 std::to_string(count));
    return 0;
  }
  return count;
}

Status Decoder::finish() {
  if (error_)
    return *error_;
  if (!reader_.ok())
    return Error::malformed(place_ + " ends too early, at byte " +
                            std::to_string(reader_.position()));
  if (!reader_.atEnd())
    return Error::malformed(
        place_ + ", byte " + std::to_string(reader_.position()) +
        ": expected the end, found " + std::to_string(reader_.remaining()) +
        " more bytes");
  return Status::success();
}

void visit(Encoder &coder, const Constant &constant) {
  coder.u8(static_cast<uint8_t>(constant.index()));
  if (auto *b = std::get_if<bool>(&constant))
    coder.boolean(*b);
  else if (auto *i = std::get_if<int64_t>(&constant))
    coder.i64(*i);
  else if (auto *f = std::get_if<double>(&constant))
    coder.f64(*f);
  else if (auto *s = std::get_if<std::string>(&constant))
    coder.text(*s);
}

void visit(Decoder &coder, Constant &constant) {
  auto tag = KILN_CONSTANT_NONE;
  coder.enumeration(tag, KILN_CONSTANT_NONE, KILN_CONSTANT_TEXT);
  switch (tag) {
  case KILN_CONSTANT_NONE:
    constant = std::monostate();
    return;
  case KILN_CONSTANT_BOOL: {
    bool v = false;
    coder.boolean(v);
    constant = v;
    return;
  }
  case KILN_CONSTANT_INT: {
    int64_t v = 0;
    coder.i64(v);
    constant = v;
    return;
  }
  case KILN_CONSTANT_FLOAT: {
    double v = 0;
    coder.f64(v);
    constant = v;
    return;
  }
  case KILN_CONSTANT_TEXT: {
    std::string v;
    coder.text(v);
    constant = std::move(v);
    return;
  }
  }
}

} // namespace kiln::package
