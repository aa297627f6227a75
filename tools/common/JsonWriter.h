//===- JsonWriter.h - JSON text, field by field ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   JsonWriter json;
//   json.beginObject();
//   json.key("threads").number(2);
//   json.key("reasons").beginArray().text("x").endArray();
//   json.endObject();
//   puts(json.str().c_str());
//
// Numbers that JSON lacks are written as the strings "NaN", "Infinity" and
// "-Infinity", as in every file of the project.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_JSONWRITER_H
#define KILN_TOOLS_COMMON_JSONWRITER_H

#include "kiln/Archive/JsonReader.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace kiln::tools {

class JsonWriter {
public:
  JsonWriter &beginObject() { return open('{'); }
  JsonWriter &endObject() { return close('}'); }
  JsonWriter &beginArray() { return open('['); }
  JsonWriter &endArray() { return close(']'); }
  JsonWriter &key(const std::string &name) {
    separate();
    text_ += archive::jsonQuote(name) + ":";
    first_ = true;
    return *this;
  }
  JsonWriter &text(const std::string &value) {
    return raw(archive::jsonQuote(value));
  }
  JsonWriter &flag(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter &number(int64_t value) { return raw(std::to_string(value)); }
  JsonWriter &real(double value) {
    if (std::isnan(value))
      return text("NaN");
    if (std::isinf(value))
      return text(value > 0 ? "Infinity" : "-Infinity");
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.9g", value);
    return raw(digits);
  }
  const std::string &str() const { return text_; }

private:
  void separate() {
    if (!first_)
      text_ += ",";
    first_ = false;
  }
  JsonWriter &raw(const std::string &value) {
    separate();
    text_ += value;
    return *this;
  }
  JsonWriter &open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter &close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }

  std::string text_;
  bool first_ = true;
};

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_JSONWRITER_H
