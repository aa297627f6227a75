//===- Tls.cpp - TLS between buffers --------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tls.h"

#include "kiln/Base/Digest.h"
#include "kiln/Base/FileSystem.h"

#include <arpa/inet.h>
#include <cerrno>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;

/// The last reason of OpenSSL's queue, which is emptied.
static std::string lastReason() {
  unsigned long code = 0, last = 0;
  while ((code = ERR_get_error()) != 0)
    last = code;
  const char *reason = last ? ERR_reason_error_string(last) : nullptr;
  return reason ? reason : "unknown failure";
}

/// The digest of the key in a certificate.
static std::string digestOfKey(X509 *certificate) {
  unsigned char *encoded = nullptr;
  int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded);
  if (size <= 0)
    return "";
  std::string digest = sha256(ByteView(encoded, size_t(size))).hex();
  OPENSSL_free(encoded);
  return digest;
}

/// Replaces the verification of the chain where a key is pinned. With a CA as
/// well, both must hold.
static int verifyPinned(X509_STORE_CTX *store, void *argument) {
  const auto &config = *static_cast<const TlsConfig *>(argument);
  X509 *certificate = X509_STORE_CTX_get0_cert(store);
  if (!certificate || digestOfKey(certificate) != config.pin) {
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }
  if (!config.caFile.empty() || !config.caFolder.empty())
    return X509_verify_cert(store);
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}

/// Says that there is no pass phrase: OpenSSL would ask for one on the terminal.
static int noPassPhrase(char *, int, int, void *) { return 0; }

/// What is wrong with the owner or the mode of a private key.
static Status checkPrivate(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return Error::io("cannot read the key '" + path +
                     "': " + systemMessage(errno));
  if (!S_ISREG(info.st_mode) ||
      (info.st_uid != ::geteuid() && info.st_uid != 0))
    return Error::io("the key '" + path +
                     "' is not a regular file of this user");
  // A group may be let in by the administrator, by nobody else.
  if (info.st_mode & (info.st_uid == 0 ? 027 : 077))
    return Error::io("the key '" + path +
                     "' is open to others, expected mode 0600");
  return Status::success();
}

Result<std::shared_ptr<TlsContext>> TlsContext::make(const TlsConfig &config) {
  SSL_CTX *raw = SSL_CTX_new(TLS_client_method());
  if (!raw)
    return Error::io("cannot begin TLS: " + lastReason());
  std::shared_ptr<TlsContext> context(new TlsContext(raw, config));
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE);
  const char *file = config.caFile.empty() ? nullptr : config.caFile.c_str();
  const char *folder =
      config.caFolder.empty() ? nullptr : config.caFolder.c_str();
  if (file || folder) {
    if (SSL_CTX_load_verify_locations(raw, file, folder) != 1)
      return Error::io("cannot read the certificates of '" +
                       (file ? config.caFile : config.caFolder) +
                       "': " + lastReason());
  } else {
    SSL_CTX_set_default_verify_paths(raw);
  }
  if (!config.certificateFile.empty() &&
      SSL_CTX_use_certificate_chain_file(raw, config.certificateFile.c_str()) !=
          1)
    return Error::io("cannot read the certificate '" + config.certificateFile +
                     "': " + lastReason());
  SSL_CTX_set_default_passwd_cb(raw, noPassPhrase);
  if (!config.keyFile.empty())
    if (Status checked = checkPrivate(config.keyFile); !checked)
      return checked.takeError();
  if (!config.keyFile.empty() &&
      SSL_CTX_use_PrivateKey_file(raw, config.keyFile.c_str(),
                                  SSL_FILETYPE_PEM) != 1)
    return Error::io("cannot use the key '" + config.keyFile +
                     "', expected one without a pass phrase: " + lastReason());
  if (!config.pin.empty())
    SSL_CTX_set_cert_verify_callback(raw, verifyPinned, &context->config_);
  return context;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

