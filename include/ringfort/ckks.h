// SPDX-License-Identifier: Apache-2.0
// CKKS: approximate arithmetic on encrypted real or complex numbers [CheonKimKimSong17]. In a ring of degree n, a
// ciphertext has n/2 slots, each for one number. It contains the numbers times a *scale*, modulo a product of primes. A
// product multiplies the scales. Rescaling then divides by the primes of one *level*, and the result has one level
// less. A ciphertext has public bounds on its error and its values. They hold except with probability 2^-128. If a
// result might exceed the modulus, or would have no guaranteed correct bit, the operation throws before it computes. If
// others see results, decrypt with a Release: errors can reveal the secret key. Types are shareable between threads.
#pragma once

#include <complex>
#include <functional>
#include <optional>

#include "ringfort/keys.h"

namespace ringfort::ckks {

// Immutable. Errors: invalid_argument, insecure_parameters, unsupported, device_unknown, out_of_memory.
class Context {
 public:
  // An empty `device` means the device that the environment variable RINGFORT_DEVICE names, or "cpu" if it names none.
  explicit Context(const Parameters& parameters, std::string_view device = {});
  Context(const Context&) = default;  // copies and moves share the state: a context is never empty
  Context& operator=(const Context&) = default;
  [[nodiscard]] const Parameters& parameters() const noexcept;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint32_t slots() const noexcept;
  [[nodiscard]] std::uint32_t top_level() const noexcept;
  // Returns the double nearest to the scale S_l of level l. At the top level, S_l is Parameters::scale. S_(l-1) is
  // S_l^2 / (product of the primes of level l): the scale of a product of two values of scale S_l, after rescaling.
  [[nodiscard]] double scale(std::uint32_t level) const;
  [[nodiscard]] const KeyContext& keys() const noexcept;
  operator const KeyContext&() const noexcept { return keys(); }  // NOLINT(google-explicit-constructor)
  struct State;
  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// A moved-from plaintext is empty. It may be an output; as an operand it is an error (invalid_argument).
class Plaintext {
 public:
  Plaintext();
  Plaintext(Plaintext&&) noexcept;
  Plaintext& operator=(Plaintext&&) noexcept;
  ~Plaintext();
  [[nodiscard]] Plaintext clone() const;                    // see Ciphertext::clone
  [[nodiscard]] Plaintext to(const Context& target) const;  // the same values on another device; see Ciphertext::to
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint32_t level() const noexcept;
  [[nodiscard]] double scale() const noexcept;
  [[nodiscard]] double magnitude() const noexcept;  // bound on the absolute values
  // Returns p: the error of a slot after decode is at most 2^-(p + 1), apart from rounding errors of doubles.
  [[nodiscard]] double precision_bits() const noexcept;
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

// A moved-from ciphertext is empty. It may be an output; as an operand it is an error (invalid_argument).
class Ciphertext {
 public:
  Ciphertext();  // empty
  Ciphertext(Ciphertext&&) noexcept;
  Ciphertext& operator=(Ciphertext&&) noexcept;
  ~Ciphertext();
  [[nodiscard]] Ciphertext clone() const;  // copy-on-write; the clone of an empty object is empty
  // Returns the ciphertext for the device of `target`. The first use there copies the residues; clones share the copy.
  [[nodiscard]] Ciphertext to(const Context& target) const;
  [[nodiscard]] std::string device() const;           // its context's device; empty if the ciphertext is empty
  [[nodiscard]] std::uint32_t size() const noexcept;  // components: 0 (empty), or 2 .. 16
  [[nodiscard]] std::uint32_t level() const noexcept;
  [[nodiscard]] double scale() const noexcept;
  [[nodiscard]] double magnitude() const noexcept;
  // Returns p: every encrypted value has an error of at most 2^-(p + 1). For decoded values, see Encoder.
  [[nodiscard]] double precision_bits() const noexcept;
  [[nodiscard]] bool bound_is_untrusted() const noexcept;  // true if the bounds are claims of a file's writer
  [[nodiscard]] std::uint64_t key_id() const noexcept;     // identity of the secret key; 0 if empty
  [[nodiscard]] std::size_t bytes() const noexcept;
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

struct EncodeOptions {                 // options of Encoder::encode
  std::optional<std::uint32_t> level;  // default: the top level
  std::optional<double> scale;         // default: Context::scale(level)
  std::optional<double> magnitude;     // public; must not depend on secret values. Default: Parameters::magnitude
};

// The values fill the first slots; the other slots are zero. Errors: invalid_argument (NaN, infinity, too many values,
// a value above the magnitude, a value whose product with the scale reaches 2^119), parameters_mismatch; of encode:
// noise_bound_exceeded; of decode: bound_violated.
class Encoder {
 public:
  explicit Encoder(const Context& context) : context_(context) {}
  [[nodiscard]] Plaintext encode(std::span<const double> values, const EncodeOptions& options = {}) const;
  [[nodiscard]] Plaintext encode(std::span<const std::complex<double>> values, const EncodeOptions& options = {}) const;
  // Encodes public values (weights, masks) and measures their magnitude. Encryptor::encrypt does not accept the result.
  [[nodiscard]] Plaintext encode_public(std::span<const double> values, const EncodeOptions& options = {}) const;
  [[nodiscard]] Plaintext encode_public(std::span<const std::complex<double>> values,
                                        const EncodeOptions& options = {}) const;
  // Returns the first out.size() slots, or their real parts. Rounds each decrypted value to a multiple of a power of
  // two near the error bound: only the guaranteed bits remain. Does not round if a Release added noise. Like
  // decode_raw, throws bound_violated if any decrypted slot exceeds the sum of magnitude and error bound.
  void decode(const Plaintext& plaintext, std::span<double> out) const;
  void decode(const Plaintext& plaintext, std::span<std::complex<double>> out) const;
  // Returns values without rounding. Two such results and their ciphertexts reveal the secret key [LiMicciancio21]; one
  // result is enough if it has imaginary parts. Use decode_raw only for measurements by the key's owner.
  void decode_raw(const Plaintext& plaintext, std::span<double> out) const;
  void decode_raw(const Plaintext& plaintext, std::span<std::complex<double>> out) const;
  // Return the precision after decrypt and decode, and after decrypt and decode_raw. The rounding of decode costs at
  // most one bit, unless the bound is a claim of a file's writer: then decode assumes at least the planned error.
  [[nodiscard]] double decoded_precision_bits(const Ciphertext& ciphertext) const;
  [[nodiscard]] double raw_precision_bits(const Ciphertext& ciphertext) const;

