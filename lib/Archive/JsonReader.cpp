//===- JsonReader.cpp - The only way JSON is read ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nlohmann-json does the lexing and UTF-8 checks through its SAX interface,
// whose parser keeps its own stack; its DOM is not used, since it keeps the
// last of duplicate keys and converts numbers silently.
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/JsonReader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

using namespace kiln;
using namespace kiln::archive;

namespace {

/// Builds the tree from parser events.
class TreeBuilder {
public:
  TreeBuilder(JsonValue &root, const JsonLimits &limits)
      : root_(root), limits_(limits) {}

  bool null() { return add(JsonValue{}) != nullptr; }
  bool boolean(bool value) { return add(JsonValue{value}) != nullptr; }
  bool number_integer(int64_t value) {
    return add(JsonValue{value}) != nullptr;
  }
  bool number_unsigned(uint64_t value) {
    if (value <= static_cast<uint64_t>(INT64_MAX))
      return add(JsonValue{static_cast<int64_t>(value)}) != nullptr;
    return add(JsonValue{value}) != nullptr;
  }
  bool number_float(double value, const std::string &) {
    return add(JsonValue{value}) != nullptr;
  }
  bool string(std::string &value) {
    return add(JsonValue{std::move(value)}) != nullptr;
  }
  bool binary(nlohmann::json::binary_t &) { return false; }
  bool start_object(size_t) { return open(JsonValue{JsonValue::Object()}); }
  bool start_array(size_t) { return open(JsonValue{JsonValue::Array()}); }
  bool end_array() { return close(); }
  bool key(std::string &name) {
    key_ = std::move(name);
    return true;
  }
  bool end_object() {
    auto &members = std::get<JsonValue::Object>(stack_.back()->value);
    if (const std::string *twice = duplicateKey(members)) {
      error_ = "key " + jsonQuote(twice->substr(0, 100)) +
               " occurs twice in one object";
      return false;
    }
    return close();
  }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::json::exception &exception) {
    error_ = exception.what();
    // "[json.exception.parse_error.101] parse error at line 1, ...".
    if (size_t end = error_.find("] "); end != std::string::npos)
      error_.erase(0, end + 2);
    if (error_.size() > 300)
      error_ = error_.substr(0, 300) + "...";
    return false;
  }

  const std::string &error() const { return error_; }

private:
  static const std::string *duplicateKey(const JsonValue::Object &members) {
    constexpr size_t fewMembers = 12;
    if (members.size() <= fewMembers) {
      for (size_t i = 1; i < members.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          if (members[i].first == members[j].first)
            return &members[i].first;
      return nullptr;
    }
    std::unordered_set<std::string_view> seen;
    seen.reserve(members.size());
    for (const auto &member : members)
      if (!seen.insert(member.first).second)
        return &member.first;
    return nullptr;
  }

  JsonValue *add(JsonValue value) {
    if (++nodes_ > limits_.nodes) {
      error_ = "has more than " + std::to_string(limits_.nodes) + " values";
      return nullptr;
    }
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    // Pointers on the stack stay valid: only the innermost open container
    // grows, and it is the last element of its parent.
    JsonValue &parent = *stack_.back();
    if (auto *elements = std::get_if<JsonValue::Array>(&parent.value)) {
      elements->push_back(std::move(value));
      return &elements->back();
    }
    auto &members = std::get<JsonValue::Object>(parent.value);
    members.emplace_back(std::move(key_), std::move(value));
    return &members.back().second;
  }
  bool open(JsonValue value) {
    if (stack_.size() >= limits_.depth) {
      error_ = "is nested deeper than " + std::to_string(limits_.depth) +
               " levels";
      return false;
    }
    JsonValue *added = add(std::move(value));
    if (added)
      stack_.push_back(added);
    return added != nullptr;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  JsonValue &root_;
  const JsonLimits &limits_;
  std::vector<JsonValue *> stack_;
  std::string key_;
  std::string error_;
  size_t nodes_ = 0;
};

} // namespace

/// Puts quotes around NaN, Infinity and -Infinity outside of strings.
static std::string quoteNonFinite(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 64);
  bool inString = false;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (inString) {
      size_t count = c == '\\' && i + 1 < text.size() ? 2 : 1;
      out.append(text.substr(i, count));
      i += count;
      inString = count == 2 || c != '"';
      continue;
    }
    bool isToken = false;
    for (std::string_view token : {"NaN", "Infinity", "-Infinity"})
      if (text.substr(i, token.size()) == token) {
        out.append("\"").append(token).append("\"");
        i += token.size();
        isToken = true;
        break;
      }
    if (isToken)
      continue;
    inString = c == '"';
    out += c;
    ++i;
  }
  return out;
}

