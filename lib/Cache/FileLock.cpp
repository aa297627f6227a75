//===- FileLock.cpp - Locks that end with their holder --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileLock.h"

#include <cerrno>
#include <fcntl.h>
#include <thread>

using namespace kiln::cache;

LockResult FileLock::tryLock(const Directory &directory,
                             const std::string &path) {
  // A lock file that was removed meanwhile locks nothing: once more.
  for (int attempt = 0; attempt < 4; ++attempt) {
    file_ = directory.openShared(path);
    if (!file_.valid())
      return LockResult::Unsupported;
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    int result;
    do
      result = ::fcntl(file_.get(), F_OFD_SETLK, &lock);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
      bool isHeld = errno == EAGAIN || errno == EACCES;
      file_.close();
      return isHeld ? LockResult::Held : LockResult::Unsupported;
    }
    struct stat info;
    if (::fstat(file_.get(), &info) == 0 && info.st_nlink != 0)
      return LockResult::Taken;
  }
  file_.close();
  return LockResult::Unsupported;
}

void FileLock::unlock() {
  if (!file_.valid())
    return;
  // The child's copy would hold the lock when ours is closed only.
  struct flock lock = {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  (void)::fcntl(file_.get(), F_OFD_SETLK, &lock);
  file_.close();
}

LockResult FileLock::lockShortly(const Directory &directory,
                                 const std::string &path) {
  LockResult result = LockResult::Held;
  for (int attempt = 0; attempt < 50 && result == LockResult::Held; ++attempt) {
    if (attempt != 0)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    result = tryLock(directory, path);
  }
  return result;
}
