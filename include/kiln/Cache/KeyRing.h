//===- KeyRing.h - Who may write what this process reads ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries hold native code, so a reader wants to know who made them. Everything
// follows from one seed of 32 bytes, which is the user's and lies outside of the
// cache folder:
//
//   local MAC key := HKDF-SHA256(seed, "kiln-local-mac-v1")   entries of the
//                                                             local folder
//   Ed25519 pair  := from the seed                            what goes to, or
//                                                             comes from, others
//
// The machines of a closed farm may share a secret instead of knowing each other
// by name: what goes to others has an HMAC of it then. Whoever reads may write.
//
// Readers of a shared store need public keys only and cannot write what others
// accept: a machine that builds untrusted branches gets no private key. The
// algorithm that is accepted is decided by where bytes came from (`Tier`),
// never by what they say of themselves.
//
//   variable                  meaning
//   KILN_CACHE_KEY_FILE       file with the seed, 64 hexadecimal digits, closed
//                             to others; default
//                             ${XDG_STATE_HOME:-~/.local/state}/kiln/cache.key,
//                             which is made on first need
//   KILN_CACHE_KEY            the seed itself; taken out of the environment
//   KILN_CACHE_HMAC_KEY_FILE  file with a secret that machines share, in the same
//                             form and closed to others; it is never made
//   KILN_CACHE_TRUSTED_KEYS   public keys "name:base64", separated by spaces or
//                             commas, or the absolute path of a file with them
//   KILN_CACHE_REVOKED_KEYS   the same, of keys that are not believed any more
//   KILN_CACHE_ALLOW_UNSIGNED `1`: unsigned entries of a remote are taken
//
// The files `trusted.keys` and `revoked.keys` beside the key file count as well;
// `kiln-cache trust` and `kiln-cache revoke` write them.
//
// Example:
//
//   auto ring = KeyRing::open(readKeyConfig());
//   std::vector<uint8_t> bytes = encodeEntry(key, environment, info, payload,
//                                            {**ring, Authentication::Hmac});
//   DecodedEntry entry = decodeEntry(bytes, key, environment,
//                                    {**ring, Tier::Local});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_KEYRING_H
#define KILN_CACHE_KEYRING_H

#include "kiln/Base/Digest.h"

#include <memory>
#include <mutex>

namespace kiln::cache {

/// How an entry is authenticated: byte 15 of its header.
enum class Authentication : uint8_t {
  None = 0,
  Hmac = 1,       ///< of the user's seed
  Ed25519 = 2,
  SharedHmac = 3, ///< of the secret that machines share
};

/// Where bytes came from, which decides what is accepted: the own folder takes
/// the own HMAC or the signature of a trusted key, all others a signature. All
/// take the HMAC of a secret that is shared.
enum class Tier { Local, Remote, Artifact };

/// Why somebody's authority was not accepted.
enum class AuthFault {
  None,
  Unsigned,   ///< nobody vouches for it
  Method,     ///< a method that this tier does not accept
  UnknownKey, ///< made with a key that is not in the ring
  Revoked,    ///< made with a key that is not believed any more
  BadTag,     ///< the tag does not belong to these bytes
};
/// One word, as counters are named: "unknown_key".
const char *authFaultName(AuthFault fault);

/// The field at byte 160 of a header. An HMAC is its first half.
using AuthTag = std::array<uint8_t, 64>;

/// A secret of 32 bytes that is overwritten when it goes.
class Seed {
public:
  explicit Seed(const std::array<uint8_t, 32> &bytes) : bytes_(bytes) {}
  Seed(const Seed &) = default;
  Seed &operator=(const Seed &) = default;
  ~Seed();

  /// From the system's random numbers.
  static Result<Seed> random();
  /// 64 hexadecimal digits and perhaps white space behind them. `what` names
  /// them in the error, which does not repeat them.
  static Result<Seed> parse(std::string_view text, const std::string &what);

  const std::array<uint8_t, 32> &bytes() const { return bytes_; }
  std::string hex() const;

private:
  std::array<uint8_t, 32> bytes_;
};

struct PublicKey {
  std::string name;
  std::array<uint8_t, 32> bytes{};

