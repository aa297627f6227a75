//===- DamageCommands.cpp - Entries that are damaged -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"

#include "kiln/Base/FileSystem.h"

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

static Result<int> bitflip(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t n = 1000, seed = 1;
  numberFlag(line, "n", n);
  numberFlag(line, "seed", seed);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
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
  return {{"bitflip", "[--n=1000] [--seed=1]",
           "flip one bit of an entry; none may be served, all must heal",
           bitflip},
          {"trunc", "[--every=1]",
           "cut an entry at every length up to 4 KiB and at 1/64 steps, and add "
           "a byte",
           trunc}};
}
