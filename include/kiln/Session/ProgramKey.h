//===- ProgramKey.h - What a compiled program depends on -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key of a compiled program in the cache: the source's digest, the options
// that change code, and the environment, which is the compiler and the machine.
// It is found without loading the compiler.
//
//   auto key = programKey(*source, options, environmentKey(ownEnvironment()));
//   for (const cache::KeyPart &part : key->parts) ...   // in words
//
// No part of it is a path, a time, a process or a user: a cache that is copied
// to another folder or to an equal machine is as good there.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_PROGRAMKEY_H
#define KILN_SESSION_PROGRAMKEY_H

#include "kiln/Archive/Source.h"
#include "kiln/Cache/CacheKey.h"
#include "kiln/Options/CompileOptions.h"

namespace kiln::session {

/// What makes code of a program besides its options. Values have names, for
/// people who ask why a program was not found.
struct EnvironmentRecord {
  uint64_t formatEpoch = 0;
  /// ELF build ids of the compiler, the runtime, libMLIR and libLLVM.
  std::vector<cache::KeyPart> buildIds;
  /// What the processor says of itself: the vendor, the model, one word of bits for
  /// each leaf of cpuid that has features, and the sizes of the caches; and what was
  /// found out of it.
  std::vector<cache::KeyPart> processor;
  uint64_t kernelAbi = 0;
};

/// The one of this process as it is now.
EnvironmentRecord currentEnvironment();
/// The same as it was when this was first asked for: what its keys are made of.
const EnvironmentRecord &ownEnvironment();
/// Its digest is the environment's id in entries.
cache::CacheKey environmentKey(const EnvironmentRecord &record);
/// That of this process. Unsupported if a build id is missing: two compilers
/// that nobody can tell apart must not share a cache.
Result<cache::CacheKey> ownEnvironmentKey();
/// The compiler of an environment without the machine that it runs on: its digest is
/// the environment's id in entries of graphs.
cache::CacheKey compilerKey(const EnvironmentRecord &record);
/// That of this process; errors as of `ownEnvironmentKey`.
Result<cache::CacheKey> ownCompilerKey();
/// The id in entries that depend on no compiler and no machine.
Digest portableEnvironment();

/// The key of a program: KeyKind::AotAutograd with `options.training`, else
/// KeyKind::FxGraph. `nameSpace` is KILN_CACHE_NAMESPACE, or empty. The number of
/// threads counts for options by which schedules are measured, or the `hardware` of a GPU
/// (`Device::hardware`) if there is one. Usage error for options that cannot be written.
Result<cache::CacheKey> programKey(const archive::Source &source,
                                   const CompileOptions &options,
                                   const cache::CacheKey &environment,
                                   const std::string &nameSpace = "",
                                   unsigned threads = 0,
                                   const std::string &hardware = "");

/// The key of a training step's graphs: KeyKind::Joint. Of the options those that act
/// before code is generated count, and what the variant makes of symbols; neither
/// the processor nor the number of threads does.
Result<cache::CacheKey> jointKey(const archive::Source &source,
                                 const CompileOptions &options,
                                 const cache::CacheKey &compiler,
                                 const std::string &nameSpace = "");

/// Adds what measurements depend on beside the environment.
void addTuningThreads(cache::CacheKeyBuilder &builder, unsigned threads);
/// The same of a GPU, by its `Device::hardware`.
void addTuningDevice(cache::CacheKeyBuilder &builder,
                     const std::string &hardware);

/// Folder of libKilnRuntime.so, where libKilnCompiler.so lies too.
std::string libraryFolder();

} // namespace kiln::session

#endif // KILN_SESSION_PROGRAMKEY_H
