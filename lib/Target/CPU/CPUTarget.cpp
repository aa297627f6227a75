//===- CPUTarget.cpp - The processor that kernels are compiled for --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/CPU/CPUTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/TargetParser.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <unistd.h>

using namespace kiln;
using namespace kiln::target;
using llvm::StringRef;

static constexpr uint32_t kLevel3 = KILN_CPU_SSE42 | KILN_CPU_AVX2 |
                                    KILN_CPU_FMA | KILN_CPU_F16C |
                                    KILN_CPU_BMI2;
static constexpr uint32_t kLevel4 = kLevel3 | KILN_CPU_AVX512;

static constexpr StringRef kNames[] = {"native", "x86-64-v3", "x86-64-v4"};

static CPUTarget makeLevel(unsigned level) {
  CPUTarget target;
  target.name = "x86-64-v" + std::to_string(level);
  target.cpu = target.tuneCPU = target.name;
  if (level == 4) {
    target.vectorBits = 512;
    target.vectorRegisters = 32;
    target.featureBits = kLevel4;
    target.l2Bytes = 1u << 20;
    target.l3Bytes = target.streamBytes = 32u << 20;
    return target;
  }
  target.featureBits = kLevel3;
  return target;
}

/// The size sysconf reports for a cache, or `otherwise` where it knows none.
static uint64_t cacheBytes(int name, uint64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? static_cast<uint64_t>(bytes) : otherwise;
}

namespace {
/// Instructions beyond x86-64-v4, as LLVM calls them.
struct Extension {
  StringRef feature;
  kiln_cpu_feature bit;
};
} // namespace

static constexpr Extension kExtensions[] = {
    {"avx512bf16", KILN_CPU_AVX512_BF16},
    {"avx512vnni", KILN_CPU_AVX512_VNNI},
    {"amx-bf16", KILN_CPU_AMX},
};

static void extend(CPUTarget &target, const Extension &extension) {
  std::string feature = ("+" + extension.feature).str();
  target.name += feature;
  target.features += (target.features.empty() ? "" : ",") + feature;
  target.featureBits |= extension.bit;
}

static constexpr StringRef kExpected =
    "expected native, x86-64-v3 or x86-64-v4, the last with any of +avx512bf16, "
    "+avx512vnni and +amx-bf16";

/// x86-64-v4 with the extensions that stand behind it, each once.
static Result<CPUTarget> parseExtensions(StringRef name, StringRef text) {
  llvm::SmallVector<StringRef> wanted;
  text.split(wanted, '+');
  CPUTarget target = makeLevel(4);
  for (const Extension &extension : kExtensions) {
    auto found = llvm::find(wanted, extension.feature);
    if (found == wanted.end())
      continue;
    wanted.erase(found);
    extend(target, extension);
  }
  if (!wanted.empty())
    return Error::usage("unknown extension \"" + wanted.front().str() +
                        "\" of processor \"" + name.str() + "\", " +
                        kExpected.str());
  // Packages and their users find a variant by its name.
  if (target.name != name)
    return Error::usage("processor \"" + name.str() + "\" is called \"" +
                        target.name + "\"");
  if (target.hasFeature(KILN_CPU_AMX))
    target.bf16 = BF16Unit::Tiles;
  else if (target.hasFeature(KILN_CPU_AVX512_BF16))
    target.bf16 = BF16Unit::Pairs;
  return target;
}

/// What all threads together keep of a result until it is read: their second caches,
/// and of the third one a share that they can count on. Of AMD eight cores have one to
/// themselves. Of Intel's servers all cores have one, which takes what the second ones
/// evict, and the machine's other users have most of it, whatever size is reported.
/// Copies are faster past the caches from 4 MiB on with 2 threads of 1.25 MiB each (Ice
/// Lake), and from 32 to 64 MiB on with 16 of 2 MiB (Sapphire Rapids).
static uint64_t getStreamBytes(const CPUTarget &target, StringRef model) {
  uint64_t share =
      model.starts_with("znver") ? target.l3Bytes / 8 : target.l2Bytes;
  return target.threads * (target.l2Bytes + share);
}

static Result<CPUTarget> detectHost() {
  llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<StringRef> names) {
    for (StringRef name : names)
      if (!has.lookup(name))
        return false;
    return true;
  };
  if (!hasAll({"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}))
    return Error::unsupported(
        "this processor lacks AVX2, FMA or F16C, expected at least x86-64-v3");

  bool level4 = hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq",
                        "avx512vl"});
  CPUTarget target = makeLevel(level4 ? 4 : 3);
  if (level4)
    target.bf16 = getFastestUnit();
  for (const Extension &extension : kExtensions) {
    // The system may refuse what the processor has, and it is asked where it pays.
    bool isUseful = extension.bit != KILN_CPU_AMX ||
                    target.bf16 == BF16Unit::Tiles;
    if (level4 && has.lookup(extension.feature) && isUseful)
      extend(target, extension);
  }

  StringRef model = llvm::sys::getHostCPUName();
  if (!model.empty() && model != "generic")
    target.tuneCPU = model.str();
  target.threads = static_cast<unsigned>(
      std::max(sysconf(_SC_NPROCESSORS_ONLN), 2L));
  target.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, target.l1Bytes);
  target.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, target.l2Bytes);
  target.l3Bytes = cacheBytes(_SC_LEVEL3_CACHE_SIZE, target.l3Bytes);
  target.streamBytes = getStreamBytes(target, model);
  return target;
}

/// Whether a name is that of some processor, if only of one that code is not
/// generated for.
static bool isProcessor(StringRef name) {
  StringRef version = name;
  if (version.consume_front("sm_")) { // sm_90, sm_90a, sm_100f
    if (version.ends_with("a") || version.ends_with("f"))
      version = version.drop_back();
    return version.size() >= 2 &&
           llvm::all_of(version, [](char c) { return llvm::isDigit(c); });
  }
  return llvm::X86::parseArchX86(name) != llvm::X86::CK_None ||
         llvm::AMDGPU::parseArchAMDGCN(name) != llvm::AMDGPU::GK_NONE ||
         llvm::AArch64::parseCpu(name).has_value();
}

Result<CPUTarget> CPUTarget::parse(StringRef name) {
  if (name == "native")
    return detectHost();
  if (name == "x86-64-v3")
    return makeLevel(3);
  if (name == "x86-64-v4")
    return makeLevel(4);
  if (StringRef rest = name; rest.consume_front("x86-64-v4+"))
    return parseExtensions(name, rest);
  if (isProcessor(name))
    return Error::unsupported("there is no code generation for processor \"" +
                              name.str() + "\", " + kExpected.str());
  return Error::usage("unknown processor \"" + name.str() + "\", " +
                      kExpected.str());
}

llvm::ArrayRef<StringRef> CPUTarget::names() { return kNames; }

std::string CPUTarget::fingerprint() const {
  return cpu + ";" + features + ";tune=" + tuneCPU +
         ";bf16=" + std::to_string(static_cast<int>(bf16)) +
         ";threads=" + std::to_string(threads) +
         ";l1=" + std::to_string(l1Bytes) + ";l2=" + std::to_string(l2Bytes) +
         ";l3=" + std::to_string(l3Bytes) +
         ";stream=" + std::to_string(streamBytes);
}