Result<JsonDocument> archive::parseJson(std::string_view text, std::string name,
                                        const JsonLimits &limits) {
  if (text.size() > limits.bytes)
    return Error::malformed(name + ": has " + std::to_string(text.size()) +
                            " bytes, expected at most " +
                            std::to_string(limits.bytes));
  // At which the lexer ends, whatever follows.
  if (text.find('\0') != std::string_view::npos)
    return Error::malformed(name + ": has a byte of 0, expected none");
  std::string quoted;
  if (limits.quoteNonFinite) {
    quoted = quoteNonFinite(text);
    text = quoted;
  }
  JsonValue root;
  TreeBuilder builder(root, limits);
  bool done = false;
  try {
    done = nlohmann::json::sax_parse(text.data(), text.data() + text.size(),
                                     &builder);
  } catch (const std::exception &exception) {
    return Error::malformed(name + ": " + exception.what());
  }
  if (!done)
    return Error::malformed(name + ": " +
                            (builder.error().empty() ? "is not valid json"
                                                     : builder.error()));
  return JsonDocument(std::move(root), std::move(name));
}

std::string archive::jsonQuote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true,
                                   nlohmann::json::error_handler_t::replace);
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

struct JsonView::State {
  JsonValue root;
  std::string name;
  std::optional<Error> error;
};

JsonDocument::JsonDocument(JsonValue root, std::string name)
    : state_(new JsonView::State{std::move(root), std::move(name), {}}) {}
JsonDocument::JsonDocument(JsonDocument &&) noexcept = default;
JsonDocument &JsonDocument::operator=(JsonDocument &&) noexcept = default;
JsonDocument::~JsonDocument() = default;

JsonView JsonDocument::root() const {
  return JsonView(&state_->root, state_.get());
}

