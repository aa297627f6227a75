//===- Secret.h - Text that is overwritten when it goes --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A password. It cannot be printed by accident: whoever wants the text says
// `reveal`, which is searched for in reviews.
//
//   Secret password = takeSecretVariable("KILN_REDIS_PASSWORD");
//   if (!password.empty())
//     authenticate(password.reveal());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_SECRET_H
#define KILN_CACHE_SECRET_H

#include <string>

namespace kiln::cache {

class Secret {
public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret &) = default;
  Secret &operator=(const Secret &) = default;
  ~Secret();

  bool empty() const { return text_.empty(); }
  const std::string &reveal() const { return text_; }

private:
  std::string text_;
};

/// The value of an environment variable, which is overwritten where the process
/// keeps it and removed. A second call gives it again.
Secret takeSecretVariable(const std::string &name);

} // namespace kiln::cache

#endif // KILN_CACHE_SECRET_H
