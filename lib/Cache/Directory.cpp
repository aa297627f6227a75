//===- Directory.cpp - Files below the root of a cache --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Directory.h"

#include "kiln/Base/FileSystem.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

using namespace kiln;
using namespace kiln::cache;

int FileDescriptor::close() {
  int fd = release();
  return fd >= 0 && ::close(fd) != 0 ? errno : 0;
}

bool Access::trusts(const struct stat &info) const {
  if (group)
    return info.st_gid == *group && !(info.st_mode & S_IWOTH);
  return info.st_uid == ::geteuid();
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Status checkRoot(int fd, const std::string &path, const Access &access) {
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return Error::io("cannot inspect cache folder '" + path +
                     "': " + systemMessage(errno));
  if (access.group) {
    if (info.st_gid != *access.group)
      return Error::io("cache folder '" + path + "' belongs to group " +
                       std::to_string(info.st_gid) + ", expected " +
                       std::to_string(*access.group));
    if (info.st_mode & S_IWOTH)
      return Error::io("cache folder '" + path +
                       "' is writable by everybody, expected mode 02770");
    return Status::success();
  }
  if (info.st_uid != ::geteuid())
    return Error::io("cache folder '" + path + "' belongs to user " +
                     std::to_string(info.st_uid) + ", expected " +
                     std::to_string(::geteuid()));
  if (info.st_mode & 022)
    return Error::io("cache folder '" + path +
                     "' is writable by others, expected mode 0700");
  return Status::success();
}

/// Group and mode of a folder of a shared cache, which the umask and the
/// process's own group would decide otherwise.
static void shareFolder(int fd, const Access &access) {
  if (!access.group)
    return;
  (void)!::fchown(fd, uid_t(-1), *access.group);
  (void)::fchmod(fd, access.folderMode());
}

Result<std::unique_ptr<Directory>> Directory::open(const std::string &root,
                                                   const Access &access,
                                                   bool create) {
  size_t slash = root.find_last_of('/');
  if (root.empty() || root[0] != '/' || slash + 1 == root.size())
    return Error::io("cache folder '" + root +
                     "' is not an absolute path without a final '/'");
  std::string parent = slash == 0 ? "/" : root.substr(0, slash);
  if (create && ::mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST)
    return Error::io("cannot create '" + parent + "': " + systemMessage(errno));
  struct stat info;
  if (::stat(parent.c_str(), &info) != 0) {
    if (!create && errno == ENOENT)
      return std::unique_ptr<Directory>();
    return Error::io("cannot inspect '" + parent +
                     "': " + systemMessage(errno));
  }
  // In a folder that everybody may write and that is not sticky, somebody else
  // could replace ours at any time.
  if ((info.st_mode & S_IWOTH) && !(info.st_mode & S_ISVTX))
    return Error::io("cache folder '" + root +
                     "' lies in a folder that everybody can change");
  bool isNew = create && ::mkdir(root.c_str(), 0700) == 0;
  if (create && !isNew && errno != EEXIST && errno != EROFS)
    return Error::io("cannot create cache folder '" + root +
                     "': " + systemMessage(errno));
  FileDescriptor fd(
      ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && !create && errno == ENOENT)
    return std::unique_ptr<Directory>();
  if (!fd.valid())
    return Error::io("cannot open cache folder '" + root +
                     "': " + systemMessage(errno));
  if (isNew)
    shareFolder(fd.get(), access);
  if (Status checked = checkRoot(fd.get(), root, access); !checked)
    return checked.takeError();
  return std::unique_ptr<Directory>(new Directory(std::move(fd), access));
}

/// openat2(2) without links and without leaving `root`; component by component
/// where the kernel is older than 5.6 or a sandbox does not know the call.
static int openBeneath(int root, const std::string &path, int flags) {
  struct open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how));
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
    return static_cast<int>(fd);
  FileDescriptor folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  for (size_t begin = 0;;) {
    size_t slash = path.find('/', begin);
    std::string name = path.substr(begin, slash - begin);
    bool isLast = slash == std::string::npos;
    if (name.empty() || name == "..") {
      errno = EXDEV;
      return -1;
    }
    int next =
        ::openat(folder.get(), name.c_str(),
                 (isLast ? flags : O_RDONLY | O_DIRECTORY) | O_CLOEXEC |
                     O_NOFOLLOW);
    if (next < 0 || isLast)
      return next;
    folder = FileDescriptor(next);
    begin = slash + 1;
  }
}

