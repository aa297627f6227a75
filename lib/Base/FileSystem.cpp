//===- FileSystem.cpp - Mapping, reading and writing files ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace kiln;

std::string kiln::systemMessage(int code) {
  std::string message = std::strerror(code);
  message[0] =
      static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return message;
}

Error kiln::systemError(const char *verb, const std::string &path, int code) {
  return Error::io("cannot " + std::string(verb) + " '" + path +
                   "': " + systemMessage(code));
}

int kiln::openRetrying(const std::string &path, int flags, unsigned mode) {
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

namespace {

/// Ends a mapping; by its type `releasePages` knows one.
struct Unmap {
  size_t size = 0;
  void operator()(void *mapped) const { ::munmap(mapped, size); }
};

} // namespace

Result<SharedBytes> kiln::mapFile(const std::string &path) {
  struct stat info;
  auto opened = openRegular(path, info);
  if (!opened)
    return opened.takeError();
  Descriptor file(*opened);
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return SharedBytes();
  void *address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED)
    return systemError("map", path, errno);
  std::shared_ptr<const void> owner(address, Unmap{size});
  return SharedBytes(ByteView(address, size), std::move(owner));
}

bool kiln::releasePages(ByteView bytes,
                        const std::shared_ptr<const void> &owner) {
  // Other memory would be lost, not read again.
  if (!owner || !std::get_deleter<Unmap>(owner))
    return false;
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  uintptr_t end = (begin + bytes.size()) / page * page;
  begin = (begin + page - 1) / page * page;
  if (begin < end)
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  return true;
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
