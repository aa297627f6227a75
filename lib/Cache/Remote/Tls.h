//===- Tls.h - TLS between buffers ------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenSSL over two memory buffers: it never touches a descriptor, so deadlines
// and signals are the connection's business alone. The server's certificate and
// name are always verified; a pinned key takes the place of a CA, not of the
// verification.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_REMOTE_TLS_H
#define KILN_LIB_CACHE_REMOTE_TLS_H

#include "kiln/Base/Bytes.h"
#include "kiln/Cache/RemoteConfig.h"

struct ssl_st;
struct ssl_ctx_st;

namespace kiln::cache {

/// Certificates and rules, shared by connections.
class TlsContext {
public:
  /// Reads the files. An error names the file and never its contents.
  static Result<std::shared_ptr<TlsContext>> make(const TlsConfig &config);
  ~TlsContext();

  ssl_ctx_st *get() const { return context_; }
  const TlsConfig &config() const { return config_; }
  /// The pinned digest, or none.
  const std::string &pin() const { return config_.pin; }

private:
  TlsContext(ssl_ctx_st *context, TlsConfig config)
      : context_(context), config_(std::move(config)) {}

  ssl_ctx_st *context_;
  TlsConfig config_;
};

class TlsSession {
public:
  /// For a server that was asked for by `host`.
  TlsSession(std::shared_ptr<TlsContext> context, const std::string &host);
  ~TlsSession();
  TlsSession(const TlsSession &) = delete;
  TlsSession &operator=(const TlsSession &) = delete;

  /// Takes what came from the server.
  void receive(ByteView encrypted);
  /// What is to be sent to it; appended.
  void takeOutput(std::string &out);

  enum class Progress { Done, More, Failed };
  Progress handshake();
  /// Encrypts all of `plain`. False on failure.
  bool write(std::string_view plain);
  /// Appends what was decrypted, at most `limit` bytes. Done: the server ended
  /// the session.
  Progress read(std::string &plain, size_t limit);

  /// Why it failed, and whether the server (or we) refused a certificate.
  const std::string &error() const { return error_; }
  bool refusedCertificate() const { return refusedCertificate_; }

private:
  Progress result(int code);

  std::shared_ptr<TlsContext> context_;
  ssl_st *ssl_ = nullptr;
  std::string error_;
  bool refusedCertificate_ = false;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_REMOTE_TLS_H
