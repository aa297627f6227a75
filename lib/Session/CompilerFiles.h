//===- CompilerFiles.h - The files that a compiler is made of ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which files would compile, found as the dynamic linker finds them and without
// loading them: what is loaded already, LD_LIBRARY_PATH, the run path of
// libKilnCompiler.so, the folders of the system. The cache of ldconfig is not
// read: of a library that only it knows nothing is found, or another file of that
// name. Variables are read as they are now; the linker used those of the start, and
// none in a set-user-id program. What was mistaken is found out once the compiler is
// loaded, before anything is kept: `compareWithLoaded`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_COMPILERFILES_H
#define KILN_LIB_SESSION_COMPILERFILES_H

#include "kiln/Cache/CacheKey.h"

namespace kiln::session {

/// Labels with build ids: the compiler, the runtime, libMLIR and libLLVM. "none"
/// where there is no file, or none in it.
std::vector<cache::KeyPart> findBuildIds();

/// Once the compiler is loaded: what of it is another library than `found`, from
/// before, says, in words; empty if nothing is.
std::string compareWithLoaded(const std::vector<cache::KeyPart> &found);

} // namespace kiln::session

#endif // KILN_LIB_SESSION_COMPILERFILES_H
