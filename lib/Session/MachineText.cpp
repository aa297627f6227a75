//===- MachineText.cpp - Limits of a machine as text ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/MachineText.h"

#include "kiln/Archive/JsonReader.h"

#include <charconv>

using namespace kiln;
using namespace kiln::session;
using runtime::MachineLimits;

/// No machine has more threads, bytes of cache, bytes or operations in a second.
static constexpr int64_t kMaxThreads = 1 << 20, kMaxBytes = int64_t(1) << 40;
static constexpr double kMaxRate = 1e18;

namespace {
struct Size {
  const char *key;
  int64_t MachineLimits::*value;
};
struct Rate {
  const char *key;
  double MachineLimits::*value;
  bool isOptional;
};
} // namespace

static constexpr Size kSizes[] = {
    {"l1_bytes", &MachineLimits::l1Bytes},
    {"l2_bytes", &MachineLimits::l2Bytes},
    {"l3_bytes", &MachineLimits::l3Bytes},
};
static constexpr Rate kRates[] = {
    {"memory_bytes_per_second", &MachineLimits::memoryBytesPerSecond, false},
    {"cache_bytes_per_second", &MachineLimits::cacheBytesPerSecond, false},
    {"read_bytes_per_second", &MachineLimits::readBytesPerSecond, false},
    {"f32_flops_per_second", &MachineLimits::f32FlopsPerSecond, false},
    {"bf16_flops_per_second", &MachineLimits::bf16FlopsPerSecond, true},
};

std::string session::printLimits(const MachineLimits &limits) {
  std::string text =
      "{\"processor\":" + archive::jsonQuote(limits.processor) +
      ",\"threads\":" + std::to_string(limits.threads);
  auto add = [&](const char *key, const std::string &value) {
    text += std::string(",\"") + key + "\":" + value;
  };
  for (const Size &size : kSizes)
    add(size.key, std::to_string(limits.*size.value));
  for (const Rate &rate : kRates) {
    char digits[32];
    char *end = std::to_chars(digits, digits + sizeof(digits),
                              limits.*rate.value, std::chars_format::general, 6)
                    .ptr;
    add(rate.key, std::string(digits, end));
  }
  return text + "}";
}

Result<MachineLimits> session::parseLimits(const std::string &text) {
  archive::JsonLimits bounds;
  bounds.bytes = 64 << 10;
  bounds.depth = 2;
  bounds.nodes = 64;
  auto document = archive::parseJson(text, "limits of a machine", bounds);
  if (!document)
    return document.takeError();
  archive::JsonView root = document->root();
  MachineLimits limits;
  limits.processor = root.field("processor").asString();
  limits.threads =
      static_cast<unsigned>(root.field("threads").asInt(1, kMaxThreads));
  for (const Size &size : kSizes)
    limits.*size.value = root.field(size.key).asInt(0, kMaxBytes);
  for (const Rate &rate : kRates) {
    archive::JsonView field = root.field(rate.key);
    double value = field.asDouble();
    bool isNone = rate.isOptional && value == 0;
    if (root.ok() && !isNone && !(value > 0 && value < kMaxRate))
      field.fail("expected a positive rate");
    limits.*rate.value = value;
  }
  if (Status s = document->status(); !s)
    return s.takeError();
  return limits;
}
