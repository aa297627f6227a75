//===- NVVMTarget.cpp - The GPU that kernels are compiled for -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/GPU/NVVMTarget.h"

#include "kiln/Support/GPUNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace kiln;
using namespace kiln::target;
using llvm::StringRef;

namespace {
struct Chip {
  StringRef name;
  unsigned capability, ptxVersion, multiprocessors, threads;
  uint64_t sharedBytes, l2Bytes;
};
} // namespace

static constexpr uint64_t operator""_KiB(unsigned long long n) {
  return n << 10;
}
static constexpr uint64_t operator""_MiB(unsigned long long n) {
  return n << 20;
}

// The least version of PTX that knows the chip; for sm_75 matrices of f16 by 8, too, for sm_90
// copies of rows to shared memory, and for sm_90a vectors of atomic sums.
// Of the cards T4, A100, L40S, H100, B200 and GeForce RTX 5090.
static constexpr Chip kChips[] = {
    {"sm_75", 75, 65, 40, 1024, 64_KiB, 4_MiB},
    {"sm_80", 80, 70, 108, 2048, 163_KiB, 40_MiB},
    {"sm_89", 89, 78, 142, 1536, 99_KiB, 96_MiB},
    {"sm_90", 90, 80, 132, 2048, 227_KiB, 50_MiB},
    {"sm_90a", 90, 81, 132, 2048, 227_KiB, 50_MiB},
    {"sm_100", 100, 86, 148, 2048, 227_KiB, 126_MiB},
    {"sm_120", 120, 87, 170, 1536, 99_KiB, 96_MiB},
};

static constexpr auto kNames = [] {
  std::array<StringRef, std::size(kChips)> names;
  for (size_t k = 0; k < names.size(); ++k)
    names[k] = kChips[k].name;
  return names;
}();

llvm::ArrayRef<StringRef> NVVMTarget::names() { return kNames; }

Result<NVVMTarget> NVVMTarget::parse(StringRef name) {
  for (const Chip &chip : kChips) {
    if (chip.name != name)
      continue;
    NVVMTarget target;
    target.chip = chip.name.str();
    target.capability = chip.capability;
    target.ptxVersion = chip.ptxVersion;
    target.multiprocessors = chip.multiprocessors;
    target.threads = chip.threads;
    target.sharedBytes = chip.sharedBytes;
    target.l2Bytes = chip.l2Bytes;
    return target;
  }
  std::string expected =
      ", expected " + llvm::join(llvm::drop_end(kNames), ", ") + " or " +
      kNames.back().str();
  if (isGPUName(name))
    return Error::unsupported("there is no code generation for GPU \"" +
                              name.str() + "\"" + expected);
  return Error::usage("unknown GPU \"" + name.str() + "\"" + expected);
}

std::string NVVMTarget::features() const {
  return "+ptx" + std::to_string(ptxVersion);
}

std::string NVVMTarget::fingerprint() const {
  return "nvvm;" + chip + ";" + features() +
         ";multiprocessors=" + std::to_string(multiprocessors) +
         ";threads=" + std::to_string(threads) +
         ";registers=" + std::to_string(registers) +
         ";shared=" + std::to_string(sharedBytes) +
         ";l2=" + std::to_string(l2Bytes);
}
