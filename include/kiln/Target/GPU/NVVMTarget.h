//===- NVVMTarget.h - The GPU that kernels are compiled for -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An NVVMTarget says, as plain data, everything that code generation for a GPU
// of NVIDIA may depend on. It is made from a name alone: no device is asked, so
// that kernels for any of them can be made on a machine without one.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_GPU_NVVMTARGET_H
#define KILN_TARGET_GPU_NVVMTARGET_H

#include "kiln/Base/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kiln::target {

/// A GPU as code generation sees it. Sizes are those of the chip's largest
/// common card; kernels are right on each device that has the instructions, and
/// a card of another size is only slower than it could be.
///
/// Example:
///
///   Result<NVVMTarget> target = NVVMTarget::parse("sm_90a");
///   target->features();  // "+ptx81"
struct NVVMTarget {
  /// LLVM's name of the instruction set: "sm_90a". With an "a" it runs on this
  /// architecture alone, without on later ones too.
  std::string chip;
  /// Of the instruction set, times ten: 90 for sm_90a.
  unsigned capability = 0;
  /// The least version of PTX that knows the chip, times ten. A driver of that
  /// version or later takes it.
  unsigned ptxVersion = 0;
  /// Streaming multiprocessors.
  unsigned multiprocessors = 0;
  /// Threads that are resident on one of them.
  unsigned threads = 0;
  /// 32-bit registers of one of them.
  unsigned registers = 65536;
  /// Most shared memory of a block, in bytes.
  uint64_t sharedBytes = 0;
  uint64_t l2Bytes = 0;

  /// The target called `name`, one of `names`. Unsupported for another
  /// architecture of NVIDIA, a usage error for any other name.
  static Result<NVVMTarget> parse(llvm::StringRef name);

  /// The names `parse` accepts, for help texts.
  static llvm::ArrayRef<llvm::StringRef> names();

  /// In LLVM's syntax: "+ptx81".
  std::string features() const;

  /// Equal text for equal targets: what a cache key must contain. Includes the
  /// sizes, because schedules depend on them.
  std::string fingerprint() const;
};

} // namespace kiln::target

#endif // KILN_TARGET_GPU_NVVMTARGET_H
