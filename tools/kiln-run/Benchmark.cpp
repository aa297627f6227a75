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
    if (session.device())
      if (Status s = session.device()->synchronize(); !s)
        return s.takeError();
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

/// Seconds of the device from the first of `count` rounds of calls to the last, which
/// are queued without waiting, divided by their number.
static Result<double> timeOnDevice(session::Session &session, bool training,
                                   const std::vector<TimedCall> &calls,
                                   unsigned count) {
  auto begin = session.device()->record();
  if (!begin)
    return begin.takeError();
  for (unsigned i = 0; i < count; ++i)
    for (const TimedCall &call : calls)
      if (Status s = callOnce(session, training, call); !s)
        return s.takeError();
  auto end = session.device()->record();
  if (!end)
    return end.takeError();
  if (Status s = (*end)->wait(); !s)
    return s.takeError();
  auto seconds = (*end)->secondsSince(**begin);
  return seconds ? Result<double>(*seconds / count) : seconds;
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
    auto limits = readLimits(ioPath);
    if (!limits)
      return limits.takeError();
    if (*limits)
      work = **limits;
  }
  if (work.bytes == 0)
    work = tools::getWork(session.lastVariant().package());
  if (work.bytes == 0 && work.operations == 0)
    return Status::success();
  std::string rate = tools::describeRate(
      work, median,
      tools::getMachine(session.options().cache, session.threads()));
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
    auto seconds =
        timeCalls(session, training, calls, static_cast<unsigned>(*count));
    if (!seconds)
      return seconds.takeError();
    tools::JsonWriter json;
    json.beginObject().key("seconds").beginArray();
    for (double value : *seconds)
      json.real(value);
    json.endArray();
    if (session.device() && *count > 0) {
      auto onDevice = timeOnDevice(session, training, calls,
                                   static_cast<unsigned>(*count));
      if (!onDevice)
        return onDevice.takeError();
      json.key("device_seconds").beginArray().real(*onDevice).endArray();
      json.key("device_calls").number(*count * int64_t(calls.size()));
    }
    json.key("ok").flag(true).endObject();
    std::puts(json.str().c_str());
    std::fflush(stdout);
  }
  return Status::success();
}
