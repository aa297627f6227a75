//===- CPUTarget.h - The processor that kernels are compiled for ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPUTarget says, as plain data, everything that code generation may depend
// on: instruction set, vector width, cache sizes. It is made once by a driver
// from a name and handed down; no pass looks at the host.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_CPUTARGET_H
#define KILN_TARGET_CPU_CPUTARGET_H

#include "kiln/ABI/KernelABI.h"
#include "kiln/Base/HostUnits.h"
#include "kiln/Base/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kiln::target {

/// A processor as code generation sees it.
///
/// The instruction set is always one of the x86-64 micro-architecture levels,
/// plus extensions that have a bit of their own in `kiln_cpu_feature`, so that
/// `featureBits` names all a kernel may need and a loader can check it. What
/// the actual processor model adds is scheduling (`tuneCPU`), never
/// instructions.
///
/// Example:
///
///   Result<CPUTarget> target = CPUTarget::parse("x86-64-v3");
///   target->vectorLanes(32); // 8
struct CPUTarget {
  /// As in messages and `KernelImage::target`: "x86-64-v4+avx512bf16".
  std::string name;
  /// LLVM's name of the instruction set: "x86-64-v3" or "x86-64-v4".
  std::string cpu;
  /// LLVM's name of the processor to schedule for: "znver4"; may equal `cpu`.
  std::string tuneCPU;
  /// Extensions beyond `cpu`, in LLVM's syntax: "+avx512bf16,+avx512vnni".
  std::string features;
  /// Width of the widest vector registers in bits: 256 or 512.
  unsigned vectorBits = 256;
  /// Vector registers: 16 or 32.
  unsigned vectorRegisters = 16;
  /// `kiln_cpu_feature` bits a kernel compiled for this target requires.
  uint32_t featureBits = 0;
  /// Of an explicit name what its features have; of this machine the one that did
  /// most when it was tried.
  BF16Unit bf16 = BF16Unit::Fma;
  /// Cache sizes in bytes: per core, per core, shared.
  uint64_t l1Bytes = 32u << 10;
  uint64_t l2Bytes = 512u << 10;
  uint64_t l3Bytes = 16u << 20;
  /// Bytes of a result from which on it is better written past the caches: they
  /// would not keep it until it is read. Of an explicit name `l3Bytes`.
  uint64_t streamBytes = 16u << 20;
  /// Processors of this machine, at least 2; of an explicit name 2. More threads than
  /// that may find too few parts of a kernel.
  unsigned threads = 2;

  /// The target called `name`: "native" (the best level this machine has),
  /// "x86-64-v3" (AVX2, FMA, F16C) or "x86-64-v4" (AVX-512), the latter with any of
  /// "+avx512bf16", "+avx512vnni" and "+amx-bf16" behind it. Unsupported when
  /// the host is less than x86-64-v3, and for other processors that exist
  /// ("sm_90a", "znver4"); usage error for any other name. Explicit names give
  /// the same target on every machine.
  static Result<CPUTarget> parse(llvm::StringRef name);

  /// The names `parse` accepts, for help texts.
  static llvm::ArrayRef<llvm::StringRef> names();

  /// Elements of `elementBits` bits in one vector register.
  unsigned vectorLanes(unsigned elementBits) const {
    return vectorBits / elementBits;
  }

  bool hasFeature(kiln_cpu_feature feature) const {
    return (featureBits & feature) != 0;
  }

  /// Equal text for equal targets: what a cache key must contain. Includes the
  /// cache sizes, because schedules depend on them.
  std::string fingerprint() const;
};

} // namespace kiln::target

#endif // KILN_TARGET_CPU_CPUTARGET_H
