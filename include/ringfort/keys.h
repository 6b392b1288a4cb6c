// SPDX-License-Identifier: Apache-2.0
// Keys of the leveled schemes CKKS, BFV and BGV: secret, public, relinearization and Galois keys over one chain of
// primes. Phase c0 + c1 s (+ c2 s^2), s ternary, errors centred binomial (k = 21). Key switching is hybrid with digits
// [HanKi20]. Every set of keys has an identity: objects of two secret keys never meet. Keys are immutable and shareable
// between threads; large objects are move-only, and a key that was moved from is refused by whatever needs it
// (invalid_argument).
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

// What the objects of one scheme's context share; ckks::Context, bfv::Context and bgv::Context each hold one.
class KeyContext {
 public:
  struct State;
  explicit KeyContext(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
  // shared, and by moves too: a context is never empty
  KeyContext(const KeyContext&) = default;
  KeyContext& operator=(const KeyContext&) = default;
  [[nodiscard]] const ChainParameters& chain() const noexcept;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint32_t top_level() const noexcept;
  // Whether the device computes quicker on many ciphertexts in one call than on one a call.
  [[nodiscard]] bool wants_batches() const noexcept;
  // Every verb on the context's device from now on is recorded; nullptr ends it.
  void profile(const Profile* profile) const;
  // Of the context's device, for all threads.
  [[nodiscard]] DeviceMemory memory() const;
  void keep_at_most(std::size_t bytes) const;  // for later use; 0: nothing is kept
  void trim() const;                           // gives back what is kept, and the copies
  // What is brought here from another device (to()) stays for the next to(), as long as the object that it was brought
  // from lives, up to so many bytes, those used last. None without this call; secrets never.
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
  // The same key on the device of `target`, at once: its words are moved when they are first used there. Errors:
  // parameters_mismatch.
  [[nodiscard]] SecretKey to(const KeyContext& target) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

class PublicKey {
 public:
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();
  struct State;
  explicit PublicKey(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] PublicKey to(const KeyContext& target) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// From s^2 to s.
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

// One rotation as a sequence of steps that have keys.
struct RotationPath {
  // asked for, in (-n/2, n/2); left is positive, as in NumPy's roll(x, -step)
  std::int32_t step = 0;
  std::vector<std::int32_t> keys;  // steps with keys, in order; their sum is `step` modulo n/2
};

// Which keys a set of rotations needs, before anything is generated.
struct KeyPlan {
  std::vector<std::int32_t> steps;  // keys to be generated
  bool conjugation = false;         // CKKS: complex conjugates; BFV, BGV: rows exchanged
  std::vector<RotationPath> paths;  // of every rotation that was asked for
  std::size_t bytes_per_key = 0;    // in memory
  std::size_t galois_bytes = 0;
  std::size_t relinearization_bytes = 0;
};

struct KeyRequest {
  std::vector<std::int32_t> rotations;
  bool conjugation = false;
  std::size_t max_bytes = 0;  // of all Galois keys; 0: a key for every rotation
};

// Rotations whose keys do not fit are composed: sums of signed powers of two. Errors: invalid_argument (a step outside
// (-n/2, n/2); a budget too small, the fix names the least), unsupported (no special prime).
[[nodiscard]] KeyPlan plan_keys(const KeyContext& context, const KeyRequest& request);

class GaloisKeys {
 public:
  GaloisKeys(GaloisKeys&&) noexcept;
  GaloisKeys& operator=(GaloisKeys&&) noexcept;
  ~GaloisKeys();
  struct State;
  explicit GaloisKeys(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] const KeyPlan& plan() const;
  [[nodiscard]] GaloisKeys to(const KeyContext& target) const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// Draws the secret when it is made; every key has fresh seeds of the operating system. Errors of all:
// entropy_unavailable, out_of_memory; of the evaluation keys: unsupported (no special prime), insecure_parameters; of
// the Galois keys: stopped.
class KeyGenerator {
 public:
  explicit KeyGenerator(const KeyContext& context);
  KeyGenerator(const KeyContext& context, SecretKey&& secret);
  [[nodiscard]] const SecretKey& secret_key() const noexcept { return secret_; }
  [[nodiscard]] PublicKey create_public_key() const;
  [[nodiscard]] RelinearizationKey create_relinearization_key() const;
  // told after every key
  [[nodiscard]] GaloisKeys create_galois_keys(const KeyPlan& plan, const Progress& progress = {}) const;

 private:
  KeyContext context_;
  SecretKey secret_;
};

// For whoever reads public keys beside a secret, of a place that others write to: an identity is only a number. Every
// row must be one that the secret opens to an error of the sampler, modulo every prime. Errors: parameters_mismatch,
// which names the key that is foreign. Whoever chooses rows and learns the answers finds the secret in some n
// questions: ask of what a passphrase authenticated (io::require_beside), and compare what comes from others with the
// bytes of your own keys.
void require_matching(const SecretKey& secret, const PublicKey& key);
void require_matching(const SecretKey& secret, const RelinearizationKey& key);
void require_matching(const SecretKey& secret, const GaloisKeys& keys);
// Whether a public key says that it belongs to the secret.
[[nodiscard]] bool same_identity(const SecretKey& secret, const PublicKey& key);

}  // namespace ringfort
