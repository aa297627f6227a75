//===- Benchmark.cpp - Timing calls ---------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"

#include "common/CommandLine.h"
#include "common/JsonWriter.h"

#include "kiln/Base/FileSystem.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>

using namespace kiln;
using namespace kiln::run;
using Clock = std::chrono::steady_clock;

static Status callOnce(session::Session &session, bool training,
                       const TimedCall &call) {
  if (training) {
    auto result = session.callTraining(*call.inputs, call.tangents);
    return result ? Status::success() : Status(result.takeError());
  }
  auto result = session.call(*call.inputs);
  return result ? Status::success() : Status(result.takeError());
}

Result<std::vector<double>> run::timeCalls(session::Session &session,
                                           bool training,
                                           const std::vector<TimedCall> &calls,
                                           unsigned count) {
  std::vector<double> seconds;
  seconds.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    auto begin = Clock::now();
    for (const TimedCall &call : calls)
      if (Status s = callOnce(session, training, call); !s)
        return s.takeError();
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

namespace {
/// What no implementation can avoid, for one iteration.
struct Work {
  double bytes = 0;
  double operations = 0;
};
} // namespace

/// `limits` of an io.json, if it has them.
static Result<std::optional<Work>> readLimits(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  archive::JsonLimits limits;
  limits.quoteNonFinite = true;
  auto document =
      archive::parseJson(ByteView(*text).text(), "'" + path + "'", limits);
  if (!document)
    return document.takeError();
  archive::JsonView view = document->root().optional("limits");
  if (view.isNull())
    return std::optional<Work>();
  Work work;
  work.bytes = view.field("bytes_read").asDouble() +
               view.field("bytes_written").asDouble();
  work.operations = view.field("flops").asDouble();
  if (Status s = document->status(); !s)
    return s.takeError();
  return std::optional<Work>(work);
}

/// Bytes per second of copying a working set of about this size.
static double copyBandwidth(size_t bytes, unsigned threads) {
  size_t part = std::clamp<size_t>(bytes / 2 / threads, 64 << 10, 64 << 20);
  double best = 0;
  std::vector<std::vector<char>> from(threads), to(threads);
  for (unsigned t = 0; t < threads; ++t) {
    from[t].assign(part, 1);
    to[t].assign(part, 2);
  }
  unsigned repeats = static_cast<unsigned>(
      std::clamp<size_t>((size_t(64) << 20) / part, 1, 2000));
  for (unsigned round = 0; round < 5; ++round) {
    auto copy = [&](unsigned t) {
      for (unsigned r = 0; r < repeats; ++r) {
        std::memcpy(to[t].data(), from[t].data(), part);
        // The copy must not be optimized away.
        asm volatile("" : : "r"(to[t].data()) : "memory");
      }
    };
    auto begin = Clock::now();
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t)
      others.emplace_back(copy, t);
    copy(0);
    for (std::thread &other : others)
      other.join();
    std::chrono::duration<double> spent = Clock::now() - begin;
    best = std::max(best, 2.0 * double(part) * repeats * threads /
                              spent.count());
  }
  return best;
}

Status run::printBenchmark(const session::Session &session,
                           std::vector<double> seconds,
                           const std::string &ioPath) {
  std::sort(seconds.begin(), seconds.end());
  double median = seconds[seconds.size() / 2];
  std::printf("median %.3f us, minimum %.3f us of %zu iterations\n",
              median * 1e6, seconds.front() * 1e6, seconds.size());
  Work work;
  if (!ioPath.empty()) {
    auto limits = readLimits(ioPath);
    if (!limits)
      return limits.takeError();
    if (*limits)
      work = **limits;
  }
  if (work.bytes == 0) {
    const package::Facts &facts = session.lastVariant().package().facts;
    work.bytes = double(facts.bytesRead) + double(facts.bytesWritten);
  }
  if (work.bytes == 0)
    return Status::success();
  std::printf("%.3g bytes/s", work.bytes / median);
  if (work.operations != 0)
    std::printf(", %.3g flop/s", work.operations / median);
  double bandwidth =
      copyBandwidth(static_cast<size_t>(work.bytes), session.threads());
  std::printf(", %.0f %% of the time that %.3g bytes/s of copying allow\n",
              100 * work.bytes / bandwidth / median, bandwidth);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Serving
//===----------------------------------------------------------------------===//

Status run::serve(session::Session &session, bool training,
                  const std::vector<TimedCall> &calls) {
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty())
      continue;
    if (line.compare(0, 5, "time ") != 0)
      return Error::usage("found '" + line + "' on standard input, expected "
                          "'time N'");
    auto count = tools::parseInteger("time", line.substr(5), 0, 100000000);
    if (!count)
      return count.takeError();
    auto seconds =
        timeCalls(session, training, calls, static_cast<unsigned>(*count));
    if (!seconds)
      return seconds.takeError();
    tools::JsonWriter json;
    json.beginObject().key("seconds").beginArray();
    for (double value : *seconds)
      json.real(value);
    json.endArray().key("ok").flag(true).endObject();
    std::puts(json.str().c_str());
    std::fflush(stdout);
  }
  return Status::success();
}
