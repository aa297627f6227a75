//===- JsonReader.h - The only way JSON is read --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON comes from untrusted files. `parseJson` builds a tree under limits on
// size, depth and node count and refuses duplicate keys. `JsonView` reads the
// tree: each getter checks kind and range and, on a mismatch, records one error
// that names the place ("graph.nodes[3].inputs[0].arg") in the document and
// gives a neutral value. Like `ByteReader`, a parser is written straight down
// and asks once:
//
//   auto document = parseJson(text, "io.json");
//   if (!document)
//     return document.takeError();
//   JsonView root = document->root();
//   std::string name = root.field("name").asString();
//   int64_t size = root.field("size").asInt(0, 100);
//   if (auto status = document->status(); !status)
//     return status.takeError();
//
// Only the first error is kept. A view is valid as long as its document, which
// may be moved.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_JSONREADER_H
#define KILN_ARCHIVE_JSONREADER_H

#include "kiln/Base/Result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::archive {

struct JsonLimits {
  uint64_t bytes = uint64_t(1) << 31;
  size_t depth = 512;
  size_t nodes = size_t(1) << 26;
  /// Accepts the bare tokens NaN, Infinity and -Infinity, which old exporters
  /// wrote, as if they were strings.
  bool quoteNonFinite = false;
};

/// A parsed value. Read it through `JsonView`.
struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;
  /// A uint64_t is an integer over INT64_MAX.
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string,
               Array, Object>
      value;
};

class JsonDocument;

/// A place in a document. Cheap to copy.
class JsonView {
public:
  bool isNull() const { return is<std::monostate>(); }
  bool isBool() const { return is<bool>(); }
  bool isInt() const { return is<int64_t>(); }
  bool isNumber() const {
    return is<int64_t>() || is<uint64_t>() || is<double>();
  }
  bool isString() const { return is<std::string>(); }
  bool isArray() const { return is<JsonValue::Array>(); }
  bool isObject() const { return is<JsonValue::Object>(); }

  /// An integer from `low` to `high`. A number with a fraction or exponent is
  /// an error, as is a bool.
  int64_t asInt(int64_t low = INT64_MIN, int64_t high = INT64_MAX) const;
  /// A number; integers and the strings "Infinity", "-Infinity" and "NaN"
  /// count.
  double asDouble() const;
  bool asBool() const;
  const std::string &asString() const;

  /// Elements of an array, members of an object; otherwise an error and 0.
  size_t size() const;
  /// Element of an array; `index` below `size()`.
  JsonView operator[](size_t index) const;
  /// Member of an object by position; `index` below `size()`.
  const std::string &key(size_t index) const;
  JsonView member(size_t index) const;

  /// Member of an object; an error if it is missing.
  JsonView field(std::string_view key) const;
  /// Member of an object; a null view if it is missing.
  JsonView optional(std::string_view key) const;
  /// The only member of an object with exactly one: tag and payload of a union.
  std::pair<std::string_view, JsonView> asUnion() const;

  /// All elements as integers, strings, ...
  std::vector<int64_t> asInts(int64_t low = INT64_MIN,
                              int64_t high = INT64_MAX) const;
  std::vector<std::string> asStrings() const;

  /// Records an error at this place.
  void fail(std::string_view message,
            ErrorKind kind = ErrorKind::Malformed) const;
  /// False once any view of the document recorded an error.
  bool ok() const;

private:
  friend class JsonDocument;
  struct State;
  JsonView(const JsonValue *value, State *state)
      : value_(value), state_(state) {}
  template <typename T> bool is() const {
    return std::holds_alternative<T>(value_->value);
  }
  void expected(std::string_view what) const;

  const JsonValue *value_;
  State *state_;
};

/// A tree with its name and its first error.
class JsonDocument {
public:
  JsonDocument(JsonValue root, std::string name);
  JsonDocument(JsonDocument &&) noexcept;
  JsonDocument &operator=(JsonDocument &&) noexcept;
  ~JsonDocument();

  JsonView root() const;
  /// The first error of any view, "NAME: PLACE: message"; or success.
  Status status() const;

private:
  std::unique_ptr<JsonView::State> state_;
};

/// Parses one JSON text. Malformed for anything outside of RFC 8259, duplicate
/// keys, or over the limits; `name` begins the message.
Result<JsonDocument> parseJson(std::string_view text, std::string name,
                               const JsonLimits &limits = {});

/// `text` as a JSON string with its quotes.
std::string jsonQuote(std::string_view text);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_JSONREADER_H
