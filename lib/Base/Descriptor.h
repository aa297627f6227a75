//===- Descriptor.h - Open files and what the system says of them --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_BASE_DESCRIPTOR_H
#define KILN_LIB_BASE_DESCRIPTOR_H

#include "kiln/Base/FileSystem.h"

#include <unistd.h>

namespace kiln {

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

/// "cannot <verb> '<path>': <what errno `code` means>".
Error systemError(const char *verb, const std::string &path, int code);

/// open(2) with O_CLOEXEC, again when a signal came between.
int openRetrying(const std::string &path, int flags, unsigned mode = 0);

} // namespace kiln

#endif // KILN_LIB_BASE_DESCRIPTOR_H
