// SPDX-License-Identifier: Apache-2.0
// CKKS: approximate arithmetic on encrypted real or complex numbers [CheonKimKimSong17], n/2 slots a ciphertext.
// A ciphertext has 2 components (3 between a product and its relinearization). A rescaling lowers its level by one.
// Every ciphertext carries a public bound on its error and on its values (both hold except with probability 2^-128 over
// keys and errors): an operation that would pass the modulus throws before it runs, and a value without a certain bit
// is not decrypted. Results are close, never exact: decrypt what others may see with a Release. Types are thread-safe.
#pragma once

#include <complex>
#include <functional>
#include <optional>

#include "ringfort/keys.h"

namespace ringfort::ckks {

// Immutable. Errors: invalid_argument, insecure_parameters, unsupported, device_unknown, out_of_memory.
class Context {
 public:
  // An empty `device` is the one that the environment variable RINGFORT_DEVICE names, or "cpu".
  explicit Context(const Parameters& parameters, std::string_view device = {});
  // shared, and by moves too: a context is never empty
  Context(const Context&) = default;
  Context& operator=(const Context&) = default;
  [[nodiscard]] const Parameters& parameters() const noexcept;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint32_t slots() const noexcept;
  [[nodiscard]] std::uint32_t top_level() const noexcept;
  // S_top = Parameters::scale, S_(l-1) = S_l^2 / (primes of level l): what products of values of scale S_l have after
  // rescaling. This is the double next to it; objects hold more of it.
  [[nodiscard]] double scale(std::uint32_t level) const;
  [[nodiscard]] const KeyContext& keys() const noexcept;
  operator const KeyContext&() const noexcept { return keys(); }  // NOLINT(google-explicit-constructor)
  struct State;
  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// Moved from, it is empty: an output may be, an operand is refused (invalid_argument).
class Plaintext {
 public:
  Plaintext();
  Plaintext(Plaintext&&) noexcept;
  Plaintext& operator=(Plaintext&&) noexcept;
  ~Plaintext();
  [[nodiscard]] Plaintext clone() const;
  [[nodiscard]] Plaintext to(const Context& target) const;  // the same on another device, as Ciphertext::to
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint32_t level() const noexcept;
  [[nodiscard]] double scale() const noexcept;
  [[nodiscard]] double magnitude() const noexcept;  // |values| are at most this
  // p: every slot is within 2^-(p + 1), rounded as decode does it
  [[nodiscard]] double precision_bits() const noexcept;
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

// Moved from, it is empty: an output may be, an operand is refused (invalid_argument).
class Ciphertext {
 public:
  Ciphertext();  // empty
  Ciphertext(Ciphertext&&) noexcept;
  Ciphertext& operator=(Ciphertext&&) noexcept;
  ~Ciphertext();
  [[nodiscard]] Ciphertext clone() const;  // shares the memory until one of the two changes
  // The same on another device, at once: the words are moved when they are first used there, for all copies, and come
  // back unmoved.
  [[nodiscard]] Ciphertext to(const Context& target) const;
  [[nodiscard]] std::string device() const;           // of its context; empty for an empty one
  [[nodiscard]] std::uint32_t size() const noexcept;  // components: 0 (empty), 2 or 3
  [[nodiscard]] std::uint32_t level() const noexcept;
  [[nodiscard]] double scale() const noexcept;
  [[nodiscard]] double magnitude() const noexcept;
  // before decoding (Encoder::decoded_precision_bits)
  [[nodiscard]] double precision_bits() const noexcept;
  // magnitude and precision are the word of a file's writer
  [[nodiscard]] bool bound_is_untrusted() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

struct EncodeOptions {
  std::optional<std::uint32_t> level;  // default: the top
  std::optional<double> scale;         // default: Context::scale(level)
  // default: Parameters::magnitude; it is public, so it may not depend on secret values
  std::optional<double> magnitude;
};

// Values fill slots from 0, zeros follow. Errors: invalid_argument (NaN, infinity, too many values, above the
// magnitude, coefficients of 2^119 and more), noise_bound_exceeded (decode: no certain bit), bound_violated (decode).
class Encoder {
 public:
  explicit Encoder(const Context& context) : context_(context) {}
  [[nodiscard]] Plaintext encode(std::span<const double> values, const EncodeOptions& options = {}) const;
  [[nodiscard]] Plaintext encode(std::span<const std::complex<double>> values, const EncodeOptions& options = {}) const;
  // For values that everybody knows (weights, masks): the magnitude is measured; encrypt refuses the result.
  [[nodiscard]] Plaintext encode_public(std::span<const double> values, const EncodeOptions& options = {}) const;
  [[nodiscard]] Plaintext encode_public(std::span<const std::complex<double>> values,
                                        const EncodeOptions& options = {}) const;
  // The first out.size() slots; for doubles their real parts. Those of a decryption are rounded to the bits that its
  // bound guarantees (a power of two near the error, both parts; not where a Release's noise hides it), and refused
  // with bound_violated where one is outside magnitude and error.
  void decode(const Plaintext& plaintext, std::span<double> out) const;
  void decode(const Plaintext& plaintext, std::span<std::complex<double>> out) const;
  // Not rounded: with the error. Whoever sees two such results and their ciphertexts computes the secret key
  // [LiMicciancio21]; one is enough where it shows imaginary parts. For measurements by the key's owner.
  void decode_raw(const Plaintext& plaintext, std::span<double> out) const;
  void decode_raw(const Plaintext& plaintext, std::span<std::complex<double>> out) const;
  // Of the doubles that decrypting and decoding this gives: their own roundings counted. At most a bit below the raw
  // ones, and more where a bound is a file's claim: what the parameters planned for is then rounded away.
  [[nodiscard]] double decoded_precision_bits(const Ciphertext& ciphertext) const;
  [[nodiscard]] double raw_precision_bits(const Ciphertext& ciphertext) const;

