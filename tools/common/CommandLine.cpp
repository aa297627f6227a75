//===- CommandLine.cpp - Flags of the tools -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::tools;

void CommandLine::flag(const std::string &name, bool &target) {
  flag(name, [&target] {
    target = true;
    return Status::success();
  });
}

void CommandLine::flag(const std::string &name,
                       std::function<Status()> handler) {
  flags_[name] = {Flag::Value::None,
                  [handler](const std::string &) { return handler(); }};
}

void CommandLine::value(const std::string &name, Handler handler) {
  flags_[name] = {Flag::Value::Required, std::move(handler)};
}

void CommandLine::value(const std::string &name, std::string &target) {
  value(name, [&target](const std::string &text) {
    target = text;
    return Status::success();
  });
}

void CommandLine::optionalValue(const std::string &name, Handler handler) {
  flags_[name] = {Flag::Value::Optional, std::move(handler)};
}

void CommandLine::choice(const std::string &name,
                         std::vector<std::string> words, std::string &target) {
  value(name, [name, words, &target](const std::string &text) -> Status {
    target = text;
    if (std::find(words.begin(), words.end(), text) != words.end())
      return Status::success();
    std::string known;
    for (const std::string &word : words)
      known += (known.empty() ? "" : ", ") + word;
    return Error::usage("--" + name + "=" + text + ": expected one of " +
                        known);
  });
}
void CommandLine::family(const std::string &prefix, Handler handler) {
  families_.emplace_back(prefix, std::move(handler));
}

void CommandLine::refused(const std::string &name, const std::string &reason) {
  optionalValue(name, [name, reason](const std::string &) -> Status {
    return Error::unsupported("--" + name + ": " + reason);
  });
}

/// How many letters must change to get from one word to the other.
static size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

std::string CommandLine::nearest(const std::string &name) const {
  std::string best;
  size_t least = std::max<size_t>(name.size() / 3, 1) + 1;
  for (const auto &[known, flag] : flags_)
    if (size_t d = distance(name, known); d < least) {
      least = d;
      best = known;
    }
  return best;
}

Status CommandLine::parse(int argc, char **argv) {
  bool onlyPositional = false;
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    if (!onlyPositional &&
        (text == "-h" || text == "--help" || text == "-help")) {
      wantsHelp_ = true;
      return Status::success();
    }
    if (!onlyPositional && (text == "--version" || text == "-version")) {
      wantsVersion_ = true;
      return Status::success();
    }
    if (onlyPositional || text.size() < 2 || text[0] != '-') {
      positional_.push_back(std::move(text));
      continue;
    }
    if (text == "--") {
      onlyPositional = true;
      continue;
    }
    size_t begin = text[1] == '-' ? 2 : 1;
    size_t equals = text.find('=');
    bool hasValue = equals != std::string::npos;
    std::string name =
        text.substr(begin, hasValue ? equals - begin : std::string::npos);
    std::string given = hasValue ? text.substr(equals + 1) : "";
    auto it = flags_.find(name);
    auto family = std::find_if(
        families_.begin(), families_.end(), [&](const auto &candidate) {
          return name.compare(0, candidate.first.size(), candidate.first) == 0;
        });
    if (it == flags_.end() && family != families_.end()) {
      if (Status s = family->second(text); !s)
        return s;
      continue;
    }
    if (it == flags_.end()) {
      std::string near = nearest(name);
      return Error::usage("unknown flag '" + text + "'" +
                          (near.empty() ? ", expected one of those of --help"
                                        : ", did you mean --" + near + "?"));
    }
    const Flag &flag = it->second;
    if (hasValue && flag.takes == Flag::Value::None)
      return Error::usage("--" + name + " takes no value, found '" + given +
                          "'");
    if (!hasValue && flag.takes == Flag::Value::Required) {
      if (i + 1 >= argc)
        return Error::usage("--" + name + " needs a value: --" + name + "=...");
      given = argv[++i];
    }
    if (Status s = flag.handler(given); !s)
      return s;
  }
  return Status::success();
}

Result<int64_t> tools::parseInteger(const std::string &flag,
                                    const std::string &text, int64_t low,
                                    int64_t high) {
  errno = 0;
  char *end = nullptr;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != 0 || errno != 0 || value < low || value > high)
    return Error::usage(flag + "=" + text + ": expected an integer from " +
                        std::to_string(low) + " to " + std::to_string(high));
  return static_cast<int64_t>(value);
}

Result<double> tools::parseNumber(const std::string &flag,
                                  const std::string &text, double low,
                                  double high) {
  auto value = option::Number::parse(text, low, high);
  if (value)
    return *value;
  char range[64];
  std::snprintf(range, sizeof(range), "%g to %g", low, high);
  return Error::usage(flag + "=" + text + ": expected a number from " + range);
}
