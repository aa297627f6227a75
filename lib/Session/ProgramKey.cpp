//===- Environment.cpp - Which compiler and which machine -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Environment.h"

#include "kiln/ABI/KernelABI.h"
#include "kiln/Base/FileSystem.h"
#include "kiln/Cache/CacheKey.h"
#include "kiln/Runtime/KernelImage.h"

#include <cpuid.h>
#include <dlfcn.h>

using namespace kiln;
using namespace kiln::session;

/// Bumped when packages change meaning in a way no version number shows.
static constexpr uint64_t kFormatEpoch = 1;

std::string session::libraryFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&session::libraryFolder), &info) == 0 ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string session::processorText() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  std::string text;
  auto add = [&](unsigned value) {
    for (int shift = 28; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[(value >> shift) & 15];
    text += '-';
  };
  // Vendor; family, model and stepping without the core's number; extended
  // features.
  if (__get_cpuid(0, &a, &b, &c, &d))
    for (unsigned word : {b, d, c})
      add(word);
  if (__get_cpuid(1, &a, &b, &c, &d))
    for (unsigned word : {a, c & ~(1u << 27), d})
      add(word);
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
    for (unsigned word : {b, c, d})
      add(word);
  add(runtime::hostCpuFeatures());
  return text;
}

Digest session::environmentId() {
  std::vector<std::string> ids;
  auto addFile = [&](const std::string &label, const std::string &path) {
    auto id = readBuildId(path);
    ids.push_back(label + "=" + (id ? *id : "none"));
  };
  std::string folder = libraryFolder();
  addFile("compiler", folder + "/libKilnCompiler.so");
  addFile("runtime", folder + "/libKilnRuntime.so");
  // Where the build found them; a missing file gives another key, not a wrong
  // hit, because the compiler names the same files.
  addFile("mlir", KILN_MLIR_LIBRARY);
  addFile("llvm", KILN_LLVM_LIBRARY);

  cache::CacheKeyBuilder builder(cache::KeyKind::Environment);
  builder.addNumber(cache::KeyTag::FormatEpoch, "format epoch", kFormatEpoch);
  builder.addTexts(cache::KeyTag::BuildIds, "build ids", ids);
  builder.addText(cache::KeyTag::Processor, "processor", processorText());
  builder.addNumber(cache::KeyTag::KernelAbi, "kernel abi",
                    KILN_KERNEL_ABI_VERSION);
  return builder.finish().digest;
}
