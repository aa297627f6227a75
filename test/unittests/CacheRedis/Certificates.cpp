//===- Certificates.cpp - A certificate authority for tests ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Certificates.h"

#include "kiln/Base/Digest.h"

#include <cstdio>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

using namespace kiln;
using namespace kiln::test;

static X509 *makeCertificate(EVP_PKEY *key, const std::string &name,
                             X509 *issuer, bool isExpired) {
  X509 *made = X509_new();
  X509_set_version(made, 2);
  static long serial = 1;
  ASN1_INTEGER_set(X509_get_serialNumber(made), serial++);
  constexpr long kDay = 24 * 3600;
  X509_gmtime_adj(X509_getm_notBefore(made), -2 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(made), isExpired ? -kDay : kDay);
  X509_NAME *subject = X509_get_subject_name(made);
  X509_NAME_add_entry_by_txt(
      subject, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char *>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made, issuer ? X509_get_subject_name(issuer) : subject);
  X509_set_pubkey(made, key);
  return made;
}

static void addExtension(X509 *made, X509 *issuer, int id, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, made, nullptr, nullptr, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
  X509_add_ext(made, extension, -1);
  X509_EXTENSION_free(extension);
}

static void writeCertificate(const std::string &path, X509 *certificate) {
  FILE *file = std::fopen(path.c_str(), "w");
  PEM_write_X509(file, certificate);
  std::fclose(file);
}

Authority::Authority(const std::string &folder, const std::string &name)
    : folder_(folder), name_(name), key_(EVP_EC_gen("P-256")),
      certificate_(makeCertificate(key_, name, nullptr, false)) {
  addExtension(certificate_, certificate_, NID_basic_constraints,
               "critical,CA:TRUE");
  addExtension(certificate_, certificate_, NID_key_usage, "keyCertSign");
  X509_sign(certificate_, key_, EVP_sha256());
  writeCertificate(certificate(), certificate_);
}

Authority::~Authority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

std::string Authority::issue(const std::string &name, const std::string &names,
                             bool isExpired) const {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *made = makeCertificate(key, name, certificate_, isExpired);
  if (!names.empty())
    addExtension(made, certificate_, NID_subject_alt_name, names.c_str());
  X509_sign(made, key_, EVP_sha256());
  writeCertificate(path(name, "crt"), made);
  FILE *file = std::fopen(path(name, "key").c_str(), "w");
  ::fchmod(::fileno(file), 0600);
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  unsigned char *encoded = nullptr;
  int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(made), &encoded);
  std::string digest = sha256(ByteView(encoded, size_t(size))).hex();
  OPENSSL_free(encoded);
  X509_free(made);
  EVP_PKEY_free(key);
  return digest;
}
