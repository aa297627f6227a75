//===- Result.h - Values or errors without exceptions ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything below the LLVM line reports failure through `Result<T>` or
// `Status`: an error carries a kind (which decides the exit code of a tool) and
// one sentence in the style of MLIR diagnostics: lower case, no full stop, found
// and expected, names in quotes.
//
// Example:
//
//   Result<int> parsePort(std::string_view text) {
//     if (text.empty())
//       return Error::malformed("port is empty, expected 1 to 65535");
//     ...
//     return 6379;
//   }
//
//   auto port = parsePort(s);
//   if (!port)
//     return port.takeError();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_RESULT_H
#define KILN_BASE_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace kiln {

/// What went wrong, in the classes a caller can act upon. The numbers of the
/// first six are the exit codes of the tools.
enum class ErrorKind : int {
  CheckFailed = 1, ///< ran, and the result disagrees with what was expected
  Usage = 2,       ///< the caller asked for something meaningless
  Malformed = 3,   ///< the input's bytes contradict its format
  Unsupported = 4, ///< well formed, but outside what is implemented
  Internal = 5,    ///< a bug of Kiln
  Io = 6,          ///< the operating system refused; tools exit with 3
  Guard = 7,       ///< a compiled program does not fit its inputs; tools exit 4
};

/// An error: a kind and a sentence. Never empty.
struct Error {
  ErrorKind kind;
  std::string message;

  static Error usage(std::string m) { return {ErrorKind::Usage, std::move(m)}; }
  static Error malformed(std::string m) {
    return {ErrorKind::Malformed, std::move(m)};
  }
  static Error unsupported(std::string m) {
    return {ErrorKind::Unsupported, std::move(m)};
  }
  static Error internal(std::string m) {
    return {ErrorKind::Internal, std::move(m)};
  }
  static Error io(std::string m) { return {ErrorKind::Io, std::move(m)}; }
  static Error guard(std::string m) { return {ErrorKind::Guard, std::move(m)}; }

  /// The same error with `context + ": "` before its sentence.
  Error withContext(const std::string &context) const {
    return {kind, context + ": " + message};
  }

  /// The exit code that a tool ends with because of this error.
  int exitCode() const {
    switch (kind) {
    case ErrorKind::Io:
      return static_cast<int>(ErrorKind::Malformed);
    case ErrorKind::Guard:
      return static_cast<int>(ErrorKind::Unsupported);
    default:
      return static_cast<int>(kind);
    }
  }
};

/// Success, or an error. Converts to true on success.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failed_(true), error_(std::move(error)) {}
  static Status success() { return {}; }

  explicit operator bool() const { return !failed_; }
  const Error &error() const {
    assert(failed_ && "no error in a successful status");
    return error_;
  }
  Error takeError() { return std::move(error_); }

private:
  // No optional: every file that includes this would instantiate it.
  bool failed_ = false;
  Error error_{ErrorKind::Internal, {}};
};

/// A value of type T, or an error. Converts to true when it holds a value.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

  const Error &error() const {
    assert(!value_ && "no error in a successful result");
    return error_;
  }
  Error takeError() { return std::move(error_); }

private:
  std::optional<T> value_;
  Error error_{ErrorKind::Internal, {}};
};

} // namespace kiln

#endif // KILN_BASE_RESULT_H
