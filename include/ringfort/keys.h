// SPDX-License-Identifier: Apache-2.0
// Keys of the leveled schemes CKKS, BFV and BGV: secret, public, relinearization and Galois keys. The secret s is
// ternary (coefficients -1, 0 and 1). Errors are centred binomial (k = 21). Decryption first computes the *phase* of a
// ciphertext, c0 + c1 s (+ c2 s^2). Key switching is the part of relinearizations and rotations that needs a key. It
// cuts a polynomial into digits, and at its end divides by special primes, which keeps the noise small [HanKi20]. Every
// secret key has a random identity. Its public keys and its ciphertexts carry the same identity, and operations refuse
// operands with different identities; in unguarded contexts (ChainParameters::unguarded_reason), all identities are 0.
// Keys are immutable, move-only and shareable between threads. A moved-from key may
// be assigned to; every other use is an error (invalid_argument).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringfort/device.h"
#include "ringfort/parameters.h"
#include "ringfort/progress.h"

namespace ringfort {

// The part of a context that does not depend on the scheme. Each ckks::Context, bfv::Context and bgv::Context has one.
class KeyContext {
 public:
  struct State;
  explicit KeyContext(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
  // Copies and moves share the state: a context is never empty.
  KeyContext(const KeyContext&) = default;
  KeyContext& operator=(const KeyContext&) = default;
  [[nodiscard]] const ChainParameters& chain() const noexcept;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint32_t top_level() const noexcept;
  // Tells whether the device computes several ciphertexts faster in one call than in several calls.
  [[nodiscard]] bool wants_batches() const noexcept;
  // Records the later verbs of the context's device in `profile`; nullptr stops recording.
  void profile(const Profile* profile) const;
  // Returns how much memory of the device is in use, for all threads together.
  [[nodiscard]] DeviceMemory memory() const;
  void keep_at_most(std::size_t bytes) const;  // limits the device's cache of freed memory; 0: no cache
  void trim() const;                           // frees the cache and the copies of keep_copies
  // Keeps up to `bytes` of the copies that to() makes on this device, so that a later to() finds them. Drops the least
  // recently used copies first. Drops a copy when its original is destroyed, and all copies if the device runs out of
  // memory. Does not keep copies of secrets, or copies that have only the lower levels of a key. Without a call of
  // keep_copies, no copies are kept.
  void keep_copies(std::size_t bytes) const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// n coefficients in {-1, 0, 1}.
class SecretKey {
 public:
  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  ~SecretKey();
  struct State;
  explicit SecretKey(std::shared_ptr<const State> state) noexcept;
  // Returns the same key for the device of `target`. The first use on this device copies the residues. Errors:
  // parameters_mismatch.
  [[nodiscard]] SecretKey to(const KeyContext& target) const;
  // Returns the same secret, with the same identity, for a context with the same ring and primes, for example with
  // another plaintext modulus or device. If a program uses several plaintext moduli, they can share one secret, but
  // each modulus needs its own public keys. Errors: parameters_mismatch (another ring or other primes).
  [[nodiscard]] SecretKey for_modulus_of(const KeyContext& target) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// An encryption of zero, modulo the data primes and the last special prime. Encryptions are divided by this prime,
// which makes their error smaller by 4 bits. Without special primes, and in keys from older files, it is modulo the
// data primes.
class PublicKey {
 public:
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();
  struct State;
  explicit PublicKey(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] PublicKey to(const KeyContext& target) const;
  // Returns the identity of the secret key. An identity does not prove who made the key, because anybody can copy an
  // identity.
  [[nodiscard]] std::uint64_t key_id() const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// Key-switching key from s^2 to s, for `relinearize`.
class RelinearizationKey {
 public:
  RelinearizationKey(RelinearizationKey&&) noexcept;
  RelinearizationKey& operator=(RelinearizationKey&&) noexcept;
  ~RelinearizationKey();
  struct State;
  explicit RelinearizationKey(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] RelinearizationKey to(const KeyContext& target) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// A rotation that a program requests, as a sequence of rotations that have keys.
struct RotationPath {
  // the requested rotation, reduced modulo n/2 to (-n/4, n/4]; a positive step moves to the left, as NumPy's
  // roll(x, -step)
  std::int32_t step = 0;
  std::vector<std::int32_t> keys;  // the sequence; its sum is `step` modulo n/2
};

// The keys for a set of rotations. For each rotation, the plan also has the sequence of rotations, all with keys, that
// performs it.
struct KeyPlan {
  std::vector<std::int32_t> steps;      // keys to generate
  bool conjugation = false;             // also a key for conjugate (CKKS) or swap_rows (BFV, BGV)
  std::vector<std::uint32_t> elements;  // Galois elements that have keys for automorphism (ringfort/key_residues.h)
  std::vector<RotationPath> paths;      // one for every requested rotation except 0
  std::size_t bytes_per_key = 0;        // memory of one Galois key
  std::size_t galois_bytes = 0;
  std::size_t relinearization_bytes = 0;
};

struct KeyRequest {  // rotations that a program needs
  std::vector<std::int32_t> rotations;
  bool conjugation = false;
  std::size_t max_bytes = 0;  // limit for the memory of all Galois keys; 0: no limit, and one key for every rotation
};

// Plans keys. If max_bytes allows it, every requested rotation has its own key. Otherwise the plan has keys for
// rotations by signed powers of two, and for as many requested rotations as still fit. The other requested rotations
// are composed of rotations by signed powers of two. Errors: invalid_argument (a step outside (-n/2, n/2); max_bytes is
// too small, and the fix states the minimum), unsupported (no special prime).
[[nodiscard]] KeyPlan plan_keys(const KeyContext& context, const KeyRequest& request);

class GaloisKeys {  // keys for rotations and conjugation
 public:
  GaloisKeys(GaloisKeys&&) noexcept;
  GaloisKeys& operator=(GaloisKeys&&) noexcept;
  ~GaloisKeys();
  struct State;
  explicit GaloisKeys(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] const KeyPlan& plan() const;
  [[nodiscard]] GaloisKeys to(const KeyContext& target) const;
  // Returns the keys of both sets as one set, which shares their memory. Errors: parameters_mismatch (the sets belong
  // to different secret keys or contexts).
  [[nodiscard]] GaloisKeys joined(const GaloisKeys& more) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// The first constructor draws a secret. Every key takes fresh seeds from the operating system. Errors:
// * all functions: entropy_unavailable, out_of_memory
// * the second constructor: parameters_mismatch (a secret of another context)
// * the functions that create keys: insecure_parameters
// * the functions that create relinearization keys or Galois keys: unsupported (no special prime)
// * create_galois_keys: stopped
class KeyGenerator {
 public:
  explicit KeyGenerator(const KeyContext& context);
  KeyGenerator(const KeyContext& context, SecretKey&& secret);
  [[nodiscard]] const SecretKey& secret_key() const noexcept { return secret_; }
  [[nodiscard]] PublicKey create_public_key() const;
  [[nodiscard]] RelinearizationKey create_relinearization_key() const;
  // The library calls `progress` after every key.
  [[nodiscard]] GaloisKeys create_galois_keys(const KeyPlan& plan, const Progress& progress = {}) const;

 private:
  KeyContext context_;
  SecretKey secret_;
};

// Check that a public key belongs to the secret key. The error of each encryption in the key must have the same integer
// coefficients modulo every prime. All coefficients must be in the range of the error distribution. An identity is not
// enough, because anybody can copy it: call these functions if others can write to the place from which you read public
// keys. Check only keys that a passphrase authenticated (io::require_beside). Compare any other key byte by byte with
// your own copy: an attacker who chooses the key and learns the result of the check recovers the secret in about n
// attempts. Errors: parameters_mismatch, with the name of the wrong key.
void require_matching(const SecretKey& secret, const PublicKey& key);
void require_matching(const SecretKey& secret, const RelinearizationKey& key);
void require_matching(const SecretKey& secret, const GaloisKeys& keys);
// Tells whether the identity of a public key equals the identity of the secret key.
[[nodiscard]] bool same_identity(const SecretKey& secret, const PublicKey& key);

}  // namespace ringfort
