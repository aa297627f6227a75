//===- Tally.cpp - What came of cases -------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tally.h"

#include <algorithm>
#include <cctype>
#include <set>

using namespace kiln;
using namespace kiln::check;

/// A failure without what is its case's alone: the name before the first colon,
/// numbers, what stands in quotes.
static std::string getCause(const std::string &text) {
  size_t start = text.find(": ");
  start = start == std::string::npos ? 0 : start + 2;
  std::string cause;
  bool isQuoted = false;
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == '\'')
      isQuoted = !isQuoted;
    else if (isQuoted)
      continue;
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      cause += text[i];
      continue;
    }
    cause += 'N';
    i = std::min(text.find_first_not_of("0123456789.e+-", i), text.size()) - 1;
  }
  return cause;
}

void Tally::add(const Outcome &outcome) {
  compileSeconds += outcome.compileSeconds;
  runSeconds += outcome.runSeconds;
  for (const std::string &fallback : outcome.fallbacks)
    ++fallbacks[fallback];
  for (const auto &[stage, spent] : outcome.stages)
    stages[stage] += spent;
  withFallbacks += !outcome.fallbacks.empty();
  withLaunches += outcome.launches != 0;
  launches += outcome.launches;
  withSymbols += outcome.hasSymbols;
  withFixedSizes += !outcome.fixedSizes.empty();
  atOtherSizes += outcome.ranOtherSizes;
  for (const std::string &reason : std::set<std::string>(
           outcome.fixedSizes.begin(), outcome.fixedSizes.end()))
    ++fixedSizes[reason];
  switch (outcome.kind) {
  case Outcome::Passed:
    ++passed;
    break;
  case Outcome::Unreadable:
    unreadable = outcome.text;
    [[fallthrough]];
  case Outcome::Failed:
    ++causes[getCause(outcome.text)];
    if (failed++ == 0)
      firstFailure = outcome.text;
    else
      laterFailures.push_back(outcome.text);
    break;
  case Outcome::Unsupported:
    ++causes[getCause(outcome.text)];
    if (unsupported++ == 0)
      firstUnsupported = outcome.text;
    break;
  case Outcome::NotApplicable:
    ++notApplicable;
    if (!outcome.text.empty())
      noise.push_back(outcome.text);
    break;
  case Outcome::Refused:
    ++refused;
    break;
  }
}

void Tally::settle() {
  (passed != 0 || unsupported == 0 ? passed : unsupported) += refused;
  refused = 0;
}

void Tally::add(const Tally &other) {
  passed += other.passed;
  failed += other.failed;
  unsupported += other.unsupported;
  notApplicable += other.notApplicable;
  compileSeconds += other.compileSeconds;
  runSeconds += other.runSeconds;
  for (const auto &[fallback, count] : other.fallbacks)
    fallbacks[fallback] += count;
  for (const auto &[stage, spent] : other.stages)
    stages[stage] += spent;
  for (const auto &[reason, count] : other.fixedSizes)
    fixedSizes[reason] += count;
  for (const auto &[cause, count] : other.causes)
    causes[cause] += count;
  withFallbacks += other.withFallbacks;
  withLaunches += other.withLaunches;
  launches += other.launches;
  withSymbols += other.withSymbols;
  withFixedSizes += other.withFixedSizes;
  atOtherSizes += other.atOtherSizes;
}

static std::string countsOf(const Tally &tally) {
  return std::to_string(tally.passed) + " passed, " +
         std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.unsupported) + " unsupported, " +
         std::to_string(tally.notApplicable) + " not applicable";
}

