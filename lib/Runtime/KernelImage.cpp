//===- KernelImage.cpp - Native code in executable memory ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/KernelImage.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln::runtime {

namespace {

struct FeatureName {
  uint32_t bit;
  const char *name;
};

constexpr FeatureName kFeatureNames[] = {
    {KILN_CPU_SSE42, "sse4.2"},   {KILN_CPU_AVX2, "avx2"},
    {KILN_CPU_FMA, "fma"},        {KILN_CPU_F16C, "f16c"},
    {KILN_CPU_BMI2, "bmi2"},      {KILN_CPU_AVX512, "avx512"},
    {KILN_CPU_AVX512_BF16, "avx512bf16"},
    {KILN_CPU_AVX512_VNNI, "avx512vnni"},
    {KILN_CPU_AMX, "amx"},
};

#if defined(__x86_64__)
/// Linux grants the 8 KiB tile state only to processes that ask for it.
bool amxIsPermitted() {
  constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr unsigned long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

uint32_t detectFeatures() {
  // These builtins also check that the operating system saves the registers.
  __builtin_cpu_init();
  uint32_t features = 0;
  auto add = [&](bool present, uint32_t bit) {
    if (present)
      features |= bit;
  };
  add(__builtin_cpu_supports("sse4.2"), KILN_CPU_SSE42);
  add(__builtin_cpu_supports("avx2"), KILN_CPU_AVX2);
  add(__builtin_cpu_supports("fma"), KILN_CPU_FMA);
  add(__builtin_cpu_supports("f16c"), KILN_CPU_F16C);
  add(__builtin_cpu_supports("bmi2"), KILN_CPU_BMI2);
  add(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512cd") &&
          __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl"),
      KILN_CPU_AVX512);
  add(__builtin_cpu_supports("avx512bf16"), KILN_CPU_AVX512_BF16);
  add(__builtin_cpu_supports("avx512vnni"), KILN_CPU_AVX512_VNNI);
  add(__builtin_cpu_supports("amx-tile") &&
          __builtin_cpu_supports("amx-bf16") && amxIsPermitted(),
      KILN_CPU_AMX);
  return features;
}
#else
uint32_t detectFeatures() { return 0; }
#endif

} // namespace

uint32_t hostCpuFeatures() {
  static const uint32_t features = detectFeatures();
  return features;
}

std::string cpuFeatureNames(uint32_t features) {
  std::string text;
  for (const FeatureName &feature : kFeatureNames)
    if (features & feature.bit) {
      text += (text.empty() ? "" : ", ") + std::string(feature.name);
      features &= ~feature.bit;
    }
  for (unsigned bit = 0; bit < 32; ++bit)
    if (features & (1u << bit))
      text += (text.empty() ? "" : ", ") + std::string("unknown feature ") +
              std::to_string(bit);
  return text.empty() ? "none" : text;
}

namespace {
/// What a variant asks of what it runs on.
std::string needText(const package::VariantInfo &variant) {
  uint32_t needed = variant.requiredFeatures;
  if (variant.kind != KILN_IMAGE_PTX)
    return cpuFeatureNames(needed);
  return "a GPU of sm_" + std::to_string(needed & KILN_GPU_ARCHITECTURE) +
         (needed & KILN_GPU_EXACT ? "" : " or later");
}

bool runsOn(const package::VariantInfo &variant, uint32_t features,
            kiln_image_kind kind) {
  uint32_t needed = variant.requiredFeatures;
  if (kind != variant.kind)
    return false;
  if (kind != KILN_IMAGE_PTX)
    return (needed & ~features) == 0;
  // What this release does not know, it cannot promise.
  if (needed & ~uint32_t(KILN_GPU_ARCHITECTURE | KILN_GPU_EXACT))
    return false;
  uint32_t architecture = needed & KILN_GPU_ARCHITECTURE;
  return needed & KILN_GPU_EXACT ? features == architecture
                                 : features >= architecture;
}

/// Among variants that run, the largest is the best: of a processor's the one that uses
/// most of it, and of two that use as much the one with the newer feature.
uint64_t rankOf(const package::VariantInfo &variant) {
  uint32_t needed = variant.requiredFeatures;
  if (variant.kind != KILN_IMAGE_PTX)
    return uint64_t(__builtin_popcount(needed)) << 32 | needed;
  return 2 * (needed & KILN_GPU_ARCHITECTURE) +
         (needed & KILN_GPU_EXACT ? 1 : 0);
}
} // namespace

Result<size_t> chooseVariant(const std::vector<package::VariantInfo> &variants,
                             const std::string &target, uint32_t features,
                             kiln_image_kind kind) {
  bool isNamed = !target.empty() && target != "native";
  std::optional<size_t> best;
  std::string known, needs;
  for (size_t i = 0; i < variants.size(); ++i) {
    const package::VariantInfo &variant = variants[i];
    std::string name = "'" + variant.target + "'";
    known += (known.empty() ? "" : ", ") + name;
    if (isNamed && variant.target != target)
      continue;
    needs += (needs.empty() ? "" : "; ") + name + " needs " + needText(variant);
    if (runsOn(variant, features, kind) &&
        (!best || rankOf(variant) > rankOf(variants[*best])))
      best = i;
  }
  if (best)
    return *best;
  if (needs.empty())
    return Error::usage("the package has no variant for '" + target +
                        "', expected one of " + known);
  if (kind == KILN_IMAGE_PTX)
    return Error::unsupported("no variant of the package runs on this GPU: " +
                              needs + "; it is one of sm_" +
                              std::to_string(features));
  return Error::unsupported("no variant of the package runs on this processor: " +
                            needs + "; the processor has " +
                            cpuFeatureNames(features));
}

Result<std::shared_ptr<LoadedImage>>
LoadedImage::load(const package::KernelImage &image) {
  uint32_t missing = image.requiredFeatures & ~hostCpuFeatures();
  if (missing != 0)
    return Error::unsupported(
        "kernel image for '" + image.target + "' needs " +
        cpuFeatureNames(missing) +
        ", which this processor lacks; compile for this machine");
  std::shared_ptr<LoadedImage> loaded(new LoadedImage());
  for (const package::Kernel &kernel : image.kernels)
    if (kernel.entry >= image.bytes.size())
      return Error::malformed(
          "kernel '" + kernel.name + "': expected an entry below " +
          std::to_string(image.bytes.size()) + ", found " +
          std::to_string(kernel.entry));
  if (image.kernels.empty())
    return loaded;
  void *memory = mmap(nullptr, image.bytes.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error::io(std::string("cannot map memory for a kernel image: ") +
                     std::strerror(errno));
  loaded->memory_ = memory;
  loaded->bytes_ = image.bytes.size();
  std::memcpy(memory, image.bytes.data(), image.bytes.size());
  if (mprotect(memory, image.bytes.size(), PROT_READ | PROT_EXEC) != 0)
    return Error::io(std::string("cannot make a kernel image executable: ") +
                     std::strerror(errno));
  __builtin___clear_cache(static_cast<char *>(memory),
                          static_cast<char *>(memory) + image.bytes.size());
  for (const package::Kernel &kernel : image.kernels)
    loaded->entries_.push_back(reinterpret_cast<kiln_cpu_kernel_t>(
        static_cast<uint8_t *>(memory) + kernel.entry));
  return loaded;
}

LoadedImage::~LoadedImage() {
  if (memory_)
    munmap(memory_, bytes_);
}

} // namespace kiln::runtime
