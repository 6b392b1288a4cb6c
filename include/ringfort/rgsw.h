// SPDX-License-Identifier: Apache-2.0
// Ring-GSW: encrypted bits and their products [KhedrGulakVaikuntanathan14]. ringfort/rgsw_search.h counts encrypted
// matches with these ciphertexts. The ring is R_q = Z_q[x]/(x^n + 1), the secret t is ternary
// (coefficients -1, 0 and 1), and decryption rounds phase(c0, c1) = c0 - t c1. A ciphertext has 2 * digits rows, and
// each row is a pair (c0, c1). Every batch of ciphertexts carries a public noise bound. If a result might not decrypt,
// an operation throws before it computes. Large objects are move-only. All types are shareable between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringfort/device.h"

namespace ringfort::rgsw {

// Ring and gadget, which defines how a product cuts residues into digits. The digits of a residue x are the digits of
// x / 2^shift in base 2^base_bits. If shift > 0, the gadget is approximate.
struct Parameters {
  std::string name;
  std::uint32_t n = 0;          // ring degree
  std::uint64_t q = 0;          // prime, 1 mod 2n
  std::uint32_t base_bits = 0;  // B = 2^base_bits
  std::uint32_t digits = 0;     // l
  std::uint32_t shift = 0;      // number of low bits that the gadget drops
  bool centred = true;          // true: digits are in [-B/2, B/2); false: digits are in [0, B), and B must be 2
  bool public_key_allowed = true;
  bool literal_allowed = false;      // allows Engine::literal, which computes whole matrix products; requires B = 2
  std::uint32_t failure_bits = 128;  // an answer has a wrong count with probability at most 2^-failure_bits
  std::string insecure_reason;       // not empty: less than 128 bits of security are accepted; the text says why
};

// Presets with at least 128 bits of security: "gsw128" (default) and "gsw128-compact" (secret key only). Presets with
// 110 bits, which need allow_insecure: "paper-gsw"; "paper-row" (the same ciphertexts; a search computes one row of
// each product); "paper-row-b256" (B = 2^8, secret key only). Errors: invalid_argument (unknown name),
// insecure_parameters.
[[nodiscard]] Parameters preset(std::string_view name, bool allow_insecure = false);
[[nodiscard]] std::vector<std::string_view> preset_names();

// Errors: invalid_argument. If insecure_reason is empty, also insecure_parameters (log2 q is above
// Security::limit_log2_q, or failure_bits is below 128).
void validate(const Parameters& parameters);

// Returns the BLAKE2b-256 hash of all parameters that define a ciphertext's meaning. The hash does not cover name,
// public_key_allowed, literal_allowed or insecure_reason. Therefore the digests of "paper-gsw" and "paper-row" are
// equal.
[[nodiscard]] std::array<std::uint8_t, 32> digest(const Parameters& parameters);

struct Security {          // security of a parameter set
  std::uint32_t bits = 0;  // estimated bits of classical security; 0: no estimate for this set
  std::string source;      // source of the estimate
  double log2_q = 0;
  // largest log2_q for 128 bits, by the 2024 guidelines for ternary secrets; 0: n is not in the table
  std::uint32_t limit_log2_q = 0;
  bool accepted = false;  // log2_q <= limit
};
[[nodiscard]] Security security(const Parameters& parameters);  // looks up the estimate

// Immutable. Errors: invalid_argument, insecure_parameters, unsupported, device_unknown, out_of_memory.
class Context {
 public:
  // An empty `device` means the device that the environment variable RINGFORT_DEVICE names, or "cpu" if it names none.
  explicit Context(const Parameters& parameters, std::string_view device = {});
  Context(const Context&) = default;  // copies share the state: a context is never empty
  Context& operator=(const Context&) = default;
  [[nodiscard]] const Parameters& parameters() const noexcept;
  [[nodiscard]] std::string device() const;
  // Returns how much memory of the device is in use, for all threads together.
  [[nodiscard]] DeviceMemory memory() const;
  void keep_at_most(std::size_t bytes) const;  // limits the device's cache of freed memory; 0: no cache
  void trim() const;                           // frees the cache
  struct State;
  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

enum class Mode : std::uint8_t { secret_key = 1, public_key = 2 };  // the key that encrypted

// n coefficients in {-1, 0, 1}.
class SecretKey {
 public:
  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  ~SecretKey();
  struct State;
  explicit SecretKey(std::shared_ptr<const State> state) noexcept;
  [[nodiscard]] const std::shared_ptr<const State>& state() const;  // throws invalid_argument if moved from

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
  [[nodiscard]] const std::shared_ptr<const State>& state() const;

