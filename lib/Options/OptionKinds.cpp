//===- OptionKinds.cpp - Values of options as text -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Options/OptionKinds.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>

using namespace kiln;
using namespace kiln::option;

std::vector<std::string> option::splitList(const std::string &text,
                                           char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' || c == '(';
    depth -= c == ']' || c == '}' || c == ')';
    if (c != separator || depth > 0) {
      part += c;
      continue;
    }
    if (!part.empty())
      parts.push_back(part);
    part.clear();
  }
  if (!part.empty())
    parts.push_back(part);
  return parts;
}

std::string option::snakeCase(const std::string &name) {
  std::string text;
  for (char c : name) {
    bool isUpper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (isUpper && !text.empty())
      text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

std::vector<std::string> option::wordsOf(const char *enumerators) {
  std::vector<std::string> words;
  for (const std::string &name : splitList(enumerators))
    words.push_back(snakeCase(name.substr(name.find_first_not_of(' '))));
  return words;
}

std::string option::joinWords(const std::vector<std::string> &words,
                              const char *separator, const char *last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == words.size() ? last
                                     : separator) +
            words[i];
  return text;
}

std::optional<bool> Switch::parse(const std::string &text) {
  if (text == "0" || text == "1")
    return text == "1";
  return std::nullopt;
}

std::optional<std::string> Text::parse(const std::string &text) {
  return text;
}

std::optional<std::string> Folder::parse(const std::string &text) {
  if (text.empty() || text == "-")
    return std::nullopt;
  return text;
}

std::optional<double> Number::parse(const std::string &text, double low,
                                    double high) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(value >= low && value <= high))
    return std::nullopt;
  return value;
}

std::string Number::print(double value) {
  // The shortest text that gives the same number.
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

std::optional<uint64_t> Count::parse(const std::string &text, uint64_t low) {
  uint64_t value = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() ||
      end != text.data() + text.size() || value < low || value > kMost)
    return std::nullopt;
  return value;
}

std::string Count::expected(uint64_t low) {
  return "an integer from " + std::to_string(low) + " to " +
         std::to_string(kMost);
}

std::optional<Names::Value> Names::parse(const std::string &text) {
  return splitList(text);
}

std::string Names::print(const Value &value) {
  return joinWords(value, ",", ",");
}

std::optional<GPULibraries::Value>
GPULibraries::parse(const std::string &text) {
  Value value;
  if (text == print(value))
    return value;
  for (const std::string &name : splitList(text)) {
    if (name != "cublas" && name != "cudnn")
      return std::nullopt;
    (name == "cublas" ? value.cublas : value.cudnn) = true;
  }
  return value.isEmpty() ? std::nullopt : std::optional(value);
}

std::string GPULibraries::print(const Value &value) {
  std::vector<std::string> names;
  if (value.cublas)
    names.push_back("cublas");
  if (value.cudnn)
    names.push_back("cudnn");
  return names.empty() ? "none" : joinWords(names, ",", ",");
}

std::optional<SizeMarks::Value> SizeMarks::parse(const std::string &text) {
  Value marks = splitList(text);
  for (const std::string &mark : marks) {
    size_t colon = mark.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == mark.size())
      return std::nullopt;
  }
  return marks;
}
