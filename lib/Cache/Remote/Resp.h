//===- Resp.h - Redis commands and replies ----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// hiredis formats commands and parses replies; it never sees a socket. Its
// reader alone would allocate for as many elements as a server claims and
// buffer a line without end, so elements, bytes and lines are bounded here, and
// a string that claims to be longer is refused before it comes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_REMOTE_RESP_H
#define KILN_LIB_CACHE_REMOTE_RESP_H

#include "kiln/Base/Bytes.h"

#include <optional>

struct redisReader;

namespace kiln::cache {

/// Most elements of a reply, with those of arrays inside.
constexpr size_t kMaxReplyElements = 65536;

struct Reply {
  enum class Kind { Nil, String, Status, Error, Integer, Array };
  Kind kind = Kind::Nil;
  std::string text; ///< of strings, states and errors
  long long integer = 0;
  std::vector<Reply> elements;

  bool isError() const { return kind == Kind::Error; }
  /// The first word of an error, "NOPERM". The rest is never shown: a server
  /// may repeat the arguments of a command there, and one is a password.
  std::string errorCode() const;
};

/// A command as bytes.
std::string formatCommand(const std::vector<std::string_view> &words);

class RespReader {
public:
  RespReader();
  ~RespReader();
  RespReader(const RespReader &) = delete;
  RespReader &operator=(const RespReader &) = delete;

  /// Sets how many bytes the next reply may have.
  void limit(size_t bytes) { limit_ = bytes; }
  /// Takes bytes of the stream. False if it is broken or over the limit; then
  /// `error` says why and nothing more is read.
  bool feed(ByteView bytes);
  /// The next complete reply, if there is one.
  std::optional<Reply> next();
  const std::string &error() const { return error_; }

private:
  std::string_view rest() const;
  size_t announced() const;
  bool isLongLine() const;

  redisReader *reader_;
  size_t limit_ = 1 << 16;
  size_t pending_ = 0;  ///< bytes since the last complete reply
  size_t elements_ = 0; ///< of the reply that is read
  std::string error_;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_REMOTE_RESP_H