 private:
  Context context_;
};

// Each call draws fresh seeds. Errors: parameters_mismatch, invalid_argument (empty), noise_bound_exceeded,
// entropy_unavailable, out_of_memory, mode_forbidden (the plaintext is a result of encode_public).
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

// Adds one to the number of releases of a key; the new number is on disk when the function returns. The application
// supplies the function (see io::ReleaseLedger). Throws Error(release_refused) rather than exceed planned.queries.
using CountRelease = std::function<void(std::uint64_t key_identity, const Release& planned)>;

// Only the key's owner may see the results of decrypt without a Release. Errors: noise_bound_exceeded,
// parameters_mismatch, invalid_argument (empty).
class Decryptor {
 public:
  Decryptor(const Context& context, const SecretKey& key) : context_(context), key_(key.state()) {}
  Decryptor(const Decryptor&) = default;
  Decryptor& operator=(const Decryptor&) = default;
  [[nodiscard]] Plaintext decrypt(const Ciphertext& ciphertext) const;
  // Decrypts for others: adds nearly normal noise that hides the error. After Parameters::release.queries such
  // decryptions, the key still has Parameters::release.bits of security [LiMicciancioSchultzSorrell22]. The noise is at
  // least as large as planned for the level, even if `release` requires less. Errors: release_refused (`release`
  // requires more than the plan, or `count` is empty), noise_bound_exceeded (no guaranteed bit would remain),
  // unsupported (the noise would be too long). Calls `count` only after these checks.
  [[nodiscard]] Plaintext decrypt(const Ciphertext& ciphertext, const Release& release,
                                  const CountRelease& count) const;

