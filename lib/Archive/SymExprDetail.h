//===- SymExprDetail.h - Shared by the two expression parsers ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ARCHIVE_SYMEXPRDETAIL_H
#define KILN_LIB_ARCHIVE_SYMEXPRDETAIL_H

#include "kiln/Archive/SymExpr.h"

namespace kiln::archive {

constexpr size_t kMaxSymText = 65536;
constexpr size_t kMaxSymDepth = 256;
constexpr size_t kMaxSymNodes = 10000;

/// Takes tokens from a text, spaces skipped.
class SymScanner {
public:
  explicit SymScanner(std::string_view text) : text_(text) {}

  bool atEnd();
  bool eat(std::string_view token);
  bool peek(std::string_view token);
  /// Letters, digits and underscores, not starting with a digit; maybe empty.
  std::string_view identifier();
  /// Text in single or double quotes.
  Result<std::string> quoted();
  /// Digits with an optional minus sign, within 64 bits.
  Result<int64_t> integer();
  /// "expected X at character N of an expression, but found Y".
  Error unexpected(std::string_view expected);

  size_t position() const { return at_; }
  void seek(size_t position) { at_ = position; }
  std::string_view text() const { return text_; }
  char current() {
    skipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

private:
  void skipSpace();

  std::string_view text_;
  size_t at_ = 0;
};

SymExprPtr share(SymExpr expr);
SymExprPtr makeInteger(int64_t value);
SymExprPtr makeBool(bool value);
SymExprPtr makeCall(SymKind kind, std::vector<SymExprPtr> operands);

} // namespace kiln::archive

#endif // KILN_LIB_ARCHIVE_SYMEXPRDETAIL_H
