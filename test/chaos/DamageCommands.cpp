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

namespace {
/// Bytes that are damaged in memory, and who reads them.
struct Carried {
  std::vector<uint8_t> good;
  Taker taker;
};
} // namespace

/// A value of a remote, or the file; nothing if an entry of a folder is meant.
static Result<std::optional<Carried>> findCarried(bool remote,
                                                  const std::string &file) {
  if (remote)
    return std::optional<Carried>(Carried{remoteValue(3), takesRemoteValue});
  if (file.empty())
    return std::optional<Carried>();
  auto good = readFile(file);
  if (!good)
    return good.takeError();
  auto taker = takerOf(*good);
  if (!taker)
    return taker.takeError();
  return std::optional<Carried>(Carried{std::move(*good), std::move(*taker)});
}

static int finishCarried(const char *name, const Carried &carried, uint64_t n,
                         uint64_t accepted) {
  bool isGood = carried.taker(carried.good);
  report(name, {{"n", double(n)},
                {"bytes", double(carried.good.size())},
                {"accepted", double(accepted)},
                {"whole_accepted", double(isGood)}});
  return accepted == 0 && isGood ? 0 : 1;
}

static int flipCarried(const Carried &carried, uint64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  uint64_t accepted = 0;
  std::vector<uint8_t> bytes = carried.good;
  for (uint64_t i = 0; i < n; ++i) {
    size_t size = random() % 2 == 0 ? kEntryHeaderBytes : bytes.size();
    size_t at = random() % std::min(size, bytes.size());
    auto bit = static_cast<uint8_t>(1u << (random() % 8));
    bytes[at] ^= bit;
    accepted += carried.taker(bytes);
    bytes[at] ^= bit;
  }
  return finishCarried("bitflip", carried, n, accepted);
}

/// The lengths that are tried: all up to 4 KiB, then steps.
template <typename F>
static void forEachLength(size_t size, size_t every, F use) {
  size_t step = std::max<size_t>(size / 64, 1);
  for (size_t length = 0; length < size;
       length += length < 4096 ? every : step)
    use(length);
}

static int cutCarried(const Carried &carried, uint64_t every) {
  uint64_t n = 1, accepted = 0;
  const std::vector<uint8_t> &good = carried.good;
  forEachLength(good.size(), every, [&](size_t length) {
    ++n;
    accepted += carried.taker(
        {good.begin(), good.begin() + static_cast<ptrdiff_t>(length)});
  });
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  accepted += carried.taker(longer);
  return finishCarried("trunc", carried, n, accepted);
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
  auto carried = findCarried(remote, file);
  if (!carried)
    return carried.takeError();
  if (*carried)
    return flipCarried(**carried, n, seed);
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
  std::string file;
  bool remote = false;
  numberFlag(line, "every", every);
  line.value("file", file);
  line.flag("remote", remote);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  auto carried = findCarried(remote, file);
  if (!carried)
    return carried.takeError();
  if (*carried)
    return cutCarried(**carried, every);
  Victim victim;
  if (Status s = victim.make(3); !s)
    return s.takeError();
  const std::vector<uint8_t> whole = victim.bytes();
  forEachLength(whole.size(), every, [&](size_t size) {
    victim.attack(
        {whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)});
  });
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
          {"trunc", "[--every=1] [--remote | --file=PATH]",
           "cut an entry, or one of the others, at every length up to 4 KiB and "
           "at 1/64 steps, and add a byte",
           trunc}};
}
