//===- DamageCommands.cpp - Entries that are damaged -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Package/Package.h"
#include "kiln/Session/CacheArtifacts.h"

#include <fstream>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::chaos;

namespace {
/// One entry, damaged again and again.
class Victim {
public:
  Victim() : store_(openStore(scratch_.root())) {}

  /// Stores the payload of a number and remembers the file.
  Status make(uint64_t number) {
    if (!store_)
      return store_.error();
    (*store_)->remove(keyOf(number_));
    number_ = number;
    if (Status s = chaos::store(**store_, number); !s)
      return s;
    path_ = onlyEntry(scratch_.root());
    auto bytes = readFile(path_);
    if (!bytes)
      return bytes.takeError();
    bytes_ = std::move(*bytes);
    return Status::success();
  }
  const std::vector<uint8_t> &bytes() const { return bytes_; }

  /// Puts `damaged` in the place of the entry, looks it up, and has it made
  /// again.
  void attack(const std::vector<uint8_t> &damaged) {
    {
      std::ofstream file(path_, std::ios::binary | std::ios::trunc);
      file.write(reinterpret_cast<const char *>(damaged.data()),
                 static_cast<std::streamsize>(damaged.size()));
    }
    ++attacks;
    accepted += lookUp(**store_, number_) != Found::Nothing;
    healed += bool(chaos::store(**store_, number_)) &&
              lookUp(**store_, number_) == Found::Right;
  }

  uint64_t attacks = 0, accepted = 0, healed = 0;

  int finish(const char *name) const {
    StoreStats stats = (*store_)->stats();
    report(name, {{"n", double(attacks)},
                  {"accepted", double(accepted)},
                  {"healed", double(healed)},
                  {"counted_corrupt", double(stats.corrupt)},
                  {"consistent", double(stats.isConsistent())}});
    return accepted == 0 && healed == attacks && stats.isConsistent() ? 0 : 1;
  }

private:
  Scratch scratch_;
  Result<std::unique_ptr<LocalStore>> store_;
  uint64_t number_ = 0;
  std::string path_;
  std::vector<uint8_t> bytes_;
};
} // namespace

//===----------------------------------------------------------------------===//
// Files that are carried
//===----------------------------------------------------------------------===//

namespace {
/// Whether the reader of a kind of file takes these bytes.
using Taker = std::function<bool(const std::vector<uint8_t> &)>;
} // namespace

/// The reader of an artifact file or a package.
static Result<Taker> takerOf(const std::vector<uint8_t> &good) {
  auto ring = KeyRing::open(readKeyConfig());
  if (!ring)
    return ring.takeError();
  Taker artifact = [ring = *ring](const std::vector<uint8_t> &bytes) {
    CacheInfo info;
    return bool(session::decodeArtifacts(bytes, *ring, info));
  };
  Taker package = [](const std::vector<uint8_t> &bytes) {
    auto reader = package::PackageReader::open(ByteView(bytes));
    return reader && reader->readAll();
  };
  for (const Taker &taker : {artifact, package})
    if (taker(good))
      return taker;
  return Error::usage("the file is neither an artifact file that is signed by a "
                      "trusted key nor a package");
}

/// A value of a remote: an entry with the signature of its maker.
static std::vector<uint8_t> remoteValue(uint64_t number) {
  static const KeyRing ring(Seed({1}), {}, {});
  return encodeEntry(keyOf(number).digest, environmentOf(), {},
                     payloadOf(number), {ring, Authentication::Ed25519});
}

static bool takesRemoteValue(const std::vector<uint8_t> &bytes) {
  static const KeyRing ring(Seed({1}), {}, {});
  return decodeEntry(bytes, keyOf(3).digest, environmentOf(),
                     {ring, Tier::Remote})
             .fault == EntryFault::None;
}

/// Flips bits of bytes that `taker` takes as they are.
static int flipAll(const char *name, const std::vector<uint8_t> &good,
                   const Taker &taker, uint64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  uint64_t accepted = 0;
  std::vector<uint8_t> bytes = good;
  for (uint64_t i = 0; i < n; ++i) {
    size_t size = random() % 2 == 0 ? kEntryHeaderBytes : bytes.size();
    size_t at = random() % std::min(size, bytes.size());
    auto bit = static_cast<uint8_t>(1u << (random() % 8));
    bytes[at] ^= bit;
    accepted += taker(bytes);
    bytes[at] ^= bit;
  }
  bool isGood = taker(good);
  report(name, {{"n", double(n)},
                {"bytes", double(good.size())},
                {"accepted", double(accepted)},
                {"unflipped_accepted", double(isGood)}});
  return accepted == 0 && isGood ? 0 : 1;
}

static Result<int> bitflipFile(const std::string &path, uint64_t n,
                               uint64_t seed) {
  auto good = readFile(path);
  if (!good)
    return good.takeError();
  auto taker = takerOf(*good);
  if (!taker)
    return taker.takeError();
  return flipAll("bitflip file", *good, *taker, n, seed);
}

//===----------------------------------------------------------------------===//
// The commands
//===----------------------------------------------------------------------===//

static Result<int> bitflip(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t n = 1000, seed = 1;
  numberFlag(line, "n", n);
  numberFlag(line, "seed", seed);
  std::string file;
  bool remote = false;
  line.value("file", file);
  line.flag("remote", remote);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  if (!file.empty())
    return bitflipFile(file, n, seed);
  if (remote)
    return flipAll("bitflip remote", remoteValue(3), takesRemoteValue, n, seed);
  std::mt19937_64 random(seed);
  Victim victim;
  for (uint64_t i = 0; i < n; ++i) {
    // Another entry now and then; half of the flips in the header.
    if (i % 100 == 0)
      if (Status s = victim.make(i / 100); !s)
        return s.takeError();
    std::vector<uint8_t> bytes = victim.bytes();
    size_t size = random() % 2 == 0 ? kEntryHeaderBytes : bytes.size();
    bytes[random() % size] ^= static_cast<uint8_t>(1u << (random() % 8));
    victim.attack(bytes);
  }
  return victim.finish("bitflip");
}

static Result<int> trunc(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t every = 1;
  numberFlag(line, "every", every);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Victim victim;
  if (Status s = victim.make(3); !s)
    return s.takeError();
  const std::vector<uint8_t> whole = victim.bytes();
  size_t step = std::max<size_t>(whole.size() / 64, 1);
  for (size_t size = 0; size < whole.size(); size += size < 4096 ? every : step)
    victim.attack({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)});
  std::vector<uint8_t> longer = whole;
  longer.push_back(0);
  victim.attack(longer);
  return victim.finish("trunc");
}

std::vector<Command> chaos::damageCommands() {
  return {{"bitflip", "[--n=1000] [--seed=1] [--remote | --file=PATH]",
           "flip one bit of an entry; none may be served, all must heal. Or of a "
           "value of a remote, of an artifact file, of a package: none may be "
           "taken",
           bitflip},
          {"trunc", "[--every=1]",
           "cut an entry at every length up to 4 KiB and at 1/64 steps, and add "
           "a byte",
           trunc}};
}
