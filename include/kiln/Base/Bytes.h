//===- Bytes.h - Byte ranges, bounded readers, writers -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ByteView` looks at bytes, `SharedBytes` also keeps them alive, `ByteReader`
// decodes little-endian fields from untrusted bytes and never reads past the
// end, `ByteWriter` appends them.
//
// A reader's error is sticky: after the first read past the end every read
// gives zero, so a whole header is read without a check per field and asked
// once at the end:
//
//   ByteReader reader(view);
//   uint32_t magic = reader.u32();
//   uint64_t length = reader.u64();
//   if (!reader.ok())
//     return reader.status("package header").takeError();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_BYTES_H
#define KILN_BASE_BYTES_H

#include "kiln/Base/Result.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// A borrowed range of bytes. The caller keeps them alive.
class ByteView {
public:
  ByteView() = default;
  ByteView(const void *data, size_t size)
      : data_(static_cast<const uint8_t *>(data)), size_(size) {}
  ByteView(std::string_view text) : ByteView(text.data(), text.size()) {}
  ByteView(const std::vector<uint8_t> &bytes)
      : ByteView(bytes.data(), bytes.size()) {}

  const uint8_t *data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const uint8_t *begin() const { return data_; }
  const uint8_t *end() const { return data_ + size_; }
  uint8_t operator[](size_t index) const { return data_[index]; }

  /// True if `length` bytes from `offset` lie inside; never overflows.
  bool contains(uint64_t offset, uint64_t length) const {
    return offset <= size_ && length <= size_ - offset;
  }
  /// The bytes from `offset`, cut at the end of this view: a range that does
  /// not fit gives fewer bytes, perhaps none. Ask `contains` first when that
  /// matters.
  ByteView slice(uint64_t offset, uint64_t length) const {
    if (offset >= size_)
      return ByteView();
    uint64_t rest = size_ - offset;
    return ByteView(data_ + offset,
                    static_cast<size_t>(length < rest ? length : rest));
  }
  /// The same bytes as characters.
  std::string_view text() const {
    return {reinterpret_cast<const char *>(data_), size_};
  }

private:
  const uint8_t *data_ = nullptr;
  size_t size_ = 0;
};

/// Bytes together with whatever keeps them alive: a mapped file, a vector. A
/// copy shares the owner; the bytes are never copied.
class SharedBytes {
public:
  SharedBytes() = default;
  SharedBytes(ByteView view, std::shared_ptr<const void> owner)
      : view_(view), owner_(std::move(owner)) {}

  /// Takes a vector over.
  static SharedBytes own(std::vector<uint8_t> bytes) {
    auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
    return SharedBytes(ByteView(*owner), owner);
  }
  /// Takes a string over.
  static SharedBytes own(std::string bytes) {
    auto owner = std::make_shared<std::string>(std::move(bytes));
    return SharedBytes(ByteView(std::string_view(*owner)), owner);
  }

  ByteView view() const { return view_; }
  const std::shared_ptr<const void> &owner() const { return owner_; }
  const uint8_t *data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::string_view text() const { return view_.text(); }
  /// `ByteView::slice` with the same owner.
  SharedBytes slice(uint64_t offset, uint64_t length) const {
    return SharedBytes(view_.slice(offset, length), owner_);
  }

private:
  ByteView view_;
  std::shared_ptr<const void> owner_;
};

/// Reads little-endian fields from untrusted bytes; see the file comment.
class ByteReader {
public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool atEnd() const { return remaining() == 0; }

  /// Success, or a Malformed error "WHAT ends after N bytes, expected more".
  Status status(std::string_view what) const;
  /// Marks the reader as failed; for callers that found a bad value.
  void fail() { ok_ = false; }

  /// Moves to an absolute position.
  void seek(uint64_t position);
  /// Moves on by `count` bytes.
  void skip(uint64_t count) { (void)bytes(count); }

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int32_t i32() { return static_cast<int32_t>(u32()); }
  int64_t i64() { return static_cast<int64_t>(u64()); }
  double f64() {
    uint64_t bits = u64();
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  /// The next `count` bytes, or an empty view and a sticky error.
  ByteView bytes(uint64_t count);
  std::string_view text(uint64_t count) { return bytes(count).text(); }

private:
  template <typename T> T number() {
    ByteView raw = bytes(sizeof(T));
    T value = 0;
    for (size_t i = raw.size(); i-- > 0;)
      value = static_cast<T>((static_cast<uint64_t>(value) << 8) | raw[i]);
    return value;
  }

  ByteView bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

/// Appends little-endian fields to a vector.
class ByteWriter {
public:
  explicit ByteWriter(std::vector<uint8_t> &out) : out_(out) {}

  size_t position() const { return out_.size(); }
  void u8(uint8_t value) { number(value); }
  void u16(uint16_t value) { number(value); }
  void u32(uint32_t value) { number(value); }
  void u64(uint64_t value) { number(value); }
  void i32(int32_t value) { number(static_cast<uint32_t>(value)); }
  void i64(int64_t value) { number(static_cast<uint64_t>(value)); }
  void f64(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    u64(bits);
  }
  void bytes(ByteView view) {
    out_.insert(out_.end(), view.begin(), view.end());
  }
  void text(std::string_view text) { bytes(ByteView(text)); }
  /// Appends zeros up to a multiple of `alignment`.
  void align(size_t alignment) {
    while (out_.size() % alignment != 0)
      out_.push_back(0);
  }
  /// Overwrites a field written before; `position + 4` must exist.
  void patchU32(size_t position, uint32_t value) {
    for (size_t i = 0; i < sizeof(value); ++i)
      out_[position + i] = static_cast<uint8_t>(value >> (8 * i));
  }
  void patchU64(size_t position, uint64_t value) {
    for (size_t i = 0; i < sizeof(value); ++i)
      out_[position + i] = static_cast<uint8_t>(value >> (8 * i));
  }

private:
  template <typename T> void number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      out_.push_back(
          static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
  }

  std::vector<uint8_t> &out_;
};

} // namespace kiln

#endif // KILN_BASE_BYTES_H
