//===- KeyCommands.cpp - key-gen, keys, trust, revoke ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/Output.h"
#include "kiln/Base/Hex.h"

#include "kiln/Cache/KeyRing.h"

using namespace kiln;
using namespace kiln::cachetool;
using namespace kiln::cache;
using tools::print;

/// How many words stand behind the command.
static size_t wordCount(int argc, char **argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i)
    count += argv[i][0] != '-';
  return count;
}

static Result<int> keyGen(int argc, char **argv) {
  CacheFlags flags;
  size_t words = wordCount(argc, argv);
  if (words > 1)
    return Error::usage("key-gen takes one file at most");
  if (Status s = flags.parse(argc, argv, words); !s)
    return s.takeError();
  const std::string path =
      words == 1 ? flags.words().front() : flags.config().keys.file;
  if (path.empty())
    return Error::usage("there is no home for a key; expected a file");
  if (Status made = makeSeedFile(path, /*keepExisting=*/false); !made)
    return made.takeError();
  auto seed = readSeedFile(path);
  if (!seed)
    return seed.takeError();
  print(publicKeyOf(*seed).text() + "\n");
  return 0;
}

static Result<int> keys(int argc, char **argv) {
  CacheFlags flags;
  if (Status s = flags.parse(argc, argv); !s)
    return s.takeError();
  auto ring = KeyRing::open(flags.config().keys);
  if (!ring)
    return ring.takeError();
  auto show = [](const char *what, const PublicKey &key) {
    print(std::string(what) + toHex(key.id()) + "  " + key.text() + "\n");
  };
  show("own      ", (*ring)->publicKey());
  for (const PublicKey &key : (*ring)->trusted())
    show("trusted  ", key);
  for (const PublicKey &key : (*ring)->revoked())
    show("revoked  ", key);
  return 0;
}

static Result<int> trust(int argc, char **argv) {
  CacheFlags flags;
  if (Status s = flags.parse(argc, argv, 1); !s)
    return s.takeError();
  auto key = PublicKey::parse(flags.words().front());
  if (!key)
    return Error::usage(key.error().message);
  const std::string file = trustedKeysFile(flags.config().keys);
  if (file.empty())
    return Error::usage("there is no home for keys; expected "
                        "KILN_CACHE_KEY_FILE");
  if (Status added = addPublicKey(file, *key); !added)
    return added.takeError();
  print("trusted " + toHex(key->id()) + " in " + file + "\n");
  return 0;
}

/// The key that a text stands for: itself, or the name or id of a trusted one.
static Result<PublicKey> findKey(const std::string &text,
                                 const KeyConfig &config) {
  if (text.find(':') != std::string::npos) {
    auto key = PublicKey::parse(text);
    return key ? key : Result<PublicKey>(Error::usage(key.error().message));
  }
  auto ring = KeyRing::open(config);
  if (!ring)
    return ring.takeError();
  std::vector<PublicKey> known = (*ring)->trusted();
  known.push_back((*ring)->publicKey());
  std::vector<PublicKey> found;
  for (PublicKey &key : known)
    if (key.name == text || toHex(key.id()) == text)
      found.push_back(std::move(key));
  if (found.size() != 1)
    return Error::usage(std::to_string(found.size()) + " keys have the name or "
                        "id '" + text + "', expected one, or 'name:base64'");
  return std::move(found.front());
}

static Result<int> revoke(int argc, char **argv) {
  CacheFlags flags;
  if (Status s = flags.parse(argc, argv, 1); !s)
    return s.takeError();
  auto key = findKey(flags.words().front(), flags.config().keys);
  if (!key)
    return key.takeError();
  const KeyConfig &config = flags.config().keys;
  const std::string file = revokedKeysFile(config);
  if (file.empty())
    return Error::usage("there is no home for keys; expected "
                        "KILN_CACHE_KEY_FILE");
  if (Status added = addPublicKey(file, *key); !added)
    return added.takeError();
  print("revoked " + toHex(key->id()) + " in " + file + "\n");
  if (auto ring = KeyRing::open(config); ring && (*ring)->isOwnRevoked())
    print("this is the own key: nothing that was made with it is believed any "
          "more, and nothing is kept until there is a new one; remove " +
          config.file + (config.isGiven ? " and make one by key-gen\n"
                                        : ", the next run makes one\n"));
  return 0;
}

std::vector<Command> cachetool::keyCommands() {
  return {
      {"key-gen", "[FILE]",
       "makes a key, closed to others, and prints its public\n"
       "part; the default is the user's own",
       keyGen},
      {"keys", "", "the keys that are believed, and those that are not", keys},
      {"trust", "NAME:BASE64", "believes entries of this public key", trust},
      {"revoke", "KEY",
       "believes a key no more: NAME:BASE64, or the name or id\n"
       "of one that is trusted",
       revoke},
  };
}
