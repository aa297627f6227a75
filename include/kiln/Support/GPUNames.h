//===- GPUNames.h - What names of GPUs look like ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   isGPUName("sm_90a");     // true
//   isGPUName("x86-64-v4");  // false
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_GPUNAMES_H
#define KILN_SUPPORT_GPUNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace kiln {

/// True for LLVM's names of architectures of NVIDIA, of those that exist and others:
/// "sm_86", "sm_103f". Which of them there is code generation for,
/// `target::NVVMTarget::names` says.
inline bool isGPUName(llvm::StringRef name) {
  if (!name.consume_front("sm_"))
    return false;
  if (name.ends_with("a") || name.ends_with("f"))
    name = name.drop_back();
  return (name.size() == 2 || name.size() == 3) &&
         llvm::all_of(name, [](char c) { return llvm::isDigit(c); });
}

} // namespace kiln

#endif // KILN_SUPPORT_GPUNAMES_H
