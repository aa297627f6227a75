//===- Log.cpp - One sink for log lines ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warm start must cost microseconds, so the spdlog logger is made when the
// first line is written and not before.
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

using namespace kiln;
using namespace kiln::log;

static const std::vector<std::string_view> names = {
    "aot_graphs", "aot_joint_graph", "autotuning", "cache",      "cudagraphs",
    "dynamic",    "fusion",          "graph_breaks", "guards",   "memory",
    "output_code", "partition",      "perf_hints", "recompiles", "schedule",
    "timing",
};

namespace {

struct State {
  std::array<std::atomic<Level>, 32> threshold;
  std::mutex mutex;
  Sink sink;

  State() { reset(); }
  void reset() {
    for (auto &level : threshold)
      level.store(Level::Warning, std::memory_order_relaxed);
  }
};

} // namespace

static State &state() {
  static State instance;
  // Who forks does so while nobody writes: a copy of a mutex that another thread
  // holds is never unlocked.
  static const int guarded =
      ::pthread_atfork([] { instance.mutex.lock(); },
                       [] { instance.mutex.unlock(); },
                       [] { instance.mutex.unlock(); });
  (void)guarded;
  return instance;
}

static std::optional<size_t> indexOf(std::string_view category) {
  auto it = std::find(names.begin(), names.end(), category);
  if (it == names.end())
    return std::nullopt;
  return static_cast<size_t>(it - names.begin());
}

const std::vector<std::string_view> &log::categories() { return names; }

Status log::configure(std::string_view specification,
                      std::vector<std::string> *unknown) {
  std::array<Level, 32> wanted;
  wanted.fill(Level::Warning);
  size_t start = 0;
  while (start <= specification.size()) {
    size_t end = std::min(specification.find(',', start), specification.size());
    std::string_view word = specification.substr(start, end - start);
    start = end + 1;
    if (word.empty())
      continue;
    Level level = Level::Info;
    if (word[0] == '+' || word[0] == '-') {
      level = word[0] == '+' ? Level::Debug : Level::Error;
      word.remove_prefix(1);
    }
    if (word == "all") {
      wanted.fill(level);
      continue;
    }
    auto index = indexOf(word);
    if (!index && unknown) {
      unknown->push_back(std::string(word));
      continue;
    }
    if (!index) {
      std::string list;
      for (std::string_view name : names)
        list += (list.empty() ? "" : ", ") + std::string(name);
      return Error::usage("unknown log category '" + std::string(word) +
                          "', expected 'all' or one of " + list);
    }
    wanted[*index] = level;
  }
  for (size_t i = 0; i < wanted.size(); ++i)
    state().threshold[i].store(wanted[i], std::memory_order_relaxed);
  return Status::success();
}

bool log::isEnabled(std::string_view category, Level level) {
  auto index = indexOf(category);
  Level threshold =
      index ? state().threshold[*index].load(std::memory_order_relaxed)
            : Level::Warning;
  return level >= threshold;
}

void log::write(std::string_view category, Level level, std::string_view text) {
  if (!isEnabled(category, level))
    return;
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (s.sink) {
    s.sink(category, level, text);
    return;
  }
  // Made in place rather than in spdlog's registry, which an embedding program
  // may use for itself.
  static spdlog::logger logger = [] {
    spdlog::logger made("kiln",
                        std::make_shared<spdlog::sinks::stderr_sink_st>());
    made.set_pattern("%v");
    made.set_level(spdlog::level::trace);
    return made;
  }();
  static const char *const levelNames[] = {"", "", "warning: ", "error: "};
  logger.info("[{}] {}{}", category, levelNames[static_cast<int>(level)], text);
  logger.flush();
}

void log::setSink(Sink sink) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.sink = std::move(sink);
}