void check::print(std::FILE *out, const Item &item, const Tally &tally,
                  bool listFailures) {
  unsigned cases = tally.passed + tally.failed + tally.unsupported +
                   tally.notApplicable;
  if (cases == 1)
    std::fprintf(out, "%s: %s\n", item.name.c_str(),
                tally.passed        ? "passed"
                : tally.failed      ? "failed"
                : tally.unsupported ? "unsupported"
                                    : "not applicable");
  else
    std::fprintf(out, "%s: %s\n", item.name.c_str(), countsOf(tally).c_str());
  if (!tally.firstFailure.empty())
    std::fprintf(out, "  failed: %s\n", tally.firstFailure.c_str());
  if (listFailures)
    for (const std::string &text : tally.laterFailures)
      std::fprintf(out, "  failed: %s\n", text.c_str());
  if (!tally.firstUnsupported.empty())
    std::fprintf(out, "  unsupported: %s\n", tally.firstUnsupported.c_str());
  for (const std::string &text : tally.noise)
    std::fprintf(out, "  not applicable: %s\n", text.c_str());
  for (const auto &[reason, count] : tally.fixedSizes)
    std::fprintf(out, "  fixed sizes in %u: %s\n", count, reason.c_str());
  std::fflush(out);
}

void check::writeTally(tools::JsonWriter &json, const Tally &tally,
                       bool isDynamic) {
  json.key("passed").number(tally.passed);
  json.key("failed").number(tally.failed);
  json.key("unsupported").number(tally.unsupported);
  json.key("not_applicable").number(tally.notApplicable);
  json.key("with_fallbacks").number(tally.withFallbacks);
  json.key("with_launches").number(tally.withLaunches);
  json.key("launches").number(tally.launches);
  json.key("compile_s").real(tally.compileSeconds);
  json.key("run_s").real(tally.runSeconds);
  json.key("fallback_ops").beginObject();
  for (const auto &[fallback, count] : tally.fallbacks)
    json.key(fallback).number(count);
  json.endObject();
  json.key("stages_ms").beginObject();
  for (const auto &[stage, spent] : tally.stages)
    json.key(stage).real(spent);
  json.endObject();
  if (!isDynamic)
    return;
  json.key("with_symbols").number(tally.withSymbols);
  json.key("with_fixed_sizes").number(tally.withFixedSizes);
  json.key("at_other_sizes").number(tally.atOtherSizes);
  json.key("fixed_sizes").beginObject();
  for (const auto &[reason, count] : tally.fixedSizes)
    json.key(reason).number(count);
  json.endObject();
}

/// The most frequent of some texts, with how often.
static void printMost(std::FILE *out, const char *title,
                      const std::map<std::string, unsigned> &counts) {
  if (counts.empty())
    return;
  std::vector<std::pair<std::string, unsigned>> most(counts.begin(),
                                                     counts.end());
  std::sort(most.begin(), most.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  constexpr size_t kMost = 40;
  std::fprintf(out, "%s\n", title);
  for (size_t i = 0; i < most.size() && i < kMost; ++i)
    std::fprintf(out, "  %6u x %s\n", most[i].second, most[i].first.c_str());
  if (most.size() > kMost)
    std::fprintf(out, "  and %zu more\n", most.size() - kMost);
}

void check::printTotal(std::FILE *out, const Tally &total, bool isDynamic) {
  printMost(out, "left to functions, in how many cases:", total.fallbacks);
  printMost(out, "failed or unsupported, by cause:", total.causes);
  for (const auto &[stage, spent] : total.stages)
    std::fprintf(out, "  %-18s %9.2f s\n", stage.c_str(), spent / 1000);
  if (isDynamic)
    std::fprintf(out,
                 "dynamic: %u with symbols, %u with some sizes fixed, %u also "
                 "at other sizes\n",
                 total.withSymbols, total.withFixedSizes, total.atOtherSizes);
  std::fprintf(out, "launches: %llu kernels in %u cases\n",
               static_cast<unsigned long long>(total.launches),
               total.withLaunches);
  std::fprintf(out, "time: %.2f s compiling, %.2f s running\n",
               total.compileSeconds, total.runSeconds);
  std::fprintf(out, "%s, %u with fallbacks\n", countsOf(total).c_str(),
               total.withFallbacks);
}
