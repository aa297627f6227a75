//===- Environment.h - Which compiler and which machine -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a cache key that does not depend on the program, found without
// loading the compiler: ELF build ids of the libraries that would compile, and
// the processor that `native` means.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_ENVIRONMENT_H
#define KILN_LIB_SESSION_ENVIRONMENT_H

#include "kiln/Base/Digest.h"

#include <string>

namespace kiln::session {

/// Folder of libKilnRuntime.so, where libKilnCompiler.so lies too.
std::string libraryFolder();
/// Digest of the environment record (cache::KeyKind::Environment).
Digest environmentId();
/// Vendor, family, model and features of this processor.
std::string processorText();

} // namespace kiln::session

#endif // KILN_LIB_SESSION_ENVIRONMENT_H