FileDescriptor Directory::openAt(const std::string &path, int flags) const {
  int fd;
  do
    fd = openBeneath(root_.get(), path, flags);
  while (fd < 0 && errno == EINTR);
  // A file server forgot the file that its name stood for: once more, by name.
  if (fd < 0 && errno == ESTALE)
    fd = openBeneath(root_.get(), path, flags);
  return FileDescriptor(fd);
}

FileDescriptor Directory::openFolder(const std::string &path,
                                     bool create) const {
  if (path.empty())
    return FileDescriptor(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 0));
  FileDescriptor found = openAt(path, O_RDONLY | O_DIRECTORY);
  if (found.valid() || !create || errno != ENOENT)
    return found;
  size_t slash = path.rfind('/');
  FileDescriptor parent = openFolder(
      slash == std::string::npos ? "" : path.substr(0, slash), true);
  if (!parent.valid())
    return parent;
  std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (::mkdirat(parent.get(), name.c_str(), 0700) != 0) {
    if (errno != EEXIST)
      return FileDescriptor();
    return openAt(path, O_RDONLY | O_DIRECTORY);
  }
  FileDescriptor made = openAt(path, O_RDONLY | O_DIRECTORY);
  if (made.valid())
    shareFolder(made.get(), access_);
  return made;
}

FileDescriptor Directory::openParent(const std::string &path, bool create,
                                     std::string &name) const {
  size_t slash = path.rfind('/');
  name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  return openFolder(slash == std::string::npos ? "" : path.substr(0, slash),
                    create);
}

/// Whether a file may be written in place: one that we trust, and that is no
/// second name of a file somewhere else.
static bool mayWrite(const FileDescriptor &file, const Access &access) {
  struct stat info;
  return ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) &&
         access.trusts(info) && info.st_nlink <= 1;
}

FileDescriptor Directory::openShared(const std::string &path) const {
  // Who makes the file meanwhile makes it for all: once more.
  for (int attempt = 0; attempt < 4; ++attempt) {
    FileDescriptor found = openAt(path, O_RDWR | O_NONBLOCK);
    if (found.valid() && mayWrite(found, access_))
      return found;
    if (found.valid()) {
      errno = EPERM;
      return FileDescriptor();
    }
    if (errno != ENOENT)
      return found;
    std::string name;
    FileDescriptor parent = openParent(path, true, name);
    if (!parent.valid())
      return parent;
    FileDescriptor made(::openat(parent.get(), name.c_str(),
                                 O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW |
                                     O_CLOEXEC,
                                 0600));
    if (made.valid() && access_.group)
      (void)::fchmod(made.get(), access_.fileMode());
    if (made.valid() || errno != EEXIST)
      return made;
  }
  return FileDescriptor();
}

//===----------------------------------------------------------------------===//
// Changing
//===----------------------------------------------------------------------===//

int Directory::unlink(const std::string &path) const {
  std::string name;
  FileDescriptor parent = openParent(path, false, name);
  if (!parent.valid() || ::unlinkat(parent.get(), name.c_str(), 0) != 0)
    return errno == ENOENT || errno == ESTALE ? 0 : errno;
  return 0;
}

void Directory::removeFolder(const std::string &path) const {
  std::string name;
  FileDescriptor parent = openParent(path, false, name);
  if (parent.valid())
    (void)::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
}