 private:
  std::shared_ptr<const State> state_;
};

// The first constructor draws a secret. Every key takes fresh seeds from the operating system. Errors:
// entropy_unavailable, out_of_memory; parameters_mismatch (a secret of another context); of create_public_key:
// mode_forbidden.
class KeyGenerator {
 public:
  explicit KeyGenerator(const Context& context);
  KeyGenerator(const Context& context, SecretKey&& secret);
  [[nodiscard]] const SecretKey& secret_key() const noexcept { return secret_; }
  [[nodiscard]] PublicKey create_public_key() const;

 private:
  Context context_;
  SecretKey secret_;
};

// A batch of Ring-GSW ciphertexts, one per bit, in device memory. A moved-from batch is empty. It may be an output; as
// an operand it is an error (invalid_argument).
class EncryptedBits {
 public:
  EncryptedBits();  // empty
  EncryptedBits(EncryptedBits&&) noexcept;
  EncryptedBits& operator=(EncryptedBits&&) noexcept;
  ~EncryptedBits();
  [[nodiscard]] EncryptedBits clone() const;  // the clone of an empty batch is empty
  [[nodiscard]] std::uint32_t size() const noexcept;
  // public_key if a public key encrypted this batch, or any batch from which it was computed
  [[nodiscard]] Mode mode() const noexcept;
  [[nodiscard]] double noise_bits() const noexcept;  // log2 of the public bound on a row's error
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

// `bits` has at most 2^20 bytes, each 0 or 1. Each call draws fresh seeds. Errors: invalid_argument, mode_forbidden,
// parameters_mismatch, entropy_unavailable, out_of_memory.
class Encryptor {
 public:
  Encryptor(const Context& context, const PublicKey& key) : context_(context), public_(key.state()) {}
  Encryptor(const Context& context, const SecretKey& key) : context_(context), secret_(key.state()) {}  // less noise
  Encryptor(const Encryptor&) = default;  // copies share the keys
  Encryptor& operator=(const Encryptor&) = default;
  [[nodiscard]] EncryptedBits encrypt(std::span<const std::uint8_t> bits) const;
  // Reuses the memory of `out` if this memory is large enough, for example in a loop over words. After an error `out`
  // is empty.
  void encrypt_into(EncryptedBits& out, std::span<const std::uint8_t> bits) const;

 private:
  Context context_;
  std::shared_ptr<const PublicKey::State> public_;
  std::shared_ptr<const SecretKey::State> secret_;
};

struct Answer;  // result of a word search (ringfort/rgsw_search.h)

class Decryptor {
 public:
  Decryptor(const Context& context, const SecretKey& key) : context_(context), key_(key.state()) {}
  Decryptor(const Decryptor&) = default;  // copies share the key
  Decryptor& operator=(const Decryptor&) = default;
  // Returns one byte, 0 or 1, for each bit. Errors: noise_bound_exceeded, parameters_mismatch, invalid_argument (a
  // plaintext other than 0 and 1, or `bits` is empty or moved from).
  [[nodiscard]] std::vector<std::uint8_t> decrypt(const EncryptedBits& bits) const;
  // Returns n counts, one for each document number. Errors: parameters_mismatch, io_range, io_length, and those of
  // plan_search for the plan of the answer.
  [[nodiscard]] std::vector<std::uint32_t> decrypt_counts(const Answer& answer) const;

 private:
  Context context_;
  std::shared_ptr<const SecretKey::State> key_;
};

// Operations ("verbs") on batches of equal size, element by element. Plaintexts are integers; "a or b" is a + b - a b.
// The noise bound of a sum is the sum of the operands' bounds, so that operands may be equal or depend on each other.
// X_into(out, ...) computes X and reuses the memory of `out`, which may be an operand. After an error `out` is
// unchanged or empty. `threads` is the largest number of threads of one verb. Errors of all verbs: noise_bound_exceeded
// (before any computation), parameters_mismatch, invalid_argument, out_of_memory.
class Evaluator {
 public:
  explicit Evaluator(const Context& context, unsigned threads = 1) : context_(context), threads_(threads) {}

  void add_into(EncryptedBits& out, const EncryptedBits& a, const EncryptedBits& b) const;
  void negate_into(EncryptedBits& out, const EncryptedBits& a) const;
  void one_minus_into(EncryptedBits& out, const EncryptedBits& a) const;  // 1 - a
  // Computes the full matrix product of each pair.
  void multiply_into(EncryptedBits& out, const EncryptedBits& a, const EncryptedBits& b) const;

  [[nodiscard]] EncryptedBits add(const EncryptedBits& a, const EncryptedBits& b) const;
  [[nodiscard]] EncryptedBits negate(const EncryptedBits& a) const;
  [[nodiscard]] EncryptedBits one_minus(const EncryptedBits& a) const;
  [[nodiscard]] EncryptedBits multiply(const EncryptedBits& a, const EncryptedBits& b) const;

 private:
  Context context_;
  unsigned threads_;
};

}  // namespace ringfort::rgsw
