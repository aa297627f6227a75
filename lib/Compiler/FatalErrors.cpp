//===- FatalErrors.cpp - When LLVM gives up -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"

#include "kiln/Base/Result.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <mutex>
#include <unistd.h>

using namespace kiln;
using namespace kiln::compiler;

/// LLVM does not go on after a handler, and nothing of the process can be
/// trusted: no destructors.
static void end(void *kind, const char *reason, bool) {
  std::fprintf(stderr, "error: LLVM: %s\n", reason);
  ::_exit(static_cast<int>(*static_cast<const ErrorKind *>(kind)));
}

void compiler::handleFatalErrors() {
  static ErrorKind broken = ErrorKind::Internal;
  static ErrorKind noMemory = ErrorKind::Unsupported;
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(end, &broken);
    llvm::install_bad_alloc_error_handler(end, &noMemory);
  });
}
