//===- LocalStore.h - A cache directory -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout below the root, which is owned by the user and closed to others:
//
//   CACHEDIR.TAG  .kiln-format
//   fxgraph/<hh>/f<key>/<variant>.kc      hh: first two digits of the key
//   aotautograd/<hh>/a<key>/<variant>.kc  variant: first 16 digits of the
//   kernels/<hh>/k<key>/<variant>.kc      payload's SHA-256
//   tmp/                                  files being written
//
// Every access is relative to a descriptor of the root and follows no symbolic
// link. An entry is read into private memory, verified there and used from
// there: no cache file is ever mapped or executed. A file appears under its
// final name by renaming only, so a reader sees all of it or nothing, and a
// damaged file is a miss that the next put heals.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_LOCALSTORE_H
#define KILN_CACHE_LOCALSTORE_H

#include "kiln/Cache/Store.h"

#include <memory>

namespace kiln::cache {

class LocalStore : public Store {
public:
  /// Opens or creates the directory `root` (absolute). Refused with an Io error
  /// when it belongs to somebody else, is writable by others, is a symbolic
  /// link, or lies in a folder where others could replace it.
  static Result<std::unique_ptr<LocalStore>> open(const std::string &root);

  ~LocalStore() override;

  Lookup get(const CacheKey &key, const Digest &environment) override;
  Status put(const CacheKey &key, const Digest &environment,
             const EntryInfo &info, ByteView payload) override;
  void remove(const CacheKey &key) override;
  void removeVariant(const CacheKey &key, ByteView payload) override;
  bool contains(const CacheKey &key) override;

private:
  explicit LocalStore(int root) : root_(root) {}

  std::vector<std::string> variantNames(const std::string &directory);

  int root_;
};

/// The folder of a key below the root, "fxgraph/3f/f3f..".
std::string entryDirectory(const CacheKey &key);
/// The file name of a variant.
std::string variantName(ByteView payload);

} // namespace kiln::cache

#endif // KILN_CACHE_LOCALSTORE_H
