//===- Faults.cpp - System calls that fail when they are told to -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include <cerrno>
#include <cstdarg>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kiln;

namespace {
struct State {
  bool isArmed = false;
  uint64_t calls = 0;
  chaos::Fault fault;
  int64_t clockShift = 0;
};
State state;
} // namespace

void chaos::arm(const Fault &fault) {
  state.fault = fault;
  state.calls = 0;
  state.isArmed = true;
}

uint64_t chaos::disarm() {
  state.isArmed = false;
  return state.calls;
}

void chaos::shiftClock(int64_t seconds) { state.clockShift = seconds; }

/// Whether this call is the one that fails; sets errno then.
static bool fails() {
  if (!state.isArmed || ++state.calls != state.fault.call ||
      state.fault.error == 0)
    return false;
  errno = state.fault.error;
  return true;
}

/// The same of calls that may transfer less than they should.
static bool fails(size_t &size) {
  if (fails())
    return true;
  if (state.isArmed && state.calls == state.fault.call && size > 1)
    size /= 2;
  return false;
}

/// The function of the C library that stands behind one of ours.
template <typename F> static F *real(const char *name) {
  return reinterpret_cast<F *>(::dlsym(RTLD_NEXT, name));
}

#define KILN_REAL(name)                                                        \
  static auto *const next = real<decltype(::name)>(#name)

extern "C" {

int open(const char *path, int flags, ...) {
  KILN_REAL(open);
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails() ? -1 : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  KILN_REAL(openat);
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails() ? -1 : next(folder, path, flags, mode);
}

long syscall(long number, ...) {
  KILN_REAL(syscall);
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long &argument : arguments)
    argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_openat2 && fails())
    return -1;
  return next(number, arguments[0], arguments[1], arguments[2], arguments[3],
              arguments[4], arguments[5]);
}

ssize_t read(int fd, void *buffer, size_t size) {
  KILN_REAL(read);
  return fails(size) ? -1 : next(fd, buffer, size);
}

ssize_t write(int fd, const void *buffer, size_t size) {
  KILN_REAL(write);
  return fails(size) ? -1 : next(fd, buffer, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset) {
  KILN_REAL(pread);
  return fails(size) ? -1 : next(fd, buffer, size, offset);
}

ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset) {
  KILN_REAL(pwrite);
  return fails(size) ? -1 : next(fd, buffer, size, offset);
}

int close(int fd) {
  KILN_REAL(close);
  // A descriptor is closed even if that is said to have failed.
  bool isFailure = fails();
  int saved = errno;
  int result = next(fd);
  if (!isFailure)
    return result;
  errno = saved;
  return -1;
}

int fcntl(int fd, int command, ...) {
  KILN_REAL(fcntl);
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return fails() ? -1 : next(fd, command, argument);
}

int renameat(int from, const char *fromName, int to,
             const char *toName) noexcept {
  KILN_REAL(renameat);
  return fails() ? -1 : next(from, fromName, to, toName);
}

int mkdir(const char *path, mode_t mode) noexcept {
  KILN_REAL(mkdir);
  return fails() ? -1 : next(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) noexcept {
  KILN_REAL(mkdirat);
  return fails() ? -1 : next(folder, path, mode);
}

int unlinkat(int folder, const char *path, int flags) noexcept {
  KILN_REAL(unlinkat);
  return fails() ? -1 : next(folder, path, flags);
}

int fstat(int fd, struct stat *info) noexcept {
  KILN_REAL(fstat);
  return fails() ? -1 : next(fd, info);
}

int stat(const char *path, struct stat *info) noexcept {
  static auto *const next =
      real<int(const char *, struct stat *)>("stat");
  return fails() ? -1 : next(path, info);
}

int fstatat(int folder, const char *path, struct stat *info,
            int flags) noexcept {
  KILN_REAL(fstatat);
  return fails() ? -1 : next(folder, path, info, flags);
}

int fstatvfs(int fd, struct statvfs *info) noexcept {
  KILN_REAL(fstatvfs);
  return fails() ? -1 : next(fd, info);
}

int futimens(int fd, const timespec times[2]) noexcept {
  KILN_REAL(futimens);
  return fails() ? -1 : next(fd, times);
}

int ftruncate(int fd, off_t size) noexcept {
  KILN_REAL(ftruncate);
  return fails() ? -1 : next(fd, size);
}

int fdatasync(int fd) {
  KILN_REAL(fdatasync);
  return fails() ? -1 : next(fd);
}

int fsync(int fd) {
  KILN_REAL(fsync);
  return fails() ? -1 : next(fd);
}

int dup(int fd) noexcept {
  KILN_REAL(dup);
  return fails() ? -1 : next(fd);
}

ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
  KILN_REAL(getrandom);
  return fails(size) ? -1 : next(buffer, size, flags);
}

DIR *fdopendir(int fd) {
  KILN_REAL(fdopendir);
  return fails() ? nullptr : next(fd);
}

struct dirent *readdir(DIR *folder) {
  KILN_REAL(readdir);
  return fails() ? nullptr : next(folder);
}

int clock_gettime(clockid_t clock, timespec *now) noexcept {
  KILN_REAL(clock_gettime);
  int result = next(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME)
    now->tv_sec += state.clockShift;
  return result;
}

} // extern "C"