int Directory::rename(const std::string &from, const std::string &to) const {
  std::string fromName, toName;
  FileDescriptor source = openParent(from, false, fromName);
  if (!source.valid())
    return errno;
  FileDescriptor target = openParent(to, true, toName);
  if (!target.valid())
    return errno;
  return ::renameat(source.get(), fromName.c_str(), target.get(),
                    toName.c_str()) == 0
             ? 0
             : errno;
}

int cache::writeWhole(int fd, ByteView bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    if (count == 0)
      return ENOSPC;
    done += static_cast<size_t>(count);
  }
  return 0;
}

/// 32 hexadecimal digits that nobody can foresee; empty if there are none.
static std::string randomName() {
  uint8_t random[16];
  ssize_t count;
  do
    count = ::getrandom(random, sizeof(random), 0);
  while (count < 0 && errno == EINTR);
  if (count != sizeof(random))
    return "";
  std::string name;
  for (uint8_t byte : random) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

int Directory::publish(const std::string &path, ByteView bytes, bool sync,
                       std::string &what) const {
  what = "draw the name of a file";
  std::string temporary = randomName();
  if (temporary.empty())
    return errno;
  what = "create a file under 'tmp'";
  FileDescriptor tmp = openFolder("tmp", true);
  if (!tmp.valid())
    return errno;
  FileDescriptor file(
      ::openat(tmp.get(), temporary.c_str(),
               O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid())
    return errno;
  what = "write '" + path + "'";
  int code = writeWhole(file.get(), bytes);
  if (code == 0 && access_.group &&
      ::fchmod(file.get(), access_.fileMode()) != 0)
    code = errno;
  if (code == 0 && sync && ::fdatasync(file.get()) != 0)
    code = errno;
  int closed = file.close();
  if (code == 0)
    code = closed;
  // Somebody may remove a folder that is empty just before it is not: again.
  for (int attempt = 0; code == 0; ++attempt) {
    std::string name;
    FileDescriptor parent = openParent(path, true, name);
    if (parent.valid() && ::renameat(tmp.get(), temporary.c_str(), parent.get(),
                                     name.c_str()) == 0) {
      // From here on nothing may fail the put.
      if (sync)
        (void)::fsync(parent.get());
      return 0;
    }
    if (errno != ENOENT || attempt == 3)
      code = errno;
  }
  (void)::unlinkat(tmp.get(), temporary.c_str(), 0);
  return code;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Result<std::vector<uint8_t>> cache::readWhole(int fd, const Access &access,
                                              uint64_t limit, int &code) {
  code = 0;
  struct stat info;
  if (::fstat(fd, &info) != 0) {
    code = errno;
    return Error::io("cannot inspect entry: " + systemMessage(code));
  }
  if (!S_ISREG(info.st_mode) || !access.trusts(info))
    return Error::malformed("entry is not a regular file of this " +
                            std::string(access.group ? "group" : "user"));
  if (static_cast<uint64_t>(info.st_size) > limit)
    return Error::malformed("entry has " + std::to_string(info.st_size) +
                            " bytes, expected at most " +
                            std::to_string(limit));
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      code = errno;
      return Error::io("cannot read entry: " + systemMessage(code));
    }
    if (count == 0)
      break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

void Directory::list(
    const std::string &path,
    const std::function<void(const std::string &, const struct stat &)> &visit)
    const {
  FileDescriptor folder = openAt(path, O_RDONLY | O_DIRECTORY);
  if (!folder.valid())
    return;
  DIR *dir = ::fdopendir(folder.get());
  if (!dir)
    return;
  int fd = folder.release();
  while (struct dirent *entry = ::readdir(dir)) {
    std::string name = entry->d_name;
    struct stat info;
    if (name != "." && name != ".." &&
        ::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
      visit(name, info);
  }
  ::closedir(dir);
}

bool Directory::freeSpace(uint64_t &free, uint64_t &total) const {
  struct statvfs info;
  if (::fstatvfs(root_.get(), &info) != 0)
    return false;
  free = uint64_t(info.f_bavail) * info.f_frsize;
  total = uint64_t(info.f_blocks) * info.f_frsize;
  return true;
}
