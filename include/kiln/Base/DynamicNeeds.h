//===- DynamicNeeds.h - Libraries that a library needs ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto needs = readDynamicNeeds("/usr/lib/libKilnCompiler.so");
//   for (const std::string &name : needs->needed) ...   // "libLLVM.so.22.1"
//
// The other thing that is read of ELF files, the build id, stands in
// kiln/Base/FileSystem.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_DYNAMICNEEDS_H
#define KILN_BASE_DYNAMICNEEDS_H

#include "kiln/Base/FileSystem.h"

namespace kiln {

/// What a shared library asks the dynamic linker for.
struct DynamicNeeds {
  std::vector<std::string> needed;  ///< names: "libLLVM.so.22.1"
  std::vector<std::string> folders; ///< DT_RUNPATH, `$ORIGIN` as it stands
};

/// Reads them from an ELF file of untrusted bytes; Malformed if it is none.
Result<DynamicNeeds> readDynamicNeeds(const std::string &path);
Result<DynamicNeeds> readDynamicNeeds(ByteView elf, const std::string &what);

/// The build id among the notes of one segment of that `p_align`, as `readBuildId`
/// gives it, in a file or in memory; empty if it has none.
std::string findBuildId(ByteView notes, uint64_t alignment);

} // namespace kiln

#endif // KILN_BASE_DYNAMICNEEDS_H