 private:
  Context context_;
};

// One fresh seed pair a call. Errors: parameters_mismatch, entropy_unavailable, out_of_memory, mode_forbidden
// (encode_public).
class Encryptor {
 public:
  Encryptor(const Context& context, const PublicKey& key) : context_(context), public_(key.state()) {}
  Encryptor(const Context& context, const SecretKey& key) : context_(context), secret_(key.state()) {}  // less noise
  Encryptor(const Encryptor&) = default;
  Encryptor& operator=(const Encryptor&) = default;
  [[nodiscard]] Ciphertext encrypt(const Plaintext& plaintext) const;
  void encrypt_into(Ciphertext& out, const Plaintext& plaintext) const;

 private:
  Context context_;
  std::shared_ptr<const PublicKey::State> public_;
  std::shared_ptr<const SecretKey::State> secret_;
};

// Counts one more decryption for others under this key, durably, before it returns; throws Error(release_refused) when
// planned.queries of them are spent. The decryptor stores nothing; io::ReleaseLedger is such a count.
using CountRelease = std::function<void(std::uint64_t key_identity, const Release& planned)>;

// For the key's owner alone, but for decrypt with a Release. Errors: noise_bound_exceeded, parameters_mismatch,
// invalid_argument (empty).
class Decryptor {
 public:
  Decryptor(const Context& context, const SecretKey& key) : context_(context), key_(key.state()) {}
  Decryptor(const Decryptor&) = default;
  Decryptor& operator=(const Decryptor&) = default;
  [[nodiscard]] Plaintext decrypt(const Ciphertext& ciphertext) const;
  // For others to see: near-normal noise hides the error, so that Parameters::release.queries of such plaintexts tell
  // no more of the key than its bits of security allow [LiMicciancioSchultzSorrell22]. `release` is what the caller
  // relies on: the noise is that of the plan, whatever less is asked. Errors: release_refused (the plan is for less, or
  // no count is given), noise_bound_exceeded (nothing certain would be left); counted only after these. No less is
  // hidden than what was planned for the level.
  [[nodiscard]] Plaintext decrypt(const Ciphertext& ciphertext, const Release& release,
                                  const CountRelease& count) const;

