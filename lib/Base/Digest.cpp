//===- Digest.cpp - SHA-256 ----------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Digest.h"

#include "kiln/Base/Hex.h"

// The direct functions need no provider: the first digest of a process takes
// 15 us instead of the 800 us of EVP, and a warm start computes one.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

using namespace kiln;

std::string Digest::hex() const {
  return toHex(ByteView(bytes.data(), bytes.size()));
}

static int hexValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return -1;
}

std::optional<Digest> Digest::fromHex(std::string_view text) {
  Digest digest;
  if (text.size() != 2 * digest.bytes.size())
    return std::nullopt;
  for (size_t i = 0; i < digest.bytes.size(); ++i) {
    int high = hexValue(text[2 * i]), low = hexValue(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return std::nullopt;
    digest.bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return digest;
}

static SHA256_CTX *get(unsigned char *context) {
  return reinterpret_cast<SHA256_CTX *>(context);
}

static_assert(sizeof(SHA256_CTX) <= sizeof(Hasher) &&
                  alignof(SHA256_CTX) <= alignof(Hasher),
              "Hasher must hold the state of OpenSSL");

Hasher::Hasher() { SHA256_Init(get(context_)); }

void Hasher::add(ByteView bytes) {
  if (!bytes.empty())
    SHA256_Update(get(context_), bytes.data(), bytes.size());
}

void Hasher::addNumber(uint64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  add(ByteView(bytes, sizeof(bytes)));
}

void Hasher::addPart(std::string_view label, ByteView bytes) {
  addNumber(label.size());
  addNumber(bytes.size());
  add(ByteView(label));
  add(bytes);
}

Digest Hasher::finish() {
  Digest digest;
  SHA256_Final(digest.bytes.data(), get(context_));
  return digest;
}

Digest kiln::sha256(ByteView bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return hasher.finish();
}
