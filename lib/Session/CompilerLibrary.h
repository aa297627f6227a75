//===- CompilerLibrary.h - Opening the compiler when it is needed ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_COMPILERLIBRARY_H
#define KILN_LIB_SESSION_COMPILERLIBRARY_H

#include "kiln/Archive/Source.h"
#include "kiln/Options/CompileOptions.h"
#include "kiln/Package/JointStore.h"
#include "kiln/Package/KernelStore.h"
#include "kiln/Package/KernelTuner.h"
#include "kiln/Runtime/ThreadPool.h"

#include <functional>

namespace kiln::session {

/// What the compiler library made of a source.
struct LibraryResult {
  /// Encoded.
  Result<std::vector<uint8_t>> package = std::vector<uint8_t>();
  std::string timing;    ///< see kiln_compile_result
  unsigned kernelsCompiled = 0;
  unsigned kernelsFound = 0;
  bool isLoaded = false; ///< the library was opened
  /// Why what was made does not belong under this process's keys; empty if it
  /// does.
  std::string whyForeign;
};

/// What is wanted of the compiler library.
struct LibraryRequest {
  const archive::Source &source;
  const CompileOptions &options;
  const std::function<void(const std::string &)> &progress;
  runtime::ThreadPool &pool;     ///< generates code
  package::KernelStore *kernels; ///< may be null; not used if `whyForeign`
  package::JointStore *joint;    ///< the same
  package::KernelTuner *tuner;   ///< the same
};

/// Opens libKilnCompiler.so beside libKilnRuntime.so, once per process, and has
/// it compile. The library's place never comes from the environment; Unsupported
/// where it is missing: then only cached and packaged programs run. With
/// `isolationGraceSeconds` it compiles in a copy of this process, which it may end.
LibraryResult compileByLibrary(const LibraryRequest &wanted,
                               std::optional<double> isolationGraceSeconds);

/// Takes what the library keeps in memory between compilations out of it: code,
/// which the next one reads anew from its files, and memory that is free.
void releaseCompiler();

} // namespace kiln::session

#endif // KILN_LIB_SESSION_COMPILERLIBRARY_H
