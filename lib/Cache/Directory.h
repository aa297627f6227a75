//===- Directory.h - Files below the root of a cache ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file of the cache that turns names into paths. Everything is done
// relative to a descriptor of the root, and no symbolic link is followed at any
// level, so that nothing outside of the root can be reached by it. Functions
// that can fail say why by an errno, which callers count.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_DIRECTORY_H
#define KILN_LIB_CACHE_DIRECTORY_H

#include "kiln/Base/Bytes.h"

#include <functional>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace kiln::cache {

/// A file descriptor that closes itself.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    close();
    fd_ = other.release();
    return *this;
  }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }
  /// The errno of close(2), or 0.
  int close();

private:
  int fd_;
};

/// Who may use a cache: its owner, or the members of a group.
struct Access {
  std::optional<gid_t> group;

  mode_t folderMode() const { return group ? 02770 : 0700; }
  mode_t fileMode() const { return group ? 0660 : 0600; }
  /// True for files that somebody wrote whom we trust as we trust ourselves.
  bool trusts(const struct stat &info) const;
};

class Directory {
public:
  /// Opens the folder `root` (absolute, without a final '/'), and makes it if
  /// `create` is set. Refused with an Io error if it belongs to somebody else,
  /// is writable by others, is a symbolic link, or lies in a folder where
  /// others could replace it. Null if it does not exist and is not made.
  static Result<std::unique_ptr<Directory>>
  open(const std::string &root, const Access &access, bool create);

  const Access &access() const { return access_; }

  /// Opens a file or folder below the root; `errno` says why not.
  FileDescriptor openAt(const std::string &path, int flags) const;
  /// Opens, or makes, a file that processes share: a lock or counters. EPERM
  /// for one of somebody else, and for one that has a second name.
  FileDescriptor openShared(const std::string &path) const;
  /// Removes a file. An errno, where a file that is not there is none.
  int unlink(const std::string &path) const;
  /// Removes an empty folder, and nothing else.
  void removeFolder(const std::string &path) const;
  int rename(const std::string &from, const std::string &to) const;

  /// Makes `bytes` appear under `path` as a whole. An errno, and in `what` the
  /// step that failed; nothing is left behind then.
  int publish(const std::string &path, ByteView bytes, bool sync,
              std::string &what) const;

  /// Calls `visit` with the name of each entry of a folder and with what
  /// fstatat(2) says of it. A folder that is not there has none.
  void list(const std::string &path,
            const std::function<void(const std::string &name,
                                     const struct stat &info)> &visit) const;

  /// Bytes free for us on the file system of the root, and its size.
  bool freeSpace(uint64_t &free, uint64_t &total) const;

private:
  Directory(FileDescriptor root, Access access)
      : root_(std::move(root)), access_(access) {}

  FileDescriptor openFolder(const std::string &path, bool create) const;
  FileDescriptor openParent(const std::string &path, bool create,
                            std::string &name) const;

  FileDescriptor root_;
  Access access_;
};

/// Reads a regular file of at most `limit` bytes that we trust into private
/// memory. Io errors carry errno in `code`; a file of another kind, owner or
/// size is Malformed.
Result<std::vector<uint8_t>> readWhole(int fd, const Access &access,
                                       uint64_t limit, int &code);

/// Writes all of `bytes`. An errno, or 0.
int writeWhole(int fd, ByteView bytes);

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_DIRECTORY_H
