//===- VariantLog.h - What a session tells of its variants -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_VARIANTLOG_H
#define KILN_LIB_SESSION_VARIANTLOG_H

#include "kiln/Package/Package.h"

#include <chrono>

namespace kiln::session {

/// Measures from where it was made.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

void logCache(const std::string &text);
void logMiss(const std::string &reason, bool isWarning);
void logRecompilation(const std::string &text);
void logGraphSkip(const std::string &reason);
void logLibrarySkip(const std::string &reason);
/// "compiled in 12.345 ms" and what follows.
void logTime(const std::string &what, const Stopwatch &watch,
             const std::string &parts);

/// What was decided when a variant was compiled is told again when it comes
/// from the cache; its graphs only the compiler has.
void logReasons(const package::Package &package, bool isCompiledNow);

} // namespace kiln::session

#endif // KILN_LIB_SESSION_VARIANTLOG_H