 private:
  Context context_;
  std::shared_ptr<const SecretKey::State> key_;
};

// The operations ("verbs"). The caller chooses levels and relinearizes; AutomaticEvaluator does both itself.
// Ciphertexts must have the same level; the level of a plaintext may be higher. Operands of additions must have exactly
// the same scale. X_into(out, ...) computes X and reuses the memory of `out`, which may be an operand. After an error
// `out` is unchanged or empty. `threads` is the largest number of threads of one verb. Errors: parameters_mismatch,
// noise_bound_exceeded, invalid_argument, depth_exhausted, key_missing.
class Evaluator {
 public:
  explicit Evaluator(const Context& context, unsigned threads = 1) : context_(context), threads_(threads) {}

  void add_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const;
  void subtract_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const;
  void negate_into(Ciphertext& out, const Ciphertext& a) const;
  void add_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const;
  void subtract_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const;
  // k and l components give k + l - 1, at most 16; relinearize reduces 3 to 2. The scale is the product of the scales.
  void multiply_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const;
  void square_into(Ciphertext& out, const Ciphertext& a) const;
  void multiply_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const;
  void multiply_integer_into(Ciphertext& out, const Ciphertext& a, std::int64_t factor) const;  // exact; takes no level
  void upscale_into(Ciphertext& out, const Ciphertext& a, std::int64_t factor) const;  // same value, scale * factor
  // Adds the product a b, before relinearization, to `sum`.
  void multiply_add_into(Ciphertext& sum, const Ciphertext& a, const Ciphertext& b) const;
  void relinearize_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const;
  // Keeps the value. Divides the scale and the error by the primes of the level, and adds a rounding error.
  void rescale_into(Ciphertext& out, const Ciphertext& a) const;
  // Give the bits and bounds of the separate verbs, with fewer transforms. They check only the bound of the result.
  void relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const;
  void multiply_relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b,
                                         const RelinearizationKey& key) const;
  void mod_switch_into(Ciphertext& out, const Ciphertext& a, std::uint32_t level) const;  // same scale and value
  void rotate_into(Ciphertext& out, const Ciphertext& a, std::int64_t step, const GaloisKeys& keys) const;  // leftward
  void conjugate_into(Ciphertext& out, const Ciphertext& a, const GaloisKeys& keys) const;
  // Replaces slot j by the sum of slots j .. j + count - 1 (cyclic). `count` is a power of two. Needs the
  // rotations by 1, 2, 4 .. count / 2.
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

  // Return the words of `a` with a magnitude that you know to be smaller than the library's, or with a scale in
  // (0, 2^1000], which multiplies the values by a.scale() / scale. A false magnitude makes all later bounds false.
  [[nodiscard]] Ciphertext declare_magnitude(const Ciphertext& a, double magnitude) const;
  [[nodiscard]] Ciphertext declare_scale(const Ciphertext& a, double scale) const;
  [[nodiscard]] Ciphertext add_many(std::span<const Ciphertext> terms) const;
  // Returns sum_i a_i b_i: one relinearization serves all products.
  [[nodiscard]] Ciphertext inner_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] Ciphertext inner_product_plain(std::span<const Ciphertext> a, std::span<const Plaintext> b) const;
  // Returns the same bits as a call of rotate for each step. The rotations share their first part (hoisting).
  [[nodiscard]] std::vector<Ciphertext> rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps,
                                                    const GaloisKeys& keys) const;

  // Apply the verb to each ciphertext, or to each pair. Each result is bit-identical to that of a single call. If
  // KeyContext::wants_batches() is true, the device computes up to 16 ciphertexts of equal level at once.
  [[nodiscard]] std::vector<Ciphertext> multiply(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] std::vector<Ciphertext> relinearize(std::span<const Ciphertext> a, const RelinearizationKey& key) const;
  [[nodiscard]] std::vector<Ciphertext> rescale(std::span<const Ciphertext> a) const;
  [[nodiscard]] std::vector<Ciphertext> rotate(std::span<const Ciphertext> a, std::int64_t step,
                                               const GaloisKeys& keys) const;

