//===- Rows.cpp - What requests and answers hold --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "kiln/Archive/NpyFile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

using kiln::Error;
using kiln::Result;
using nlohmann::json;

static Error wrong(const std::string &what) { return Error::malformed(what); }

static Error checkCount(size_t count, size_t maxRows) {
  return wrong("found " + std::to_string(count) + " rows, expected 1 to " +
               std::to_string(maxRows));
}

/// A body. What is nested deeper than the numbers of a row is dropped while it is
/// read: functions of `json` that walk through a value recurse.
static Result<json> parseBody(const std::string &text) {
  constexpr int kNumberDepth = 3; // in a row, in the list, in the object
  bool isDeep = false;
  auto keep = [&](int depth, json::parse_event_t event, json &) {
    isDeep |= depth >= kNumberDepth &&
              (event == json::parse_event_t::array_start ||
               event == json::parse_event_t::object_start);
    return !isDeep;
  };
  json body = json::parse(text, keep, /*allow_exceptions=*/false);
  if (isDeep)
    return wrong("the body is nested deeper than {\"rows\": [[...], ...]}");
  if (body.is_discarded())
    return wrong("the body is no JSON");
  return body;
}

Result<Rows> readJson(const std::string &text, size_t width, size_t maxRows) {
  auto parsed = parseBody(text);
  if (!parsed)
    return parsed.takeError();
  const json &request = *parsed;
  if (!request.is_object() || !request.contains("rows") ||
      !request["rows"].is_array())
    return wrong("expected an object {\"rows\": [[...], ...]}");
  const json &list = request["rows"];
  if (list.empty() || list.size() > maxRows)
    return checkCount(list.size(), maxRows);
  Rows rows{width, {}};
  rows.values.reserve(list.size() * width);
  for (size_t i = 0; i < list.size(); ++i) {
    std::string where = "row " + std::to_string(i);
    if (!list[i].is_array() || list[i].size() != width)
      return wrong(where + " has " +
                   (list[i].is_array() ? std::to_string(list[i].size())
                                       : std::string("no")) +
                   " numbers, expected " + std::to_string(width));
    for (const json &number : list[i]) {
      float value = number.is_number() ? number.get<float>() : NAN;
      if (!std::isfinite(value))
        return wrong(where + " has " + number.dump().substr(0, 40) +
                     ", expected numbers that f32 can hold");
      rows.values.push_back(value);
    }
  }
  return rows;
}

Result<Rows> readNpy(const std::string &bytes, size_t width, size_t maxRows) {
  auto array = kiln::archive::parseNpy(
      kiln::SharedBytes::own(std::string(bytes)), "the body");
  if (!array)
    return array.takeError();
  if (array->dtype != kiln::DType::F32 || array->sizes.size() != 2 ||
      array->sizes[1] != int64_t(width))
    return wrong("expected an array of f32 with " + std::to_string(width) +
                 " columns");
  if (array->sizes[0] < 1 || array->sizes[0] > int64_t(maxRows))
    return checkCount(size_t(array->sizes[0]), maxRows);
  Rows rows{width, std::vector<float>(array->sizes[0] * width)};
  std::memcpy(rows.values.data(), array->bytes.data(),
              rows.values.size() * sizeof(float));
  return rows;
}

std::string writeJson(const Rows &rows) {
  json list = json::array();
  for (size_t i = 0; i < rows.count(); ++i)
    list.push_back(
        std::vector<float>(rows.values.begin() + i * rows.width,
                           rows.values.begin() + (i + 1) * rows.width));
  return json{{"rows", std::move(list)}}.dump();
}

Result<std::string> writeNpy(const Rows &rows) {
  kiln::ByteView bytes(reinterpret_cast<const uint8_t *>(rows.values.data()),
                       rows.values.size() * sizeof(float));
  auto encoded = kiln::archive::encodeNpy(
      kiln::DType::F32, {int64_t(rows.count()), int64_t(rows.width)}, bytes);
  if (!encoded)
    return encoded.takeError();
  return std::string(encoded->begin(), encoded->end());
}
