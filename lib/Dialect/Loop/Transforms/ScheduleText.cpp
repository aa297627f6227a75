//===- ScheduleText.cpp - The numbers of a schedule -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/ScheduleText.h"

#include <algorithm>
#include <charconv>

using namespace kiln;
using namespace kiln::loop;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

namespace {
/// Walks a text and knows the path of where it is.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}
  std::vector<Tunable> scan();

private:
  struct Level {
    std::string path;
    bool isList;
    unsigned index = 0;
  };
  std::string path() const;
  template <typename F> std::string_view take(F belongs);

  std::string_view text;
  size_t at = 0;
  std::vector<Level> levels;
  std::string name;
};
} // namespace

std::string Scanner::path() const {
  if (levels.empty())
    return name;
  const Level &level = levels.back();
  std::string last = level.isList ? std::to_string(level.index) : name;
  if (level.path.empty() || last.empty())
    return level.path + last;
  return level.path + "." + last;
}

template <typename F> std::string_view Scanner::take(F belongs) {
  size_t begin = at;
  while (at < text.size() && belongs(text[at]))
    ++at;
  return text.substr(begin, at - begin);
}

std::vector<Tunable> Scanner::scan() {
  std::vector<Tunable> found;
  while (at < text.size()) {
    char c = text[at];
    if (isLetter(c)) {
      name = take([](char c) { return isLetter(c) || isDigit(c); });
      continue;
    }
    if (isDigit(c)) {
      size_t begin = at;
      std::string_view digits = take(isDigit);
      int64_t value = 0;
      auto end = std::from_chars(digits.data(), digits.data() + digits.size(),
                                 value);
      if (end.ec == std::errc())
        found.push_back({path(), value, begin, digits.size()});
      continue;
    }
    ++at;
    if (c == '#') {
      take([](char c) { return isLetter(c) || isDigit(c) || c == '.'; });
    } else if (c == '<' || c == '[') {
      levels.push_back({path(), c == '['});
      name.clear();
    } else if (c == '>' || c == ']') {
      if (!levels.empty())
        levels.pop_back();
    } else if (c == ',') {
      name.clear();
      if (!levels.empty())
        ++levels.back().index;
    }
  }
  return found;
}

std::vector<Tunable> loop::getTunables(std::string_view schedule) {
  return Scanner(schedule).scan();
}

std::string loop::setTunable(std::string_view schedule, std::string_view name,
                             int64_t value) {
  std::string changed(schedule);
  for (const Tunable &tunable : getTunables(schedule))
    if (tunable.name == name)
      return changed.replace(tunable.begin, tunable.length,
                             std::to_string(value));
  return changed;
}

std::string_view loop::getScheduleKind(std::string_view schedule) {
  constexpr std::string_view prefix = "#loop.";
  size_t end = schedule.find('<');
  if (schedule.substr(0, prefix.size()) != prefix ||
      end == std::string_view::npos)
    return {};
  return schedule.substr(prefix.size(), end - prefix.size());
}

/// The last part of a path that is no place in a list.
static std::string_view getField(std::string_view path) {
  while (true) {
    size_t dot = path.rfind('.');
    std::string_view last =
        dot == std::string_view::npos ? path : path.substr(dot + 1);
    if (dot == std::string_view::npos ||
        !std::all_of(last.begin(), last.end(), isDigit))
      return last;
    path = path.substr(0, dot);
  }
}

std::vector<std::string> loop::getNeighbours(std::string_view schedule) {
  std::vector<std::string> neighbours;
  for (const Tunable &tunable : getTunables(schedule)) {
    std::string_view field = getField(tunable.name);
    bool isFixed = field == "sum_block" || field == "dim" ||
                   field == "tile_rows" || field == "tile_columns";
    // Lanes of 1 stand where there is nothing to vectorize.
    bool isNone = tunable.value <= 1 && (field == "along" || field == "beside");
    if (isFixed || isNone)
      continue;
    auto change = [&](int64_t value) {
      neighbours.push_back(std::string(schedule).replace(
          tunable.begin, tunable.length, std::to_string(value)));
    };
    if (tunable.value <= INT64_MAX / 2)
      change(2 * tunable.value);
    if (tunable.value > 1)
      change(tunable.value / 2);
  }
  return neighbours;
}
