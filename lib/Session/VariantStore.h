//===- VariantStore.h - The compiled variants of a session -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns what was compiled from a source: in memory, by guards; in the cache, under
// a key over source, options and environment; and what the compiler makes when
// none of them takes the inputs. All that a session says of its variants, and all
// that its statistics count, comes from here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_VARIANTSTORE_H
#define KILN_LIB_SESSION_VARIANTSTORE_H

#include "SlotTable.h"
#include "Specializer.h"

#include "kiln/Cache/CacheKey.h"
#include "kiln/Session/JointCache.h"
#include "kiln/Session/KernelCache.h"

#include <set>

namespace kiln::session {

class VariantStore {
public:
  /// What is passed by reference must live as long. `slots` receives what each
  /// variant needs besides the caller's inputs.
  VariantStore(archive::SourcePtr source, const SessionOptions &options,
               const runtime::OperatorRegistry &registry,
               runtime::ThreadPool &pool, SlotTable &slots);

  /// Makes the key. A package is taken as the only variant; of a module, whose
  /// inputs nobody knows before, one is looked up or compiled.
  /// Programs run on `device`, on the processor if it is null.
  Status open(std::shared_ptr<runtime::Device> device);
  /// Takes over what the cache has; once, before the first call.
  Status lookUp();

  runtime::CompiledFunction &function() { return function_; }
  const runtime::CompiledFunction &function() const { return function_; }
  const cache::Store *cache() const { return cache_.get(); }
  const SessionStats &stats() const { return stats_; }
  SessionStats &stats() { return stats_; }

private:
  runtime::CompiledFunction::Options functionOptions(runtime::ThreadPool &pool);
  Status takePackage();
  Status makeKey();
  void openKernels();
  std::unique_ptr<JointCache> openJoint(const CompileOptions &wanted);
  Status openCache();
  Result<package::Package> decode(const cache::DecodedEntry &entry);
  std::optional<package::Package>
  findCompiled(const Specialization &specialization,
               std::vector<uint8_t> &bytes);
  Status compareWithEntry(ByteView entry, ByteView compiled);
  Status add(package::Package package);
  Result<package::Package> compile(const std::vector<runtime::OpValue> &slots,
                                   const std::vector<std::string> &reasons);
  void noteSizes(const std::vector<runtime::OpValue> &slots);
  Result<Specialization>
  specialize(const std::vector<runtime::OpValue> &slots) const;
  Status checkIsNew(const Specialization &specialization,
                    const std::vector<std::string> &reasons) const;
  Result<package::Package> compileBytes(const CompileOptions &wanted,
                                        std::vector<uint8_t> &bytes);
  void store(const package::Package &package,
             const std::vector<uint8_t> &bytes, double seconds);
  void miss(const std::string &reason, bool isWarning);

  archive::SourcePtr source_;
  const SessionOptions &options_;
  SlotTable &slots_;
  runtime::ThreadPool &pool_;
  Specializer specializer_;
  std::shared_ptr<runtime::Device> device_;
  std::unique_ptr<KernelCache> deviceCode_;
  runtime::CompiledFunction function_;
  std::unique_ptr<cache::Store> cache_;
  std::unique_ptr<KernelCache> kernels_;
  std::optional<cache::CacheKey> key_;
  std::string whyNoKey_;   ///< if there could be one
  std::string whyNotKept_; ///< what was compiled last
  Digest environment_;
  SizeProfile profile_; ///< of the sizes of all calls so far
  /// Names of the entries that are variants here.
  std::set<std::string> loaded_;
  bool lookedUp_ = false;
  bool isVerifying_ = false; ///< entries are compared, and not used
  bool isUnusedHit_ = false; ///< there was a hit, and no call since
  bool warnedOfCache_ = false;
  SessionStats stats_;
};

} // namespace kiln::session

#endif // KILN_LIB_SESSION_VARIANTSTORE_H
