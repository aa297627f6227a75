//===- WriteFile.cpp - Replacing files, and writing through ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rename replaces whatever stands at a path: with the rights of root also
// /dev/null. So what a path names is found first, link by link.
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/random.h>
#include <sys/stat.h>

using namespace kiln;

namespace {

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

/// Turns SIGPIPE of this thread into EPIPE for a scope. A signal that was
/// pending before stays.
class WithoutPipeSignal {
public:
  WithoutPipeSignal() {
    sigset_t pending;
    ::sigpending(&pending);
    wasPending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    int code = errno;
    const struct timespec now = {0, 0};
    if (!wasPending_)
      while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR)
        ;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = code;
  }
  WithoutPipeSignal(const WithoutPipeSignal &) = delete;
  WithoutPipeSignal &operator=(const WithoutPipeSignal &) = delete;

private:
  sigset_t pipe_, before_;
  bool wasPending_;
};

/// What a path leads to.
struct Destination {
  std::string path;    ///< without links
  std::string folder;  ///< that it is in
  int descriptor = -1; ///< of this process, for /dev/stdout and the like
  std::optional<struct stat> info; ///< none if it is not there yet

  bool isReplaced() const {
    return descriptor < 0 && (!info || S_ISREG(info->st_mode));
  }
};

} // namespace

/// N for ".../fd" and "N", if that is a folder of this process's descriptors.
static int descriptorOf(const std::string &folder, const std::string &name) {
  static const std::string suffix = "/fd";
  std::string own = "/proc/" + std::to_string(::getpid());
  bool isOwn = folder == own + suffix ||
               (folder.compare(0, own.size() + 6, own + "/task/") == 0 &&
                folder.size() > suffix.size() &&
                folder.compare(folder.size() - suffix.size(), suffix.size(),
                               suffix) == 0);
  if (!isOwn || name.empty() || name.size() > 9 ||
      name.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  return std::atoi(name.c_str());
}

static Result<Destination> resolve(const std::string &given) {
  auto fail = [&](int code) { return systemError("write", given, code); };
  if (given.find('\0') != std::string::npos)
    return Error::io("cannot write to a path that holds a zero byte");
  std::string path = given;
  for (unsigned links = 0; links <= 40; ++links) {
    size_t slash = path.rfind('/');
    std::string name =
        slash == std::string::npos ? path : path.substr(slash + 1);
    if (path.empty())
      return fail(ENOENT);
    if (name.empty() || name == "." || name == "..")
      return fail(EISDIR);
    std::unique_ptr<char, decltype(&std::free)> folder(
        ::realpath(slash == std::string::npos ? "."
                   : slash == 0               ? "/"
                                : path.substr(0, slash).c_str(),
                   nullptr),
        &std::free);
    if (!folder)
      return fail(errno);
    Destination found;
    found.folder = folder.get();
    found.path = (found.folder == "/" ? "" : found.folder) + "/" + name;
    found.descriptor = descriptorOf(found.folder, name);
    struct stat info;
    if (found.descriptor >= 0)
      return ::fcntl(found.descriptor, F_GETFD) < 0
                 ? Result<Destination>(fail(errno))
                 : Result<Destination>(std::move(found));
    if (::lstat(found.path.c_str(), &info) != 0) {
      if (errno != ENOENT)
        return fail(errno);
      return found;
    }
    if (S_ISDIR(info.st_mode))
      return fail(EISDIR);
    found.info = info;
    if (!S_ISLNK(info.st_mode))
      return found;
    char target[PATH_MAX];
    ssize_t length = ::readlink(found.path.c_str(), target, sizeof(target));
    if (length <= 0 || length == sizeof(target))
      return fail(length < 0 ? errno : ENAMETOOLONG);
    path.assign(target, static_cast<size_t>(length));
    if (path[0] != '/')
      path = found.folder + "/" + path;
  }
  return fail(ELOOP);
}

Status kiln::writeDescriptor(int fd, ByteView contents,
                             const std::string &what) {
  WithoutPipeSignal withoutPipeSignal;
  size_t done = 0;
  while (done < contents.size()) {
    ssize_t count =
        ::write(fd, contents.data() + done, contents.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return Error::io("cannot write " + what + ": " +
                       systemMessage(count < 0 ? errno : EIO));
    done += static_cast<size_t>(count);
  }
  return Status::success();
}

/// Devices, pipes and descriptors.
static Status writeThrough(const Destination &to, ByteView contents,
                           const std::string &path) {
  std::string what = "'" + path + "'";
  if (to.descriptor >= 0)
    return writeDescriptor(to.descriptor, contents, what);
  Descriptor file(openRetrying(to.path, O_WRONLY | O_NOCTTY));
  if (!file.valid())
    return systemError("open", path, errno);
  if (Status s = writeDescriptor(file.get(), contents, what); !s)
    return s;
  return file.close() == 0 ? Status::success()
                           : Status(systemError("write", path, errno));
}

static Result<std::string> temporaryName(const Destination &to) {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random))
    return Error::io("cannot get random bytes for a temporary file in '" +
                     to.folder + "'");
  static const char digits[] = "0123456789abcdef";
  std::string suffix;
  for (int i = 0; i < 16; ++i)
    suffix += digits[(random >> (4 * i)) & 15];
  return to.folder + "/.tmp-" + suffix;
}

static Status replace(const Destination &to, ByteView contents,
                      const std::string &path, WriteOptions options) {
  auto name = temporaryName(to);
  if (!name)
    return name.takeError();
  unsigned mode = to.info ? to.info->st_mode & 0777 : 0666;
  Descriptor file(
      openRetrying(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  if (!file.valid())
    return systemError("create a temporary file beside", path, errno);
  Temporary temporary(*name);
  // The umask took bits away that the replaced file has.
  if (to.info && ::fchmod(file.get(), mode) != 0)
    return systemError("set permissions of", path, errno);
  if (Status s = writeDescriptor(file.get(), contents, "'" + path + "'"); !s)
    return s;
  if (options.sync && ::fsync(file.get()) != 0)
    return systemError("sync", path, errno);
  if (file.close() != 0)
    return systemError("write", path, errno);
  if (::rename(name->c_str(), to.path.c_str()) != 0)
    return systemError("replace", path, errno);
  temporary.keep();
  if (options.sync) {
    Descriptor folder(openRetrying(to.folder, O_RDONLY | O_DIRECTORY));
    if (folder.valid())
      (void)::fsync(folder.get()); // not every file system can
  }
  return Status::success();
}

Status kiln::writeFile(const std::string &path, ByteView contents,
                       WriteOptions options) {
  auto to = resolve(path);
  if (!to)
    return to.takeError();
  return to->isReplaced() ? replace(*to, contents, path, options)
                          : writeThrough(*to, contents, path);
}

Status kiln::checkWritable(const std::string &path) {
  auto to = resolve(path);
  if (!to)
    return to.takeError();
  if (to->descriptor >= 0)
    return Status::success();
  bool isReplaced = to->isReplaced();
  if (::faccessat(AT_FDCWD, isReplaced ? to->folder.c_str() : to->path.c_str(),
                  isReplaced ? W_OK | X_OK : W_OK, AT_EACCESS) != 0)
    return systemError("write", path, errno);
  return Status::success();
}