Status JsonDocument::status() const {
  if (state_->error)
    return *state_->error;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static const JsonValue nullValue;
static const std::string emptyString;

/// Appends the way from `from` to `target`; false if it is not below. Errors
/// are rare, so the place is searched for then instead of carried along.
static bool findPath(const JsonValue &from, const JsonValue *target,
                     std::string &path) {
  if (&from == target)
    return true;
  size_t length = path.size();
  if (auto *elements = std::get_if<JsonValue::Array>(&from.value)) {
    for (size_t i = 0; i < elements->size(); ++i) {
      path += "[" + std::to_string(i) + "]";
      if (findPath((*elements)[i], target, path))
        return true;
      path.resize(length);
    }
  } else if (auto *members = std::get_if<JsonValue::Object>(&from.value)) {
    for (const auto &[key, value] : *members) {
      path += (length ? "." : "") + key.substr(0, 100);
      if (findPath(value, target, path))
        return true;
      path.resize(length);
    }
  }
  return false;
}

static std::string_view kindName(const JsonValue &value) {
  static const std::string_view names[] = {
      "null",           "a bool",   "an integer", "an integer over 2^63",
      "a float number", "a string", "an array",   "an object"};
  return names[value.value.index()];
}

void JsonView::fail(std::string_view message, ErrorKind kind) const {
  if (state_->error)
    return;
  std::string path;
  findPath(state_->root, value_, path);
  state_->error = Error{kind, state_->name + ": " +
                                  (path.empty() ? "" : path + ": ") +
                                  std::string(message)};
}

void JsonView::expected(std::string_view what) const {
  fail("expected " + std::string(what) + ", but found " +
       std::string(kindName(*value_)));
}

bool JsonView::ok() const { return !state_->error; }

int64_t JsonView::asInt(int64_t low, int64_t high) const {
  const int64_t *value = std::get_if<int64_t>(&value_->value);
  if (!value) {
    expected("an integer");
    return std::clamp<int64_t>(0, low, high);
  }
  if (*value < low || *value > high) {
    fail("expected an integer from " + std::to_string(low) + " to " +
         std::to_string(high) + ", but found " + std::to_string(*value));
    return std::clamp(*value, low, high);
  }
  return *value;
}

double JsonView::asDouble() const {
  if (auto *value = std::get_if<double>(&value_->value))
    return *value;
  if (auto *value = std::get_if<int64_t>(&value_->value))
    return static_cast<double>(*value);
  if (auto *value = std::get_if<uint64_t>(&value_->value))
    return static_cast<double>(*value);
  if (auto *text = std::get_if<std::string>(&value_->value)) {
    if (*text == "Infinity")
      return std::numeric_limits<double>::infinity();
    if (*text == "-Infinity")
      return -std::numeric_limits<double>::infinity();
    if (*text == "NaN")
      return std::numeric_limits<double>::quiet_NaN();
  }
  expected("a number");
  return 0;
}

bool JsonView::asBool() const {
  if (auto *value = std::get_if<bool>(&value_->value))
    return *value;
  expected("a bool");
  return false;
}

const std::string &JsonView::asString() const {
  if (auto *value = std::get_if<std::string>(&value_->value))
    return *value;
  expected("a string");
  return emptyString;
}

size_t JsonView::size() const {
  if (auto *elements = std::get_if<JsonValue::Array>(&value_->value))
    return elements->size();
  if (auto *members = std::get_if<JsonValue::Object>(&value_->value))
    return members->size();
  expected("an array or an object");
  return 0;
}

JsonView JsonView::operator[](size_t index) const {
  auto *elements = std::get_if<JsonValue::Array>(&value_->value);
  if (elements && index < elements->size())
    return JsonView(&(*elements)[index], state_);
  expected("an array of more than " + std::to_string(index) + " elements");
  return JsonView(&nullValue, state_);
}

const std::string &JsonView::key(size_t index) const {
  auto *members = std::get_if<JsonValue::Object>(&value_->value);
  if (members && index < members->size())
    return (*members)[index].first;
  expected("an object");
  return emptyString;
}

JsonView JsonView::member(size_t index) const {
  auto *members = std::get_if<JsonValue::Object>(&value_->value);
  if (members && index < members->size())
    return JsonView(&(*members)[index].second, state_);
  expected("an object");
  return JsonView(&nullValue, state_);
}

JsonView JsonView::optional(std::string_view key) const {
  auto *members = std::get_if<JsonValue::Object>(&value_->value);
  if (!members) {
    expected("an object");
    return JsonView(&nullValue, state_);
  }
  for (const auto &member : *members)
    if (member.first == key)
      return JsonView(&member.second, state_);
  return JsonView(&nullValue, state_);
}

JsonView JsonView::field(std::string_view key) const {
  JsonView found = optional(key);
  if (found.value_ == &nullValue)
    fail("field '" + std::string(key) + "' is missing");
  return found;
}

std::pair<std::string_view, JsonView> JsonView::asUnion() const {
  auto *members = std::get_if<JsonValue::Object>(&value_->value);
  if (!members) {
    expected("an object with one key");
    return {emptyString, JsonView(&nullValue, state_)};
  }
  if (members->size() != 1) {
    fail("expected an object with one key, but found " +
         std::to_string(members->size()) + " keys");
    return {emptyString, JsonView(&nullValue, state_)};
  }
  return {members->front().first, JsonView(&members->front().second, state_)};
}

std::vector<int64_t> JsonView::asInts(int64_t low, int64_t high) const {
  std::vector<int64_t> values;
  if (!isArray()) {
    expected("an array");
    return values;
  }
  values.reserve(size());
  for (size_t i = 0; i < size(); ++i)
    values.push_back((*this)[i].asInt(low, high));
  return values;
}

std::vector<std::string> JsonView::asStrings() const {
  std::vector<std::string> values;
  if (!isArray()) {
    expected("an array");
    return values;
  }
  values.reserve(size());
  for (size_t i = 0; i < size(); ++i)
    values.push_back((*this)[i].asString());
  return values;
}
