//===- Certificates.h - A certificate authority for tests -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CACHEREDIS_CERTIFICATES_H
#define KILN_TEST_CACHEREDIS_CERTIFICATES_H

#include <string>

struct x509_st;
struct evp_pkey_st;

namespace kiln::test {

/// Issues certificates; its own lies in `<folder>/<name>.crt`.
class Authority {
public:
  Authority(const std::string &folder, const std::string &name);
  ~Authority();

  std::string certificate() const { return folder_ + "/" + name_ + ".crt"; }
  /// Writes `<name>.crt` and `<name>.key` for subject alternative names like
  /// "IP:127.0.0.1" or "DNS:example.org". Gives the SHA-256 of the public key.
  std::string issue(const std::string &name, const std::string &names,
                    bool isExpired = false) const;
  std::string path(const std::string &name, const char *type) const {
    return folder_ + "/" + name + "." + type;
  }

private:
  std::string folder_, name_;
  evp_pkey_st *key_;
  x509_st *certificate_;
};

} // namespace kiln::test

#endif // KILN_TEST_CACHEREDIS_CERTIFICATES_H
