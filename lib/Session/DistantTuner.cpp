//===- DistantTuner.cpp - A tuner on the other side of a pipe -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DistantTuner.h"

#include "CompilerMessages.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::session;
using package::Trial;

// Messages of the copy; a text is its length and its bytes, a list its length and its
// elements:
//   speed:    nothing; the reply is two f64
//   find:     32 bytes of key, u8 subject; the reply is a list of texts
//   keep:     32 bytes of key, text
//   measure:  text, list of packages, list of symbols (text, i64), i64 above all
//             integers, f64 seconds, f64 gain, u8 subject; the reply is a list of
//             trials (f64, text, u8 is it passing)
//   progress: text, u32 done, u32 all

namespace {
/// One message, written in one go.
struct Message {
  void text(std::string_view text) {
    writer.u64(text.size());
    writer.text(text);
  }
  void digest(const Digest &digest) { writeDigest(writer, digest); }
  std::vector<uint8_t> bytes;
  ByteWriter writer{bytes};
};
} // namespace

static std::string readText(ByteReader &reader) {
  return std::string(reader.text(reader.u64()));
}

static package::TuningSubject readSubject(ByteReader &reader) {
  return reader.u8() == static_cast<uint8_t>(package::TuningSubject::Program)
             ? package::TuningSubject::Program
             : package::TuningSubject::Kernel;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

package::MachineSpeed DistantTuner::speed() {
  std::vector<uint8_t> reply = parent_.ask(kMachineSpeed, ByteView());
  ByteReader reader(reply);
  package::MachineSpeed speed;
  speed.bytesPerSecond = reader.f64();
  speed.flopsPerSecond = reader.f64();
  return speed;
}

std::vector<std::string> DistantTuner::find(const Digest &key,
                                            package::TuningSubject subject) {
  Message message;
  message.digest(key);
  message.writer.u8(static_cast<uint8_t>(subject));
  std::vector<uint8_t> reply = parent_.ask(kFindConfigs, message.bytes);
  ByteReader reader(reply);
  std::vector<std::string> texts;
  for (uint64_t count = reader.u64(); count > 0 && reader.ok(); --count)
    texts.push_back(readText(reader));
  return texts;
}

void DistantTuner::keep(const Digest &key, const std::string &config) {
  Message message;
  message.digest(key);
  message.text(config);
  parent_.tell(kKeepConfig, message.bytes);
}

std::vector<Trial>
DistantTuner::measure(const std::string &kernel,
                      const std::vector<std::vector<uint8_t>> &packages,
                      const package::TrialInputs &inputs) {
  Message message;
  message.text(kernel);
  message.writer.u64(packages.size());
  for (const std::vector<uint8_t> &package : packages)
    message.text(ByteView(package).text());
  message.writer.u64(inputs.symbols.size());
  for (const auto &[name, value] : inputs.symbols) {
    message.text(name);
    message.writer.i64(value);
  }
  message.writer.i64(inputs.integersBelow);
  message.writer.f64(inputs.maxSeconds);
  message.writer.f64(inputs.gain);
  message.writer.u8(static_cast<uint8_t>(inputs.subject));
  std::vector<uint8_t> reply = parent_.ask(kMeasure, message.bytes);
  ByteReader reader(reply);
  std::vector<Trial> trials;
  for (uint64_t count = reader.u64(); count > 0 && reader.ok(); --count) {
    Trial trial;
    trial.nanoseconds = reader.f64();
    trial.failure = readText(reader);
    trial.isPassing = reader.u8() != 0;
    trials.push_back(std::move(trial));
  }
  return trials;
}

void DistantTuner::progress(const std::string &kernel, unsigned done,
                            unsigned all) {
  Message message;
  message.text(kernel);
  message.writer.u32(done);
  message.writer.u32(all);
  parent_.tell(kTuningProgress, message.bytes);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

static std::vector<uint8_t> measureFor(package::KernelTuner &tuner,
                                       ByteReader &reader) {
  std::string kernel = readText(reader);
  std::vector<std::vector<uint8_t>> packages;
  for (uint64_t count = reader.u64(); count > 0 && reader.ok(); --count) {
    ByteView package = reader.bytes(reader.u64());
    packages.emplace_back(package.begin(), package.end());
  }
  package::TrialInputs inputs;
  for (uint64_t count = reader.u64(); count > 0 && reader.ok(); --count) {
    std::string name = readText(reader);
    inputs.symbols.push_back({name, reader.i64()});
  }
  inputs.integersBelow = reader.i64();
  inputs.maxSeconds = reader.f64();
  inputs.gain = reader.f64();
  inputs.subject = readSubject(reader);
  std::vector<Trial> trials;
  if (reader.ok())
    trials = tuner.measure(kernel, packages, inputs);
  Message reply;
  reply.writer.u64(trials.size());
  for (const Trial &trial : trials) {
    reply.writer.f64(trial.nanoseconds);
    reply.text(trial.failure);
    reply.writer.u8(trial.isPassing);
  }
  return std::move(reply.bytes);
}

std::optional<std::vector<uint8_t>>
session::answerTuner(package::KernelTuner &tuner, uint8_t tag,
                     ByteView message) {
  ByteReader reader(message);
  Message reply;
  switch (tag) {
  case kMachineSpeed: {
    package::MachineSpeed speed = tuner.speed();
    reply.writer.f64(speed.bytesPerSecond);
    reply.writer.f64(speed.flopsPerSecond);
    break;
  }
  case kFindConfigs: {
    Digest key = readDigest(reader);
    std::vector<std::string> texts = tuner.find(key, readSubject(reader));
    reply.writer.u64(texts.size());
    for (const std::string &text : texts)
      reply.text(text);
    break;
  }
  case kKeepConfig: {
    Digest key = readDigest(reader);
    std::string config = readText(reader);
    if (reader.ok())
      tuner.keep(key, config);
    break;
  }
  case kMeasure:
    return measureFor(tuner, reader);
  case kTuningProgress: {
    std::string kernel = readText(reader);
    unsigned done = reader.u32();
    tuner.progress(kernel, done, reader.u32());
    break;
  }
  default:
    return std::nullopt;
  }
  return std::move(reply.bytes);
}