  /// "name:base64", with a name of letters, digits, '.', '_', '-' and '@'.
  static Result<PublicKey> parse(std::string_view text);
  std::string text() const;
  /// The first four bytes of its SHA-256.
  uint32_t id() const;
};

/// The Ed25519 public key of a seed, named after its id.
PublicKey publicKeyOf(const Seed &seed);

/// What the environment says of keys.
struct KeyConfig {
  std::string file; ///< empty if there is no place for one
  std::optional<Seed> seed;
  /// True if the seed, or a file of it, was named by somebody: such a file is
  /// not made, and with trusted keys nothing else signs for a remote.
  bool isGiven = false;
  std::string trusted;
  std::string revoked;
  std::string sharedFile; ///< of the secret that machines share, or empty
  bool allowUnsigned = false;
  std::string fault; ///< what is wrong with KILN_CACHE_KEY; `open` says so
};

/// Reads the environment. KILN_CACHE_KEY is overwritten and removed from it; a
/// second call gives the same seed.
KeyConfig readKeyConfig();

class KeyRing {
public:
  /// Reads, or makes, the seed and reads the lists. Refused with an Io error
  /// when a file belongs to somebody else or is open to others, Malformed when
  /// it does not hold what it should.
  static Result<std::shared_ptr<const KeyRing>> open(const KeyConfig &config);

  KeyRing(const Seed &seed, std::vector<PublicKey> trusted,
          std::vector<PublicKey> revoked, bool allowUnsigned = false,
          const std::optional<Seed> &shared = std::nullopt);
  ~KeyRing();

  const PublicKey &publicKey() const;
  const std::vector<PublicKey> &trusted() const { return trusted_; }
  const std::vector<PublicKey> &revoked() const { return revoked_; }
  bool allowsUnsigned() const { return allowUnsigned_; }
  /// How what goes to others is authenticated.
  Authentication methodForOthers() const {
    return shared_ ? Authentication::SharedHmac : Authentication::Ed25519;
  }
  /// False if signatures of this ring would be believed by nobody: others are
  /// trusted by name, and the own key was made by chance.
  bool maySignForOthers() const { return signsForOthers_ && !isOwnRevoked_; }
  /// True if the own key is on the list of revoked ones. Nothing that was made
  /// with it is believed then, nor is anything made with it.
  bool isOwnRevoked() const { return isOwnRevoked_; }

  /// The id that goes into a header with this method.
  uint32_t keyId(Authentication method) const;
  /// The tag of a message; all zero for `None`.
  AuthTag sign(Authentication method, ByteView message) const;
  /// Whether `tier` believes that a holder of `keyId` made `message`.
  AuthFault verify(Tier tier, Authentication method, uint32_t keyId,
                   ByteView message, const AuthTag &tag) const;

private:
  struct Pair;
  const Pair &pair() const;
  bool isRevoked(const PublicKey &key) const;

  Seed seed_;
  struct Mac {
    Seed key;
    uint32_t id;
  };
  static Mac macOf(const Seed &seed, const char *purpose);
  AuthFault verifyMac(Authentication method, const Mac &mac, uint32_t keyId,
                      ByteView message, const AuthTag &tag) const;

  Mac own_;
  std::optional<Mac> shared_;
  std::vector<PublicKey> trusted_, revoked_;
  bool allowUnsigned_ = false;
  bool signsForOthers_ = true;
  bool isOwnRevoked_ = false;
  // Made when it is needed: a start that only reads the local folder does
  // without public keys, which cost OpenSSL a millisecond to begin with.
  mutable std::once_flag pairMade_;
  mutable std::unique_ptr<Pair> pair_;
};
using KeyRingPtr = std::shared_ptr<const KeyRing>;

/// Who makes an entry, and how.
struct Signer {
  const KeyRing &ring;
  Authentication method;
};
/// Whom a reader believes.
struct Verifier {
  const KeyRing &ring;
  Tier tier;
};

/// HMAC-SHA256 (RFC 2104) and HKDF-SHA256 of 32 bytes without salt (RFC 5869).
Digest hmacSha256(ByteView key, ByteView message);
Digest hkdfSha256(ByteView secret, std::string_view info);

/// Makes the seed file `path`, closed to others, and its folder. An error if it
/// exists, unless `keepExisting`.
Status makeSeedFile(const std::string &path, bool keepExisting);
/// The seed in a file of this user that nobody else can read.
Result<Seed> readSeedFile(const std::string &path);
/// Public keys as the variables list them: an absolute path, or the keys
/// themselves.
Result<std::vector<PublicKey>> readPublicKeys(const std::string &list);
/// The keys of a file. One that others could have written is refused; Io if it
/// cannot be read, or is not there and may not be absent.
Result<std::vector<PublicKey>> readPublicKeyFile(const std::string &path,
                                                 bool mayBeAbsent);
/// Adds a key to a file that lists one a line; nothing if it is there. The file
/// is replaced as a whole, closed to others, under a lock on its folder.
Status addPublicKey(const std::string &path, const PublicKey &key);
/// The files beside the seed file.
std::string trustedKeysFile(const KeyConfig &config);
std::string revokedKeysFile(const KeyConfig &config);

} // namespace kiln::cache

#endif // KILN_CACHE_KEYRING_H
