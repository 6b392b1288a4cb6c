// SPDX-License-Identifier: Apache-2.0
// Keys of the leveled schemes CKKS, BFV and BGV: secret, public, relinearization and Galois keys. The secret s is
// ternary, errors are centred binomial (k = 21), and the phase of a ciphertext is c0 + c1 s (+ c2 s^2). Key switching
// is hybrid with digits [HanKi20]. Every secret key has a random identity, which its public keys and ciphertexts carry.
// Operations refuse operands with different identities. Keys are immutable and shareable between threads. Large objects
// are move-only; every use of a moved-from key is an error (invalid_argument).
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
  // Tells whether the device is faster with several ciphertexts in one call.
  [[nodiscard]] bool wants_batches() const noexcept;
  // Records every later verb on the context's device; nullptr stops recording.
  void profile(const Profile* profile) const;
  // Returns the use of the device's memory by all threads.
  [[nodiscard]] DeviceMemory memory() const;
  void keep_at_most(std::size_t bytes) const;  // limits the cache; 0: caches nothing
  void trim() const;                           // frees the cache, and the kept copies
  // Keeps copies that to() made on this device, up to `bytes`, for later calls of to(). Drops the least recently used
  // copies first, and each copy when its original is destroyed. The default keeps no copies. Secrets, and keys of which
  // only a part for lower levels was copied, are never kept.
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
  // Returns the same key on the device of `target`. The first use there copies its residues. Errors:
  // parameters_mismatch.
  [[nodiscard]] SecretKey to(const KeyContext& target) const;
  // Returns the same secret, with the same identity, for a context that differs only in the plaintext modulus (and the
  // device). Integers modulo several plaintext moduli have one secret, and public keys for each modulus. Errors:
  // parameters_mismatch (another ring or other primes).
  [[nodiscard]] SecretKey for_modulus_of(const KeyContext& target) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

class PublicKey {  // an encryption of zero
 public:
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();
  struct State;
  explicit PublicKey(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] PublicKey to(const KeyContext& target) const;
  // Returns the identity of the secret key. It is a name and proves nothing, because anybody can copy it.
  [[nodiscard]] std::uint64_t key_id() const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// Key from s^2 to s.
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

// A requested rotation, composed of rotations that have keys.
struct RotationPath {
  // the requested rotation modulo n/2, in (-n/4, n/4]; left is positive, as in NumPy's roll(x, -step)
  std::int32_t step = 0;
  std::vector<std::int32_t> keys;  // rotations with keys, in order; their sum is `step` modulo n/2
};

// Keys that a set of rotations needs, planned before any key is generated.
struct KeyPlan {
  std::vector<std::int32_t> steps;  // keys to generate
  bool conjugation = false;         // also a key for conjugate (CKKS) or swap_rows (BFV, BGV)
  std::vector<RotationPath> paths;  // one for every requested rotation but 0
  std::size_t bytes_per_key = 0;    // in memory
  std::size_t galois_bytes = 0;
  std::size_t relinearization_bytes = 0;
};

struct KeyRequest {  // rotations that a program needs
  std::vector<std::int32_t> rotations;
  bool conjugation = false;
  std::size_t max_bytes = 0;  // limit for all Galois keys; 0: no limit, a key for every rotation
};

// Plans keys. If max_bytes does not allow a key for every rotation, rotations are composed of rotations by signed
// powers of two. Errors: invalid_argument (a step outside (-n/2, n/2); max_bytes is too small, and the fix states the
// minimum), unsupported (no special prime).
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
  // Returns a set with the keys of both sets, and shares the memory of these keys. Errors: parameters_mismatch (the
  // sets belong to different secret keys or contexts).
  [[nodiscard]] GaloisKeys joined(const GaloisKeys& more) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// Draws the secret in its constructor; every key takes fresh seeds from the operating system. Errors of all:
// entropy_unavailable, out_of_memory; of the evaluation keys: unsupported (no special prime), insecure_parameters; of
// the Galois keys: stopped.
class KeyGenerator {
 public:
  explicit KeyGenerator(const KeyContext& context);
  KeyGenerator(const KeyContext& context, SecretKey&& secret);
  [[nodiscard]] const SecretKey& secret_key() const noexcept { return secret_; }
  [[nodiscard]] PublicKey create_public_key() const;
  [[nodiscard]] RelinearizationKey create_relinearization_key() const;
  // progress: called after every key
  [[nodiscard]] GaloisKeys create_galois_keys(const KeyPlan& plan, const Progress& progress = {}) const;

 private:
  KeyContext context_;
  SecretKey secret_;
};

// Checks that a public key belongs to the secret key: the error of each encryption in the public key must be in the
// sampler's range, modulo every prime. Callers need this if others can write to the place from which they read public
// keys, because anybody can copy an identity. Check only keys that a passphrase authenticated (io::require_beside), and
// compare any other key byte by byte with your own copy: an attacker who chooses the key and learns the result of the
// check recovers the secret in about n attempts. Errors: parameters_mismatch, with the name of the wrong key.
void require_matching(const SecretKey& secret, const PublicKey& key);
void require_matching(const SecretKey& secret, const RelinearizationKey& key);
void require_matching(const SecretKey& secret, const GaloisKeys& keys);
// Tells whether the identity of a public key is that of the secret.
[[nodiscard]] bool same_identity(const SecretKey& secret, const PublicKey& key);

}  // namespace ringfort
