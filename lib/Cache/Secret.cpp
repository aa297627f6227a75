//===- Secret.cpp - Text that is overwritten when it goes -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/Secret.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <openssl/crypto.h>

using namespace kiln::cache;

Secret::~Secret() { OPENSSL_cleanse(text_.data(), text_.size()); }

Secret kiln::cache::takeSecretVariable(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, Secret> taken;
  std::lock_guard<std::mutex> lock(mutex);
  if (char *value = std::getenv(name.c_str())) {
    std::string text = value;
    OPENSSL_cleanse(value, text.size());
    ::unsetenv(name.c_str());
    taken[name] = Secret(std::move(text));
  }
  return taken[name];
}