 private:
  Context context_;
  std::shared_ptr<const SecretKey::State> key_;
};

// The verbs by hand: operands of one level and, where they are added, of exactly one scale. X_into(out, ...) is X with
// the memory of `out`, which may be an operand; on an error out is unchanged or empty. `threads` is the most that one
// verb may use. Errors of all: parameters_mismatch, noise_bound_exceeded, invalid_argument; depth_exhausted,
// key_missing where it applies.
class Evaluator {
 public:
  explicit Evaluator(const Context& context, unsigned threads = 1) : context_(context), threads_(threads) {}

  void add_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const;
  void subtract_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const;
  void negate_into(Ciphertext& out, const Ciphertext& a) const;
  void add_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const;
  void subtract_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const;
  // 3 components, scales multiply
  void multiply_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const;
  void square_into(Ciphertext& out, const Ciphertext& a) const;
  void multiply_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const;
  void multiply_integer_into(Ciphertext& out, const Ciphertext& a, std::int64_t factor) const;  // exact, no level
  // same value, scale * factor
  void upscale_into(Ciphertext& out, const Ciphertext& a, std::int64_t factor) const;
  // sum += a b, before relinearization
  void multiply_add_into(Ciphertext& sum, const Ciphertext& a, const Ciphertext& b) const;
  void relinearize_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const;
  // scale / primes of the level
  void rescale_into(Ciphertext& out, const Ciphertext& a) const;
  // The bits and the bound of the verbs one after another, with fewer transforms; what the last one admits is computed.
  void relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const;
  void multiply_relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b,
                                         const RelinearizationKey& key) const;
  void mod_switch_into(Ciphertext& out, const Ciphertext& a, std::uint32_t level) const;  // same scale and value
  void rotate_into(Ciphertext& out, const Ciphertext& a, std::int64_t step, const GaloisKeys& keys) const;  // left
  void conjugate_into(Ciphertext& out, const Ciphertext& a, const GaloisKeys& keys) const;
  // Slot j becomes the sum of slots j .. j + count - 1 (cyclic), count a power of two; needs rotations by 1, 2, 4 ..
  // count / 2.
  void sum_slots_into(Ciphertext& out, const Ciphertext& a, std::uint32_t count, const GaloisKeys& keys) const;

  [[nodiscard]] Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext negate(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  [[nodiscard]] Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) const;
  [[nodiscard]] Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext square(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  [[nodiscard]] Ciphertext multiply_integer(const Ciphertext& a, std::int64_t factor) const;
  [[nodiscard]] Ciphertext upscale(const Ciphertext& a, std::int64_t factor) const;
  [[nodiscard]] Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key) const;
  [[nodiscard]] Ciphertext rescale(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext relinearize_rescale(const Ciphertext& a, const RelinearizationKey& key) const;
  [[nodiscard]] Ciphertext multiply_relinearize_rescale(const Ciphertext& a, const Ciphertext& b,
                                                        const RelinearizationKey& key) const;
  [[nodiscard]] Ciphertext mod_switch(const Ciphertext& a, std::uint32_t level) const;
  [[nodiscard]] Ciphertext rotate(const Ciphertext& a, std::int64_t step, const GaloisKeys& keys) const;
  [[nodiscard]] Ciphertext conjugate(const Ciphertext& a, const GaloisKeys& keys) const;
  [[nodiscard]] Ciphertext sum_slots(const Ciphertext& a, std::uint32_t count, const GaloisKeys& keys) const;

  // `a`, of whose values more is known than bounds can: after masks, sums of slots that are zero elsewhere stay as
  // large as one term. The words are shared; a bound that was smaller stays. What is said must hold, else later bounds
  // do not.
  [[nodiscard]] Ciphertext declare_magnitude(const Ciphertext& a, double magnitude) const;
  [[nodiscard]] Ciphertext add_many(std::span<const Ciphertext> terms) const;
  // sum_i a_i b_i, 3 components: one relinearization serves all products.
  [[nodiscard]] Ciphertext inner_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] Ciphertext inner_product_plain(std::span<const Ciphertext> a, std::span<const Plaintext> b) const;
  // One result for each step; the digits of `a` are made once. Each is bit for bit what rotate gives.
  [[nodiscard]] std::vector<Ciphertext> rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps,
                                                    const GaloisKeys& keys) const;

