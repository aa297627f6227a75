//===- BestConfig.cpp - The winner among schedules as text ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BestConfig.h"

#include "kiln/Archive/JsonReader.h"
#include "kiln/Base/Digest.h"
#include "kiln/Dialect/Loop/Transforms/ScheduleText.h"

#include <cmath>
#include <map>

using namespace kiln;
using namespace kiln::compiler;

/// Larger than any text that is written.
static constexpr uint64_t kMaxBytes = 64 << 10;
/// Largest number of a schedule.
static constexpr int64_t kMaxNumber = 1000000000;

std::string
compiler::hashConfigs(const std::vector<std::string> &candidates) {
  Hasher hasher;
  for (const std::string &candidate : candidates)
    hasher.addPart("candidate", ByteView(std::string_view(candidate)));
  return hasher.finish().hex();
}

/// What is no number of a schedule: candidates may differ in nothing else.
static std::string getWords(const std::string &schedule) {
  std::string words;
  size_t end = 0;
  for (const loop::Tunable &number : loop::getTunables(schedule)) {
    words += schedule.substr(end, number.begin - end);
    end = number.begin + number.length;
  }
  return words + schedule.substr(end);
}

/// No text that is quoted here needs to be escaped: words, digits, paths of words.
static std::string quote(std::string_view text) {
  return '"' + std::string(text) + '"';
}

static std::string
printObject(const std::map<std::string, std::string> &members) {
  std::string text;
  for (const auto &[key, value] : members)
    text += (text.empty() ? "{" : ",") + quote(key) + ":" + value;
  return text + "}";
}

/// The object that a `.best_config` is.
static Result<archive::JsonDocument> parseObject(const std::string &text) {
  archive::JsonLimits limits;
  limits.bytes = kMaxBytes;
  limits.depth = 4;
  limits.nodes = 4096;
  auto document = archive::parseJson(text, ".best_config", limits);
  if (document && !document->root().isObject())
    return Error::malformed(".best_config: expected an object");
  return document;
}

//===----------------------------------------------------------------------===//
// Of a kernel
//===----------------------------------------------------------------------===//

std::string
compiler::encodeBestConfig(const BestConfig &config,
                           const std::vector<std::string> &candidates) {
  std::map<std::string, std::string> members = {
      {"configs_hash", quote(hashConfigs(candidates))},
      {"default_ns", std::to_string(std::llround(config.defaultNanoseconds))},
      {"found_by_coordesc", config.byDescent ? "true" : "false"},
      {"kind", quote(loop::getScheduleKind(config.schedule))},
      {"num_stages", "1"},
      {"num_warps", "1"},
      {"time_ns", std::to_string(std::llround(config.nanoseconds))},
      {"time_taken_ms", std::to_string(int64_t(config.nanoseconds / 1e6))},
      {"triton_cache_hash", "null"},
      {"words", quote(getWords(config.schedule))}};
  for (const loop::Tunable &number : loop::getTunables(config.schedule))
    members[number.name] = std::to_string(number.value);
  return printObject(members);
}

/// The candidate with the numbers of `stored` in it, or nothing if the two do not
/// have the same numbers by name.
static std::optional<std::string>
setNumbers(const std::map<std::string, int64_t> &stored, std::string candidate) {
  std::vector<loop::Tunable> numbers = loop::getTunables(candidate);
  if (numbers.size() != stored.size())
    return std::nullopt;
  for (const loop::Tunable &number : numbers) {
    auto value = stored.find(number.name);
    if (value == stored.end())
      return std::nullopt;
    candidate = loop::setTunable(candidate, number.name, value->second);
  }
  return candidate;
}

Result<BestConfig>
compiler::decodeBestConfig(const std::string &text,
                           const std::vector<std::string> &candidates,
                           bool descends) {
  auto document = parseObject(text);
  if (!document)
    return document.takeError();
  archive::JsonView root = document->root();
  BestConfig config;
  std::string hash = root.field("configs_hash").asString();
  std::string kind = root.field("kind").asString();
  config.byDescent = root.field("found_by_coordesc").asBool();
  config.nanoseconds = double(root.field("time_ns").asInt(0));
  config.defaultNanoseconds = double(root.field("default_ns").asInt(0));
  root.field("num_warps").asInt(1, 1);
  root.field("num_stages").asInt(1, 1);
  std::map<std::string, int64_t> stored;
  std::optional<std::string> words;
  for (size_t i = 0; i < root.size() && document->status(); ++i) {
    const std::string &key = root.key(i);
    if (key == "words") {
      words = root.member(i).asString();
      continue;
    }
    if (key == "configs_hash" || key == "kind" || key == "found_by_coordesc" ||
        key == "time_ns" || key == "default_ns" || key == "time_taken_ms" ||
        key == "triton_cache_hash" || key == "num_warps" || key == "num_stages")
      continue;
    stored[key] = root.member(i).asInt(0, kMaxNumber);
  }
  if (Status s = document->status(); !s)
    return s.takeError();
  if (hash != hashConfigs(candidates))
    return Error::malformed(".best_config: found among other candidates");
  unsigned matches = 0;
  for (const std::string &candidate : candidates) {
    if (loop::getScheduleKind(candidate) != kind ||
        (words && *words != getWords(candidate)))
      continue;
    auto applied = setNumbers(stored, candidate);
    if (!applied || (!descends && *applied != candidate))
      continue;
    bool isNew = matches == 0 || config.schedule != *applied;
    matches += isNew;
    config.schedule = std::move(*applied);
  }
  if (matches != 1)
    return Error::malformed(".best_config: fits " + std::to_string(matches) +
                            " candidates, expected one");
  return config;
}

//===----------------------------------------------------------------------===//
// Of a program
//===----------------------------------------------------------------------===//

static constexpr std::string_view kProgramKind = "program";

std::string
compiler::encodeBestProgram(const BestProgram &best,
                            const std::vector<std::string> &choices) {
  std::string kept;
  for (bool isKept : best.kept)
    kept += isKept ? '1' : '0';
  return printObject(
      {{"configs_hash", quote(hashConfigs(choices))},
       {"default_ns", std::to_string(std::llround(best.defaultNanoseconds))},
       {"kept", quote(kept)},
       {"kind", quote(kProgramKind)},
       {"time_ns", std::to_string(std::llround(best.nanoseconds))}});
}

Result<BestProgram>
compiler::decodeBestProgram(const std::string &text,
                            const std::vector<std::string> &choices) {
  auto document = parseObject(text);
  if (!document)
    return document.takeError();
  archive::JsonView root = document->root();
  const std::string hash = root.field("configs_hash").asString(),
                    kind = root.field("kind").asString(),
                    kept = root.field("kept").asString();
  BestProgram best;
  best.nanoseconds = double(root.field("time_ns").asInt(0));
  best.defaultNanoseconds = double(root.field("default_ns").asInt(0));
  if (Status s = document->status(); !s)
    return s.takeError();
  if (kind != kProgramKind || hash != hashConfigs(choices))
    return Error::malformed(".best_config: found for other choices");
  if (kept.size() != choices.size() ||
      kept.find_first_not_of("01") != std::string::npos)
    return Error::malformed(".best_config: expected 0 or 1 for each of " +
                            std::to_string(choices.size()) +
                            " choices, found '" + kept + "'");
  for (char digit : kept)
    best.kept.push_back(digit == '1');
  return best;
}
