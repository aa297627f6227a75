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
#include "common/Work.h"

#include "kiln/Base/FileSystem.h"

#include <algorithm>
#include <chrono>
#include <iostream>

using namespace kiln;
using namespace kiln::run;
using tools::Work;
using Clock = std::chrono::steady_clock;

/// The `index`-th iteration.
static Status callAll(session::Session &session, bool training,
                      const std::vector<TimedCall> &calls, size_t index) {
  for (const TimedCall &call : calls) {
    const auto &inputs = call.sets[index % call.sets.size()];
    if (training) {
      auto result = session.callTraining(inputs, call.tangents);
      if (!result)
        return result.takeError();
    } else if (auto result = session.call(inputs); !result) {
      return result.takeError();
    }
  }
  return Status::success();
}

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<std::vector<double>> run::timeCalls(session::Session &session,
                                           bool training,
                                           const std::vector<TimedCall> &calls,
                                           unsigned count) {
  std::vector<double> seconds;
  seconds.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    auto begin = Clock::now();
    if (Status s = callAll(session, training, calls, i); !s)
      return s.takeError();
    if (session.device())
      if (Status s = session.device()->synchronize(); !s)
        return s.takeError();
    seconds.push_back(secondsSince(begin));
  }
  return seconds;
}

/// Seconds of the device for `count` iterations, while nobody waits in between.
/// `queueing` is what it takes to ask for them.
static Result<double> timeQueued(session::Session &session, bool training,
                                 const std::vector<TimedCall> &calls,
                                 size_t first, size_t count, double queueing) {
  runtime::Device &device = *session.device();
  // A call that waits for the device by itself ends the hold by its length.
  auto gate = device.hold(std::min(0.1, 2 * queueing + 1e-4));
  if (!gate)
    return gate.takeError();
  auto begin = device.record();
  if (!begin)
    return begin.takeError();
  for (size_t i = 0; i < count; ++i)
    if (Status s = callAll(session, training, calls, first + i); !s)
      return s.takeError();
  auto end = device.record();
  if (!end)
    return end.takeError();
  gate->reset();
  if (Status s = (*end)->wait(); !s)
    return s.takeError();
  return (*end)->secondsSince(**begin);
}

namespace {
struct DeviceTimes {
  std::vector<double> seconds; ///< of an iteration, for each batch of them
  size_t iterations = 0;
};
} // namespace

static Result<DeviceTimes> timeOnDevice(session::Session &session,
                                        bool training,
                                        const std::vector<TimedCall> &calls,
                                        size_t count) {
  runtime::Device &device = *session.device();
  if (Status s = device.synchronize(); !s)
    return s.takeError();
  uint64_t before = device.stats().launches;
  auto begin = Clock::now();
  if (Status s = callAll(session, training, calls, 0); !s)
    return s.takeError();
  double queueing = secondsSince(begin);
  uint64_t launches = std::max<uint64_t>(device.stats().launches - before, 1);
  if (Status s = device.synchronize(); !s)
    return s.takeError();
  // A stream takes about a thousand launches before who asks has to wait.
  constexpr uint64_t kQueued = 500;
  constexpr size_t kMostTogether = 20;
  size_t together = std::max<size_t>(
      1, std::min<size_t>({count, kMostTogether, size_t(kQueued / launches)}));
  DeviceTimes times;
  // No more than were asked for: each makes the card warmer for those behind it.
  for (; times.iterations + together <= count; times.iterations += together) {
    auto spent = timeQueued(session, training, calls, times.iterations + 1,
                            together, queueing * double(together));
    if (!spent)
      return spent.takeError();
    times.seconds.push_back(*spent / double(together));
  }
  return times;
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

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

Status run::printBenchmark(const session::Session &session,
                           std::vector<double> seconds,
                           const std::string &ioPath) {
  std::sort(seconds.begin(), seconds.end());
  double median = seconds[seconds.size() / 2];
  std::printf("median %.3f us, minimum %.3f us of %zu iterations\n",
              median * 1e6, seconds.front() * 1e6, seconds.size());
  Work work;
  if (!ioPath.empty()) {
    auto expected = readLimits(ioPath);
    if (!expected)
      return expected.takeError();
    if (*expected)
      work = **expected;
  }
  if (work.bytes == 0)
    work = tools::getWork(session.lastVariant().package());
  if (work.bytes == 0 && work.operations == 0)
    return Status::success();
  // The limits of a GPU are not known: its share of them is left out.
  runtime::MachineLimits limits;
  if (!session.device())
    limits = tools::getMachine(session.options().cache, session.threads());
  std::string rate = tools::describeRate(work, median, limits);
  std::printf("%s\n", rate.c_str());
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
    // The device first: behind many calls its clock may be lower.
    constexpr int64_t kMostOnDevice = 40;
    DeviceTimes onDevice;
    if (session.device() && *count > 0) {
      auto times =
          timeOnDevice(session, training, calls,
                       static_cast<size_t>(std::min(*count, kMostOnDevice)));
      if (!times)
        return times.takeError();
      onDevice = std::move(*times);
    }
    auto seconds =
        timeCalls(session, training, calls, static_cast<unsigned>(*count));
    if (!seconds)
      return seconds.takeError();
    tools::JsonWriter json;
    json.beginObject().key("seconds").beginArray();
    for (double value : *seconds)
      json.real(value);
    json.endArray();
    if (onDevice.iterations > 0) {
      json.key("device_seconds").beginArray();
      for (double value : onDevice.seconds)
        json.real(value);
      json.endArray();
      json.key("device_calls")
          .number(int64_t(onDevice.iterations * calls.size()));
    }
    json.key("ok").flag(true).endObject();
    std::puts(json.str().c_str());
    std::fflush(stdout);
  }
  return Status::success();
}