  // The verb on each ciphertext, or pair, bit for bit. Devices with KeyContext::wants_batches() take up to 16 of one
  // level at once.
  [[nodiscard]] std::vector<Ciphertext> multiply(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] std::vector<Ciphertext> relinearize(std::span<const Ciphertext> a, const RelinearizationKey& key) const;
  [[nodiscard]] std::vector<Ciphertext> rescale(std::span<const Ciphertext> a) const;
  [[nodiscard]] std::vector<Ciphertext> rotate(std::span<const Ciphertext> a, std::int64_t step,
                                               const GaloisKeys& keys) const;

 private:
  Context context_;
  unsigned threads_;
};

// The same verbs with levels and scales kept by the library: every result has Context::scale(level) and 2 components,
// operands of any levels are brought together, products are relinearized and rescaled. It calls Evaluator and nothing
// else. Errors: as Evaluator's; depth_exhausted when a product finds no level.
class AutomaticEvaluator {
 public:
  // A key that is not given is missed when a verb needs it (key_missing).
  explicit AutomaticEvaluator(const Context& context, const RelinearizationKey* relinearization = nullptr,
                              const GaloisKeys* galois = nullptr, unsigned threads = 1);
  [[nodiscard]] Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext negate(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext add_many(std::span<const Ciphertext> terms) const;
  [[nodiscard]] Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext square(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext multiply_integer(const Ciphertext& a, std::int64_t factor) const;  // exact, no level
  // values that everybody knows
  [[nodiscard]] Ciphertext add(const Ciphertext& a, std::span<const double> values) const;
  [[nodiscard]] Ciphertext add(const Ciphertext& a, std::span<const std::complex<double>> values) const;
  [[nodiscard]] Ciphertext subtract(const Ciphertext& a, std::span<const double> values) const;
  [[nodiscard]] Ciphertext subtract(const Ciphertext& a, std::span<const std::complex<double>> values) const;
  [[nodiscard]] Ciphertext multiply(const Ciphertext& a, std::span<const double> values) const;
  [[nodiscard]] Ciphertext multiply(const Ciphertext& a, std::span<const std::complex<double>> values) const;
  [[nodiscard]] Ciphertext add(const Ciphertext& a, std::complex<double> value) const;  // in every slot
  [[nodiscard]] Ciphertext multiply(const Ciphertext& a, std::complex<double> value) const;
  // ceil(log2 exponent) levels
  [[nodiscard]] Ciphertext power(const Ciphertext& a, std::uint32_t exponent) const;
  // One relinearization and one rescaling for all products.
  [[nodiscard]] Ciphertext inner_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] Ciphertext rotate(const Ciphertext& a, std::int64_t step) const;
  [[nodiscard]] Ciphertext conjugate(const Ciphertext& a) const;
  // of all slots, in every slot
  [[nodiscard]] Ciphertext sum_slots(const Ciphertext& a) const;
  // The verb on each ciphertext, or pair, bit for bit: several at once, as Evaluator's.
  [[nodiscard]] std::vector<Ciphertext> multiply(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] std::vector<Ciphertext> power(std::span<const Ciphertext> a, std::uint32_t exponent) const;
  [[nodiscard]] std::vector<Ciphertext> rotate(std::span<const Ciphertext> a, std::int64_t step) const;
  // At `level` with its scale: limbs left out, a constant, one rescaling.
  [[nodiscard]] Ciphertext align(const Ciphertext& a, std::uint32_t level) const;

 private:
  [[nodiscard]] Ciphertext to_level_scale(const Ciphertext& a) const;  // at the highest level whose scale it can have
  [[nodiscard]] Ciphertext finish(const Ciphertext& product) const;
  Evaluator evaluator_;
  Context context_;
  std::shared_ptr<const RelinearizationKey::State> relinearization_;
  std::shared_ptr<const GaloisKeys::State> galois_;
};

}  // namespace ringfort::ckks
