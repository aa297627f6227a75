//===- ProgramKey.cpp - What a compiled program depends on -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/ProgramKey.h"

#include "CompilerFiles.h"

#include "kiln/ABI/KernelABI.h"
#include "kiln/Base/Hex.h"
#include "kiln/Base/HostUnits.h"
#include "kiln/Runtime/KernelImage.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;
using cache::CacheKey;
using cache::CacheKeyBuilder;
using cache::KeyKind;
using cache::KeyTag;

/// Bumped when packages or entries change meaning in a way no version number
/// shows.
static constexpr uint64_t kFormatEpoch = 2;

std::string session::libraryFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&session::libraryFolder), &info) == 0 ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

/// Registers of the leaves by which LLVM knows a processor and its features,
/// without what differs between the cores of one; and what code for it depends on
/// besides.
static std::vector<cache::KeyPart> describeProcessor() {
  std::vector<cache::KeyPart> words;
  unsigned a = 0, b = 0, c = 0, d = 0;
  auto add = [&](const char *name, uint32_t value) {
    words.push_back({name, toHex(value)});
  };
  if (__get_cpuid(0, &a, &b, &c, &d)) {
    std::string vendor;
    for (unsigned word : {b, d, c})
      vendor.append(reinterpret_cast<const char *>(&word), sizeof(word));
    words.push_back({"vendor", vendor});
  }
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    add("model", a);
    // Bit 27 says what the system has turned on, see "usable".
    add("features 1c", c & ~(1u << 27));
    add("features 1d", d);
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    unsigned subleaves = a;
    add("features 7b", b);
    add("features 7c", c);
    add("features 7d", d);
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
      add("features 7.1a", a);
      add("features 7.1d", d);
    }
  }
  if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d))
    add("features d.1a", a);
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) {
    add("features 80000001c", c);
    add("features 80000001d", d);
  }
  if (__get_cpuid(0x80000008, &a, &b, &c, &d))
    add("features 80000008b", b);
  add("usable", runtime::hostCpuFeatures());
  // What else products are cut for (CPUTarget's "native"): processors of one model
  // may have more or less of a cache that they share, and a unit that is fast or slow.
  auto addSize = [&](const char *name, int which) {
    words.push_back({name, std::to_string(sysconf(which))});
  };
  addSize("processors", _SC_NPROCESSORS_ONLN);
  addSize("l1 bytes", _SC_LEVEL1_DCACHE_SIZE);
  addSize("l2 bytes", _SC_LEVEL2_CACHE_SIZE);
  addSize("l3 bytes", _SC_LEVEL3_CACHE_SIZE);
  words.push_back({"bf16 unit", getName(getFastestUnit())});
  return words;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

EnvironmentRecord session::currentEnvironment() {
  EnvironmentRecord record;
  record.formatEpoch = kFormatEpoch;
  record.buildIds = findBuildIds();
  record.processor = describeProcessor();
  record.kernelAbi = KILN_KERNEL_ABI_VERSION;
  return record;
}

CacheKey session::environmentKey(const EnvironmentRecord &record) {
  CacheKeyBuilder builder(KeyKind::Environment);
  builder.addNumber(KeyTag::FormatEpoch, "format epoch", record.formatEpoch);
  builder.addParts(KeyTag::BuildIds, "build id", record.buildIds);
  builder.addParts(KeyTag::Processor, "processor", record.processor);
  builder.addNumber(KeyTag::KernelAbi, "kernel abi", record.kernelAbi);
  return builder.finish();
}

const EnvironmentRecord &session::ownEnvironment() {
  static const EnvironmentRecord record = currentEnvironment();
  return record;
}

CacheKey session::compilerKey(const EnvironmentRecord &record) {
  CacheKeyBuilder builder(KeyKind::Environment);
  builder.addNumber(KeyTag::FormatEpoch, "format epoch", record.formatEpoch);
  builder.addParts(KeyTag::BuildIds, "build id", record.buildIds);
  return builder.finish();
}

static Status checkBuildIds(const EnvironmentRecord &record) {
  for (const cache::KeyPart &id : record.buildIds)
    if (id.value == "none")
      return Error::unsupported("nothing says which " + id.label +
                                " would compile: its library is not found, or "
                                "has no build id");
  return Status::success();
}

Result<CacheKey> session::ownEnvironmentKey() {
  if (Status s = checkBuildIds(ownEnvironment()); !s)
    return s.takeError();
  return environmentKey(ownEnvironment());
}

Result<CacheKey> session::ownCompilerKey() {
  if (Status s = checkBuildIds(ownEnvironment()); !s)
    return s.takeError();
  return compilerKey(ownEnvironment());
}

void session::addTuningThreads(CacheKeyBuilder &builder, unsigned threads) {
  builder.addNumber(KeyTag::Threads, "threads", threads);
}

void session::addTuningDevice(CacheKeyBuilder &builder,
                              const std::string &hardware) {
  builder.addText(KeyTag::Device, "device", hardware);
}

Digest session::portableEnvironment() {
  CacheKeyBuilder builder(KeyKind::Environment);
  builder.addText(KeyTag::FormatEpoch, "format epoch", "any");
  return builder.finish().digest;
}

/// What keys of a program and of its graphs have alike.
static Status addProgram(CacheKeyBuilder &builder,
                         const archive::Source &source,
                         const Result<std::string> &record,
                         const CacheKey &environment,
                         const std::string &nameSpace) {
  if (!record)
    return record.error();
  builder.addKey(KeyTag::EnvironmentId, environment);
  builder.addDigest(KeyTag::Source, "source", source.digest);
  if (source.program)
    builder.addText(KeyTag::Model, "model", source.program->model);
  builder.addLines(KeyTag::Options, "option", *record);
  if (!nameSpace.empty())
    builder.addText(KeyTag::Namespace, "namespace", nameSpace);
  return Status::success();
}

Result<CacheKey> session::jointKey(const archive::Source &source,
                                   const CompileOptions &options,
                                   const CacheKey &compiler,
                                   const std::string &nameSpace) {
  CacheKeyBuilder builder(KeyKind::Joint);
  if (Status s = addProgram(builder, source, options.graphRecord(), compiler,
                            nameSpace);
      !s)
    return s.takeError();
  builder.addLines(KeyTag::Specialization, "symbol",
                   options.specialization.text());
  return builder.finish();
}

Result<CacheKey> session::programKey(const archive::Source &source,
                                     const CompileOptions &options,
                                     const CacheKey &environment,
                                     const std::string &nameSpace,
                                     unsigned threads,
                                     const std::string &hardware) {
  CacheKeyBuilder builder(options.training ? KeyKind::AotAutograd
                                           : KeyKind::FxGraph);
  if (Status s = addProgram(builder, source, options.keyRecord(), environment,
                            nameSpace);
      !s)
    return s.takeError();
  if (options.isTuned() && hardware.empty())
    addTuningThreads(builder, threads);
  else if (options.isTuned())
    addTuningDevice(builder, hardware);
  return builder.finish();
}
