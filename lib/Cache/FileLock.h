//===- FileLock.h - Locks that end with their holder ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Open-file-description locks: the kernel gives them back when their holder
// ends, however it ends, so that there are no stale locks to be guessed about.
// Two holders in one process exclude each other like two processes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_FILELOCK_H
#define KILN_LIB_CACHE_FILELOCK_H

#include "Directory.h"

namespace kiln::cache {

enum class LockResult {
  Taken,
  Held,       ///< by somebody else
  Unsupported ///< the file cannot be made, or its file system has no locks
};

class FileLock {
public:
  FileLock() = default;
  FileLock(FileLock &&) = default;
  ~FileLock() { unlock(); }

  /// Tries once to lock the file `path`, which is made if it is not there.
  LockResult tryLock(const Directory &directory, const std::string &path);
  /// Waits for a short time, for files that are held for microseconds.
  LockResult lockShortly(const Directory &directory, const std::string &path);
  /// The locked file, to read and write.
  int file() const { return file_.get(); }
  /// Also for the copy of the descriptor that a child has which was forked
  /// meanwhile.
  void unlock();

private:
  FileDescriptor file_;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_FILELOCK_H