TlsSession::TlsSession(std::shared_ptr<TlsContext> context,
                       const std::string &host)
    : context_(std::move(context)), ssl_(SSL_new(context_->get())) {
  BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
  if (!ssl_ || !in || !out) {
    BIO_free(in);
    BIO_free(out);
    SSL_free(ssl_);
    throw std::bad_alloc();
  }
  // An empty buffer means "not yet", not "ended".
  BIO_set_mem_eof_return(in, -1);
  BIO_set_mem_eof_return(out, -1);
  SSL_set_bio(ssl_, in, out);
  SSL_set_connect_state(ssl_);
  const std::string &name = context_->config().serverName.empty()
                                ? host
                                : context_->config().serverName;
  unsigned char address[16];
  bool isAddress = inet_pton(AF_INET, name.c_str(), address) == 1 ||
                   inet_pton(AF_INET6, name.c_str(), address) == 1;
  SSL_set_hostflags(ssl_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  bool isSet = isAddress
                   ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_),
                                                   name.c_str()) == 1
                   : SSL_set1_host(ssl_, name.c_str()) == 1 &&
                         SSL_set_tlsext_host_name(ssl_, name.c_str()) == 1;
  if (!isSet)
    error_ = "'" + name + "' cannot be the name in a certificate";
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

void TlsSession::receive(ByteView encrypted) {
  size_t done = 0;
  while (done < encrypted.size()) {
    size_t part = std::min<size_t>(encrypted.size() - done, 1 << 24);
    int count =
        BIO_write(SSL_get_rbio(ssl_), encrypted.data() + done, int(part));
    if (count <= 0)
      throw std::bad_alloc();
    done += size_t(count);
  }
}

void TlsSession::takeOutput(std::string &out) {
  char buffer[16384];
  int count;
  while ((count = BIO_read(SSL_get_wbio(ssl_), buffer, sizeof(buffer))) > 0)
    out.append(buffer, size_t(count));
}

TlsSession::Progress TlsSession::result(int code) {
  if (code > 0)
    return Progress::Done;
  int reason = SSL_get_error(ssl_, code);
  if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE)
    return Progress::More;
  long verified = SSL_get_verify_result(ssl_);
  unsigned long queued = ERR_peek_last_error();
  int alert = ERR_GET_REASON(queued);
  // Alerts about certificates come from the server, which wants another one.
  refusedCertificate_ = verified != X509_V_OK ||
                        alert == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED ||
                        alert == SSL_R_TLSV1_ALERT_UNKNOWN_CA ||
                        alert == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE ||
                        alert == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE ||
                        alert == SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED ||
                        alert == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN;
  if (verified == X509_V_ERR_APPLICATION_VERIFICATION)
    error_ = "the server's key is not the pinned one";
  else if (verified != X509_V_OK)
    error_ = std::string("the server's certificate is not accepted: ") +
             X509_verify_cert_error_string(verified);
  else
    error_ = "TLS failed: " + lastReason();
  if (alert == SSL_R_WRONG_VERSION_NUMBER ||
      alert == SSL_R_UNSUPPORTED_PROTOCOL ||
      alert == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION)
    error_ += "; is this a port with TLS 1.2 or newer?";
  ERR_clear_error();
  return Progress::Failed;
}

TlsSession::Progress TlsSession::handshake() {
  if (!error_.empty())
    return Progress::Failed;
  ERR_clear_error();
  return result(SSL_do_handshake(ssl_));
}

bool TlsSession::write(std::string_view plain) {
  while (!plain.empty()) {
    ERR_clear_error();
    size_t written = 0;
    // The buffer behind it grows, so that nothing is ever waited for.
    int code = SSL_write_ex(ssl_, plain.data(), plain.size(), &written);
    if (code != 1) {
      (void)result(code);
      if (error_.empty())
        error_ = "TLS cannot write";
      return false;
    }
    plain.remove_prefix(written);
  }
  return true;
}

TlsSession::Progress TlsSession::read(std::string &plain, size_t limit) {
  char buffer[16384];
  for (size_t taken = 0; taken < limit;) {
    ERR_clear_error();
    int count = SSL_read(ssl_, buffer, sizeof(buffer));
    if (count <= 0) {
      if (SSL_get_error(ssl_, count) == SSL_ERROR_ZERO_RETURN)
        return Progress::Done;
      return result(count);
    }
    plain.append(buffer, size_t(count));
    taken += size_t(count);
  }
  return Progress::More;
}
