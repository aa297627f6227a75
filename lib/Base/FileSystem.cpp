//===- FileSystem.cpp - Mapping, reading and writing files ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;

namespace {

/// Closes a descriptor at the end of a scope.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int close() {
    int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

private:
  int fd_;
};

/// Removes a file at the end of a scope unless it was kept.
class Temporary {
public:
  explicit Temporary(std::string path) : path_(std::move(path)) {}
  ~Temporary() {
    if (!kept_)
      ::unlink(path_.c_str());
  }
  void keep() { kept_ = true; }

private:
  std::string path_;
  bool kept_ = false;
};

} // namespace

static Error systemError(const char *verb, const std::string &path, int code) {
  return Error::io("cannot " + std::string(verb) + " '" + path +
                   "': " + std::strerror(code));
}

static int openRetrying(const std::string &path, int flags, unsigned mode = 0) {
  int fd;
  do
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/// Opens without waiting for the other side of a FIFO, and refuses anything
/// that is not a regular file.
static Result<int> openRegular(const std::string &path, struct stat &info) {
  if (path.find('\0') != std::string::npos)
    return Error::io("cannot open a path that holds a zero byte");
  Descriptor file(openRetrying(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!file.valid())
    return systemError("open", path, errno);
  if (::fstat(file.get(), &info) != 0)
    return systemError("examine", path, errno);
  if (S_ISDIR(info.st_mode))
    return systemError("read", path, EISDIR);
  if (!S_ISREG(info.st_mode))
    return Error::io("cannot read '" + path + "': not a regular file");
  int fd = ::dup(file.get());
  if (fd < 0)
    return systemError("open", path, errno);
  return fd;
}

Result<SharedBytes> kiln::mapFile(const std::string &path) {
  struct stat info;
  auto opened = openRegular(path, info);
  if (!opened)
    return opened.takeError();
  Descriptor file(*opened);
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return SharedBytes();
  void *address =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED)
    return systemError("map", path, errno);
  std::shared_ptr<const void> owner(
      address, [size](void *mapped) { ::munmap(mapped, size); });
  return SharedBytes(ByteView(address, size), std::move(owner));
}

Result<FileIdentity> kiln::fileIdentity(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return systemError("examine", path, errno);
  auto nanos = [](const struct timespec &time) {
    return static_cast<int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
  };
  FileIdentity identity;
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  identity.size = static_cast<uint64_t>(info.st_size);
  identity.modifiedNanos = nanos(info.st_mtim);
  identity.changedNanos = nanos(info.st_ctim);
  return identity;
}

Result<std::vector<uint8_t>> kiln::readFile(const std::string &path,
                                            uint64_t limit) {
  struct stat info;
  auto opened = openRegular(path, info);
  if (!opened)
    return opened.takeError();
  Descriptor file(*opened);
  // The size is a first guess: a file may grow while it is read.
  auto tooLarge = [&] {
    return Error::malformed("file '" + path + "' is larger than the limit of " +
                            std::to_string(limit) + " bytes");
  };
  if (static_cast<uint64_t>(info.st_size) > limit)
    return tooLarge();
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (true) {
    if (done == bytes.size()) {
      uint8_t probe;
      ssize_t count = ::read(file.get(), &probe, 1);
      if (count == 0)
        break;
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return systemError("read", path, errno);
      if (done + 1 > limit)
        return tooLarge();
      bytes.push_back(probe);
      ++done;
      bytes.resize(std::min<uint64_t>(limit, done + 65536));
      continue;
    }
    ssize_t count =
        ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("read", path, errno);
    if (count == 0)
      break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

static Result<std::string> temporaryName(const std::string &path) {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random))
    return Error::io("cannot get random bytes for a temporary file of '" +
                     path + "'");
  static const char digits[] = "0123456789abcdef";
  std::string suffix;
  for (int i = 0; i < 16; ++i)
    suffix += digits[(random >> (4 * i)) & 15];
  return folderOf(path) + "/.tmp-" + suffix;
}

static Status writeAll(int fd, ByteView contents, const std::string &path) {
  size_t done = 0;
  while (done < contents.size()) {
    ssize_t count =
        ::write(fd, contents.data() + done, contents.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return systemError("write", path, count < 0 ? errno : EIO);
    done += static_cast<size_t>(count);
  }
  return Status::success();
}

Status kiln::atomicWrite(const std::string &path, ByteView contents,
                         AtomicWriteOptions options) {
  auto name = temporaryName(path);
  if (!name)
    return name.takeError();
  Descriptor file(openRetrying(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                               options.mode));
  if (!file.valid())
    return systemError("create a temporary file beside", path, errno);
  Temporary temporary(*name);
  // The umask took bits away at creation; the caller asked for exactly these.
  if (::fchmod(file.get(), options.mode) != 0)
    return systemError("set permissions of", path, errno);
  if (auto status = writeAll(file.get(), contents, path); !status)
    return status;
  if (options.sync && ::fsync(file.get()) != 0)
    return systemError("sync", path, errno);
  if (file.close() != 0)
    return systemError("write", path, errno);
  if (::rename(name->c_str(), path.c_str()) != 0)
    return systemError("replace", path, errno);
  temporary.keep();
  if (options.sync) {
    Descriptor folder(openRetrying(folderOf(path), O_RDONLY | O_DIRECTORY));
    if (folder.valid())
      (void)::fsync(folder.get()); // not every file system can
  }
  return Status::success();
}

Status kiln::createDirectories(const std::string &path, unsigned mode) {
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end < path.size() && path[end] != '/')
      continue;
    std::string prefix = path.substr(0, end);
    if (::mkdir(prefix.c_str(), mode) == 0 || errno == EEXIST)
      continue;
    int code = errno;
    struct stat info;
    if (::stat(prefix.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      continue; // a read-only parent that exists
    return systemError("create folder", prefix, code);
  }
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return systemError("create folder", path, errno);
  if (!S_ISDIR(info.st_mode))
    return systemError("create folder", path, ENOTDIR);
  return Status::success();
}
