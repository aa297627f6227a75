//===- Coder.h - One description of a format, read and written -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Encoder` and `Decoder` have the same member functions, so that each struct
// of a package is described once, by a template `visit(coder, object)`, and the
// two directions cannot drift apart. The decoder's error is sticky: after the
// first one every count is zero and every field keeps its default.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_PACKAGE_CODER_H
#define KILN_LIB_PACKAGE_CODER_H

#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/Bytes.h"
#include "kiln/Package/Program.h"

namespace kiln::package {

class Encoder {
public:
  explicit Encoder(std::vector<uint8_t> &out) : writer_(out) {}
  static constexpr bool isDecoder = false;

  void u8(uint8_t v) { writer_.u8(v); }
  void u32(uint32_t v) { writer_.u32(v); }
  void u64(uint64_t v) { writer_.u64(v); }
  void i64(int64_t v) { writer_.i64(v); }
  void f64(double v) { writer_.f64(v); }
  void boolean(bool v) { writer_.u8(v ? 1 : 0); }
  template <typename E> void enumeration(E v, E, E) {
    writer_.u8(static_cast<uint8_t>(v));
  }
  void dtype(DType v) { writer_.u8(static_cast<uint8_t>(v)); }
  void text(const std::string &v) {
    writer_.u32(static_cast<uint32_t>(v.size()));
    writer_.text(v);
  }
  void code(const std::vector<uint8_t> &v) {
    writer_.u32(static_cast<uint32_t>(v.size()));
    writer_.bytes(v);
  }
  void blob(const std::vector<uint8_t> &v) {
    writer_.u64(v.size());
    writer_.bytes(v);
  }
  template <typename T, typename F>
  void list(const std::vector<T> &v, size_t /*least*/, F visitElement) {
    writer_.u32(static_cast<uint32_t>(v.size()));
    for (const T &element : v)
      visitElement(element);
  }
  bool ok() const { return true; }

private:
  ByteWriter writer_;
};

class Decoder {
public:
  /// `place` names what is decoded, "guards section", for messages.
  Decoder(ByteView bytes, std::string place)
      : reader_(bytes), place_(std::move(place)) {}
  static constexpr bool isDecoder = true;

  void u8(uint8_t &v) { v = reader_.u8(); }
  void u32(uint32_t &v) { v = reader_.u32(); }
  void u64(uint64_t &v) { v = reader_.u64(); }
  void i64(int64_t &v) { v = reader_.i64(); }
  void f64(double &v) { v = reader_.f64(); }
  void boolean(bool &v);
  template <typename E> void enumeration(E &v, E first, E last) {
    size_t at = reader_.position();
    uint8_t raw = reader_.u8();
    if (ok() && (raw < static_cast<uint8_t>(first) ||
                 raw > static_cast<uint8_t>(last))) {
      fail(at, "expected a number from " +
                   std::to_string(static_cast<int>(first)) + " to " +
                   std::to_string(static_cast<int>(last)) + ", found " +
                   std::to_string(raw));
      return;
    }
    if (ok())
      v = static_cast<E>(raw);
  }
  void dtype(DType &v) {
    enumeration(v, DType::Bool, DType::F8E5M2FNUZ);
  }
  void text(std::string &v);
  void code(std::vector<uint8_t> &v);
  void blob(std::vector<uint8_t> &v);
  /// `least` is the smallest encoding of an element in bytes; a count that
  /// cannot fit is refused before anything is allocated for it.
  template <typename T, typename F>
  void list(std::vector<T> &v, size_t least, F visitElement) {
    size_t count = beginList(least);
    v.clear();
    v.reserve(count);
    for (size_t i = 0; i < count && ok(); ++i) {
      v.emplace_back();
      visitElement(v.back());
    }
  }

  bool ok() const { return reader_.ok() && !error_; }
  size_t position() const { return reader_.position(); }
  /// Records the first error, at byte `at`.
  void fail(size_t at, const std::string &what);
  /// Malformed when a read failed or when bytes are left over.
  Status finish();

private:
  size_t beginList(size_t least);

  ByteReader reader_;
  std::string place_;
  std::optional<Error> error_;
};

/// Visits a constant of Program.h; shared by programs and guards.
void visit(Encoder &coder, const Constant &constant);
void visit(Decoder &coder, Constant &constant);

} // namespace kiln::package

#endif // KILN_LIB_PACKAGE_CODER_H
