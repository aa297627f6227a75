//===- LaterLibraries.h - What libraries hold in memory ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler comes with libraries of 250 MB. What of them was looked at once
// stays in memory while a process runs programs, though it can be read from
// their files again.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_LATERLIBRARIES_H
#define KILN_LIB_SESSION_LATERLIBRARIES_H

#include <cstddef>
#include <cstdint>
#include <set>

namespace kiln::session {

/// The libraries that are loaded after an object of this is made.
class LaterLibraries {
public:
  LaterLibraries();

  /// Takes the parts of these libraries that nobody writes to out of memory;
  /// who needs them, now or later, finds them in the file. Threads may run
  /// meanwhile. The number of bytes that are mapped there.
  size_t releasePages() const;

private:
  std::set<uintptr_t> earlier_; ///< where others lie
};

/// Gives memory that was freed back to the system, as far as the C library can.
void releaseFreeMemory();

} // namespace kiln::session

#endif // KILN_LIB_SESSION_LATERLIBRARIES_H