 private:
  Context context_;
  unsigned threads_;
};

// The verbs of Evaluator. Brings operands to one level and scale; relinearizes and rescales products. The verbs rotate,
// conjugate and sum_slots keep the scale. Other results have the scale Context::scale(level), and an operand of another
// scale takes one level more. Errors: those of Evaluator; unsupported (the scale fits no level).
class AutomaticEvaluator {
 public:
  // A key may be missing if no verb needs it. A verb that needs it throws key_missing.
  explicit AutomaticEvaluator(const Context& context, const RelinearizationKey* relinearization = nullptr,
                              const GaloisKeys* galois = nullptr, unsigned threads = 1);
  [[nodiscard]] Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext negate(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext add_many(std::span<const Ciphertext> terms) const;
  [[nodiscard]] Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext square(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext multiply_integer(const Ciphertext& a, std::int64_t factor) const;  // exact; no level
  // The second operand is public. If it is a single number, it applies to every slot.
  [[nodiscard]] Ciphertext add_plain(const Ciphertext& a, std::span<const double> values) const;
  [[nodiscard]] Ciphertext add_plain(const Ciphertext& a, std::span<const std::complex<double>> values) const;
  [[nodiscard]] Ciphertext subtract_plain(const Ciphertext& a, std::span<const double> values) const;
  [[nodiscard]] Ciphertext subtract_plain(const Ciphertext& a, std::span<const std::complex<double>> values) const;
  [[nodiscard]] Ciphertext multiply_plain(const Ciphertext& a, std::span<const double> values) const;
  [[nodiscard]] Ciphertext multiply_plain(const Ciphertext& a, std::span<const std::complex<double>> values) const;
  [[nodiscard]] Ciphertext add_plain(const Ciphertext& a, std::complex<double> value) const;
  [[nodiscard]] Ciphertext multiply_plain(const Ciphertext& a, std::complex<double> value) const;
  [[nodiscard]] Ciphertext power(const Ciphertext& a, std::uint32_t exponent) const;  // ceil(log2 exponent) levels
  // Rescale (and relinearize) once for all products. The vectors of inner_product_plain are public.
  [[nodiscard]] Ciphertext inner_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  template <class Value>  // double or std::complex<double>
  [[nodiscard]] Ciphertext inner_product_plain(std::span<const Ciphertext> a,
                                               std::span<const std::span<const Value>> b) const;
  [[nodiscard]] Ciphertext rotate(const Ciphertext& a, std::int64_t step) const;
  [[nodiscard]] Ciphertext conjugate(const Ciphertext& a) const;
  [[nodiscard]] Ciphertext sum_slots(const Ciphertext& a) const;  // returns the sum of all slots, in every slot
  // Applies the verb to each ciphertext, or each pair, like Evaluator's verbs for vectors.
  [[nodiscard]] std::vector<Ciphertext> multiply(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  [[nodiscard]] std::vector<Ciphertext> power(std::span<const Ciphertext> a, std::uint32_t exponent) const;
  [[nodiscard]] std::vector<Ciphertext> rotate(std::span<const Ciphertext> a, std::int64_t step) const;
  // Brings `a` to `level` and to the scale of this level: drops limbs, multiplies by a constant, rescales once.
  [[nodiscard]] Ciphertext align(const Ciphertext& a, std::uint32_t level) const;

 private:
  [[nodiscard]] Ciphertext to_level_scale(const Ciphertext& a) const;  // at the highest level possible
  [[nodiscard]] Ciphertext finish(const Ciphertext& product) const;
  Evaluator evaluator_;
  Context context_;
  std::shared_ptr<const RelinearizationKey::State> relinearization_;
  std::shared_ptr<const GaloisKeys::State> galois_;
};

}  // namespace ringfort::ckks
