//===- LocalStore.cpp - A cache directory ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/LocalStore.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tuple>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;

Store::~Store() = default;

namespace {
/// A file descriptor that closes itself.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }

private:
  int fd_;
};
} // namespace

static std::string describe(int error) { return std::strerror(error); }

/// Opens a path below `root` without leaving it and without following links.
static int openBeneath(int root, const std::string &path, int flags) {
  struct open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long fd =
      ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how));
  return static_cast<int>(fd);
}

static const char *folderOf(KeyKind kind) {
  switch (kind) {
  case KeyKind::AotAutograd:
    return "aotautograd";
  case KeyKind::Kernel:
    return "kernels";
  case KeyKind::Autotune:
    return "autotune";
  case KeyKind::Pgo:
    return "pgo";
  case KeyKind::Environment:
  case KeyKind::FxGraph:
    break;
  }
  return "fxgraph";
}

std::string cache::entryDirectory(const CacheKey &key) {
  std::string folder = folderOf(key.kind);
  std::string hex = key.digest.hex();
  return folder + "/" + hex.substr(0, 2) + "/" + folder[0] + hex;
}

std::string cache::variantName(ByteView payload) {
  return sha256(payload).hex().substr(0, 16) + ".kc";
}

/// True for names that `variantName` can give; everything else in a folder is
/// somebody else's and is not touched.
static bool isVariantName(std::string_view name) {
  return name.size() == 19 && name.substr(16) == ".kc" &&
         std::all_of(name.begin(), name.begin() + 16, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

static Status checkOwner(int fd, const std::string &path) {
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return Error::io("cannot inspect cache folder '" + path +
                     "': " + describe(errno));
  if (info.st_uid != ::geteuid())
    return Error::io("cache folder '" + path + "' belongs to user " +
                     std::to_string(info.st_uid) + ", expected " +
                     std::to_string(::geteuid()));
  if (info.st_mode & 022)
    return Error::io("cache folder '" + path +
                     "' is writable by others, expected mode 0700");
  return Status::success();
}

Result<std::unique_ptr<LocalStore>> LocalStore::open(const std::string &root) {
  size_t slash = root.find_last_of('/');
  if (root.empty() || root[0] != '/' || slash + 1 == root.size())
    return Error::io("cache folder '" + root +
                     "' is not an absolute path without a final '/'");
  std::string parent = slash == 0 ? "/" : root.substr(0, slash);
  if (::mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST)
    return Error::io("cannot create '" + parent + "': " + describe(errno));
  struct stat info;
  if (::stat(parent.c_str(), &info) != 0)
    return Error::io("cannot inspect '" + parent + "': " + describe(errno));
  // In a folder that everybody may write and that is not sticky, somebody else
  // could replace ours at any time.
  if ((info.st_mode & S_IWOTH) && !(info.st_mode & S_ISVTX))
    return Error::io("cache folder '" + root +
                     "' lies in a folder that everybody can change");
  if (::mkdir(root.c_str(), 0700) != 0 && errno != EEXIST)
    return Error::io("cannot create cache folder '" + root +
                     "': " + describe(errno));
  FileDescriptor fd(
      ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid())
    return Error::io("cannot open cache folder '" + root +
                     "': " + describe(errno));
  if (Status checked = checkOwner(fd.get(), root); !checked)
    return checked.takeError();
  return std::unique_ptr<LocalStore>(new LocalStore(fd.release()));
}

LocalStore::~LocalStore() { ::close(root_); }

/// Writes all of `bytes`; false on any error.
static bool writeAll(int fd, ByteView bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

/// Reads a regular file of ours into private memory. Empty with `errno` set on
/// failure, with a reason when the file is not what we write.
static Result<std::vector<uint8_t>> readEntryFile(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return Error::io("cannot inspect entry: " + describe(errno));
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid())
    return Error::malformed("entry is not a regular file of this user");
  if (static_cast<uint64_t>(info.st_size) > kMaxEntryBytes + kEntryHeaderBytes)
    return Error::malformed("entry has " + std::to_string(info.st_size) +
                            " bytes, expected at most 1 GiB");
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return Error::io("cannot read entry: " + describe(errno));
    if (count == 0)
      break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

std::vector<std::string>
LocalStore::variantNames(const std::string &directory) {
  std::vector<std::pair<timespec, std::string>> found;
  int fd = openBeneath(root_, directory, O_RDONLY | O_DIRECTORY);
  if (fd < 0)
    return {};
  DIR *dir = ::fdopendir(fd);
  if (!dir) {
    ::close(fd);
    return {};
  }
  while (struct dirent *entry = ::readdir(dir)) {
    struct stat info;
    if (isVariantName(entry->d_name) &&
        ::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
      found.emplace_back(info.st_mtim, entry->d_name);
  }
  ::closedir(dir);
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return std::make_tuple(a.first.tv_sec, a.first.tv_nsec, a.second) <
           std::make_tuple(b.first.tv_sec, b.first.tv_nsec, b.second);
  });
  // The newest ones: what was compiled last is what is asked for next.
  if (found.size() > kMaxVariants)
    found.erase(found.begin(), found.end() - kMaxVariants);
  std::vector<std::string> names;
  for (auto &[time, name] : found)
    names.push_back(std::move(name));
  return names;
}

Lookup LocalStore::get(const CacheKey &key, const Digest &environment) {
  ++stats_.lookups;
  Lookup lookup;
  std::string directory = entryDirectory(key);
  for (const std::string &name : variantNames(directory)) {
    std::string path = directory + "/" + name;
    FileDescriptor fd(openBeneath(root_, path, O_RDONLY | O_NONBLOCK));
    if (!fd.valid()) {
      ++stats_.ioErrors;
      lookup.faults.push_back("cannot open entry '" + path +
                              "': " + describe(errno));
      continue;
    }
    auto bytes = readEntryFile(fd.get());
    if (!bytes) {
      ++stats_.ioErrors;
      lookup.faults.push_back(path + ": " + bytes.error().message);
      continue;
    }
    DecodedEntry entry = decodeEntry(*bytes, key.digest, environment);
    // The name promises the payload's digest; a swapped file breaks it.
    if (entry.fault == EntryFault::None && variantName(entry.payload) != name) {
      entry.fault = EntryFault::Corrupt;
      entry.reason = "payload does not match the entry's name";
    }
    if (entry.fault == EntryFault::None) {
      lookup.variants.push_back(std::move(entry));
      continue;
    }
    lookup.faults.push_back(path + ": " + entry.reason);
    if (entry.fault == EntryFault::ForeignEnvironment) {
      ++stats_.foreignEnvironment;
      continue;
    }
    ++stats_.corrupt;
    ::unlinkat(root_, path.c_str(), 0);
  }
  lookup.hit() ? ++stats_.hits : ++stats_.misses;
  return lookup;
}

Status LocalStore::put(const CacheKey &key, const Digest &environment,
                       const EntryInfo &info, ByteView payload) {
  auto fail = [&](const std::string &what) {
    int number = errno;
    ++stats_.putFailures;
    return Status(Error::io("cannot " + what + " in the cache folder: " +
                            describe(number)));
  };
  if (payload.size() > kMaxEntryBytes) {
    ++stats_.putFailures;
    return Error::io("the entry has " + std::to_string(payload.size()) +
                     " bytes, expected at most 1 GiB");
  }
  std::string directory = entryDirectory(key);
  // Each level by itself: the names are ours, so '/' splits them.
  for (size_t slash = 0; slash != std::string::npos;) {
    slash = directory.find('/', slash + 1);
    ::mkdirat(root_, directory.substr(0, slash).c_str(), 0700);
  }
  ::mkdirat(root_, "tmp", 0700);

  uint8_t random[16];
  if (::getrandom(random, sizeof(random), 0) != sizeof(random))
    return fail("draw the name of a file");
  std::string temporary = "tmp/";
  for (uint8_t byte : random) {
    temporary += "0123456789abcdef"[byte >> 4];
    temporary += "0123456789abcdef"[byte & 15];
  }
  std::vector<uint8_t> bytes =
      encodeEntry(key.digest, environment, info, payload);
  int fd = ::openat(root_, temporary.c_str(),
                    O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail("create a file under 'tmp'");
  errno = 0;
  bool written = writeAll(fd, bytes);
  written &= ::close(fd) == 0;
  std::string path = directory + "/" + variantName(payload);
  if (!written ||
      ::renameat(root_, temporary.c_str(), root_, path.c_str()) != 0) {
    Status failed = fail("write '" + path + "'");
    ::unlinkat(root_, temporary.c_str(), 0);
    return failed;
  }
  ++stats_.puts;
  return Status::success();
}

void LocalStore::remove(const CacheKey &key) {
  std::string directory = entryDirectory(key);
  for (const std::string &name : variantNames(directory))
    ::unlinkat(root_, (directory + "/" + name).c_str(), 0);
}

void LocalStore::removeVariant(const CacheKey &key, ByteView payload) {
  std::string path = entryDirectory(key) + "/" + variantName(payload);
  ::unlinkat(root_, path.c_str(), 0);
}

bool LocalStore::contains(const CacheKey &key) {
  return !variantNames(entryDirectory(key)).empty();
}
