// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic on encrypted integers modulo t, for BFV and BGV. ringfort/bfv.h and ringfort/bgv.h name the types of
// each scheme; the compiler refuses operands of two schemes. t is any number in 2 .. 2^50 - 1 that no prime of the
// chain divides. Let n be the degree of the ring. If t is a prime that is 1 mod 2n, a plaintext has n slots, each for
// one integer, in two rows. The verb rotate rotates both rows, and the verb swap_rows exchanges them. For any other t,
// the integers are the coefficients of a polynomial modulo x^n + 1. Results are in (-t/2, t/2]: if t is even, both t/2
// and -t/2 are read as t/2. The level of a ciphertext tells how many primes its modulus has (ringfort/parameters.h).
// Every ciphertext carries a public bound on its noise. The bound holds except with probability 2^-128. If a result
// might not decrypt, an operation throws before it computes. All types are shareable between threads.
#pragma once

#include "ringfort/keys.h"

namespace ringfort::integers {

// Immutable. Errors: invalid_argument, insecure_parameters, unsupported, device_unknown, out_of_memory.
template <class Scheme>
class Context {
 public:
  using Parameters = typename Scheme::Parameters;
  // An empty `device` means the device that the environment variable RINGFORT_DEVICE names, or "cpu" if it names none.
  explicit Context(const Parameters& parameters, std::string_view device = {});
  // Copies and moves share the state: a context is never empty.
  Context(const Context&) = default;
  Context& operator=(const Context&) = default;
  [[nodiscard]] const Parameters& parameters() const noexcept;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::uint64_t plain_modulus() const noexcept;
  [[nodiscard]] bool has_slots() const noexcept;  // true if t is a prime that is 1 mod 2n
  [[nodiscard]] std::uint32_t top_level() const noexcept;
  [[nodiscard]] const KeyContext& keys() const noexcept;
  operator const KeyContext&() const noexcept { return keys(); }  // NOLINT(google-explicit-constructor)
  struct State;
  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// A plaintext has no level: it fits ciphertexts of all levels. A moved-from plaintext is empty. It may be an output; as
// an operand it is an error (invalid_argument).
template <class Scheme>
class Plaintext {
 public:
  Plaintext();
  Plaintext(Plaintext&&) noexcept;
  Plaintext& operator=(Plaintext&&) noexcept;
  ~Plaintext();
  [[nodiscard]] Plaintext clone() const;  // the clone of an empty plaintext is empty
  // Returns a clone for the device of `target`. Copies the transform of prepare_plain, if there is one, to this device.
  // Errors: parameters_mismatch, invalid_argument (empty).
  [[nodiscard]] Plaintext to(const Context<Scheme>& target) const;
  [[nodiscard]] std::string device() const;  // name of its context's device; empty if the plaintext is empty
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

// A moved-from ciphertext is empty. It may be an output; as an operand it is an error (invalid_argument).
template <class Scheme>
class Ciphertext {
 public:
  Ciphertext();  // empty
  Ciphertext(Ciphertext&&) noexcept;
  Ciphertext& operator=(Ciphertext&&) noexcept;
  ~Ciphertext();
  [[nodiscard]] Ciphertext clone() const;  // copy-on-write; the clone of an empty ciphertext is empty
  // Returns the same ciphertext for the device of `target`. The first use on this device copies the residues; clones
  // share the copy. Errors: parameters_mismatch, invalid_argument (empty).
  [[nodiscard]] Ciphertext to(const Context<Scheme>& target) const;
  [[nodiscard]] std::string device() const;           // its context's device; empty if the ciphertext is empty
  [[nodiscard]] std::uint32_t size() const noexcept;  // components: 0 (empty), or 2 .. 16
  [[nodiscard]] std::uint32_t level() const noexcept;
  // Returns log2 of (largest noise that decrypts / noise bound).
  [[nodiscard]] double budget_bits() const noexcept;
  [[nodiscard]] bool bound_is_untrusted() const noexcept;  // true if the budget is a claim of a file's writer
  [[nodiscard]] std::uint64_t key_id() const noexcept;     // identity of the secret key; 0 if empty
  [[nodiscard]] std::size_t bytes() const noexcept;
  struct State;
  [[nodiscard]] State& state();
  [[nodiscard]] const State& state() const noexcept;

 private:
  std::unique_ptr<State> state_;
};

// Encodes signed values, of at most t/2 in absolute value, into slots or coefficients. Slots or coefficients without a
// value are zero. Errors: invalid_argument, parameters_mismatch; unsupported (encode and decode need slots).
template <class Scheme>
class Encoder {
 public:
  explicit Encoder(const Context<Scheme>& context) : context_(context) {}
  [[nodiscard]] Plaintext<Scheme> encode(std::span<const std::int64_t> values) const {  // into slots
    Plaintext<Scheme> out;
    encode_into(out, values);
    return out;
  }
  // Reuses the memory of `out`. After an error `out` is unchanged or empty.
  void encode_into(Plaintext<Scheme>& out, std::span<const std::int64_t> values) const;
  [[nodiscard]] Plaintext<Scheme> encode_coefficients(std::span<const std::int64_t> values) const;
  // Returns the first out.size() values.
  void decode(const Plaintext<Scheme>& plaintext, std::span<std::int64_t> out) const;
  void decode_coefficients(const Plaintext<Scheme>& plaintext, std::span<std::int64_t> out) const;

 private:
  Context<Scheme> context_;
};

// Each call draws fresh seeds. Errors: parameters_mismatch, invalid_argument (empty), noise_bound_exceeded,
// entropy_unavailable, out_of_memory.
template <class Scheme>
class Encryptor {
 public:
  Encryptor(const Context<Scheme>& context, const PublicKey& key) : context_(context), public_(key.state()) {}
  // encrypts under the secret key, with less noise
  Encryptor(const Context<Scheme>& context, const SecretKey& key) : context_(context), secret_(key.state()) {}
  Encryptor(const Encryptor&) = default;
  Encryptor& operator=(const Encryptor&) = default;
  [[nodiscard]] Ciphertext<Scheme> encrypt(const Plaintext<Scheme>& plaintext) const;
  void encrypt_into(Ciphertext<Scheme>& out, const Plaintext<Scheme>& plaintext) const;

 private:
  Context<Scheme> context_;
  std::shared_ptr<const PublicKey::State> public_;
  std::shared_ptr<const SecretKey::State> secret_;
};

// Only the key's owner may see the results. Errors: noise_bound_exceeded, parameters_mismatch, invalid_argument
// (empty).
template <class Scheme>
class Decryptor {
 public:
  Decryptor(const Context<Scheme>& context, const SecretKey& key) : context_(context), key_(key.state()) {}
  Decryptor(const Decryptor&) = default;
  Decryptor& operator=(const Decryptor&) = default;
  [[nodiscard]] Plaintext<Scheme> decrypt(const Ciphertext<Scheme>& ciphertext) const;
  // Returns log2 of (largest noise that decrypts / the ciphertext's noise). A noise of 0 counts as 1. If budget_bits()
  // is finite, the result is at least budget_bits(). The result depends on the secret key: show it to nobody who may
  // have the ciphertext.
  [[nodiscard]] double measured_budget_bits(const Ciphertext<Scheme>& ciphertext) const;

 private:
  Context<Scheme> context_;
  std::shared_ptr<const SecretKey::State> key_;
};

// The operations ("verbs"). The caller chooses levels and relinearizes; AutomaticEvaluator does both itself.
// Ciphertexts must have the same level. X_into(out, ...) computes X and reuses the memory of `out`, which may be an
// operand. After an error `out` is unchanged or empty. `threads` is the largest number of threads of one verb. Errors:
// parameters_mismatch, noise_bound_exceeded, invalid_argument, key_missing.
template <class Scheme>
class Evaluator {
 public:
  using C = Ciphertext<Scheme>;
  using P = Plaintext<Scheme>;
  explicit Evaluator(const Context<Scheme>& context, unsigned threads = 1) : context_(context), threads_(threads) {}

  void add_into(C& out, const C& a, const C& b) const;
  void subtract_into(C& out, const C& a, const C& b) const;
  void negate_into(C& out, const C& a) const;
  void add_plain_into(C& out, const C& a, const P& b) const;
  void subtract_plain_into(C& out, const C& a, const P& b) const;
  // The product of k and l components has k + l - 1, at most 16. relinearize reduces 3 components to 2.
  void multiply_into(C& out, const C& a, const C& b) const;
  void multiply_plain_into(C& out, const C& a, const P& b) const;
  // Computes the transform of a plaintext that is a factor of many products. Keeps the transform in the plaintext, for
  // products at `level` and below. The transform takes half the memory of a ciphertext of this level with two
  // components. The bits of products do not change. Clones, and copies on other devices, have the transform, too.
  void prepare_plain(P& b, std::uint32_t level) const;
  void multiply_integer_into(C& out, const C& a, std::int64_t factor) const;  // |factor| <= t/2
  // adds the product a b, before relinearization, to `sum`
  void multiply_add_into(C& sum, const C& a, const C& b) const;
  void relinearize_into(C& out, const C& a, const RelinearizationKey& key) const;
  // Lowers the level to `level`. Divides the noise by the primes that leave the modulus, and adds a rounding error.
  void mod_switch_into(C& out, const C& a, std::uint32_t level) const;
  // rotates both rows to the left
  void rotate_into(C& out, const C& a, std::int64_t step, const GaloisKeys& keys) const;
  void swap_rows_into(C& out, const C& a, const GaloisKeys& keys) const;
  // Replaces slot j of a row by the sum of its slots j .. j + count - 1 (cyclic). `count` is a power of two.
  void sum_slots_into(C& out, const C& a, std::uint32_t count, const GaloisKeys& keys) const;

  [[nodiscard]] C add(const C& a, const C& b) const {
    return result([&](C& out) { add_into(out, a, b); });
  }
  [[nodiscard]] C subtract(const C& a, const C& b) const {
    return result([&](C& out) { subtract_into(out, a, b); });
  }
  [[nodiscard]] C negate(const C& a) const {
    return result([&](C& out) { negate_into(out, a); });
  }
  [[nodiscard]] C add_plain(const C& a, const P& b) const {
    return result([&](C& out) { add_plain_into(out, a, b); });
  }
  [[nodiscard]] C subtract_plain(const C& a, const P& b) const {
    return result([&](C& out) { subtract_plain_into(out, a, b); });
  }
  [[nodiscard]] C multiply(const C& a, const C& b) const {
    return result([&](C& out) { multiply_into(out, a, b); });
  }
  [[nodiscard]] C square(const C& a) const { return multiply(a, a); }
  [[nodiscard]] C multiply_plain(const C& a, const P& b) const {
    return result([&](C& out) { multiply_plain_into(out, a, b); });
  }
  [[nodiscard]] C multiply_integer(const C& a, std::int64_t factor) const {
    return result([&](C& out) { multiply_integer_into(out, a, factor); });
  }
  [[nodiscard]] C relinearize(const C& a, const RelinearizationKey& key) const {
    return result([&](C& out) { relinearize_into(out, a, key); });
  }
  [[nodiscard]] C mod_switch(const C& a, std::uint32_t level) const {
    return result([&](C& out) { mod_switch_into(out, a, level); });
  }
  [[nodiscard]] C rotate(const C& a, std::int64_t step, const GaloisKeys& keys) const {
    return result([&](C& out) { rotate_into(out, a, step, keys); });
  }
  [[nodiscard]] C swap_rows(const C& a, const GaloisKeys& keys) const {
    return result([&](C& out) { swap_rows_into(out, a, keys); });
  }
  [[nodiscard]] C sum_slots(const C& a, std::uint32_t count, const GaloisKeys& keys) const {
    return result([&](C& out) { sum_slots_into(out, a, count, keys); });
  }

  [[nodiscard]] C add_many(std::span<const C> terms) const;
  // relinearize the sum once
  [[nodiscard]] C inner_product(std::span<const C> a, std::span<const C> b) const;
  [[nodiscard]] C inner_product_plain(std::span<const C> a, std::span<const P> b) const;
  // exponent: 1 or more. All products are at the level of `a`.
  [[nodiscard]] C power(const C& a, std::uint32_t exponent, const RelinearizationKey& key) const;
  // Returns the same bits as a call of rotate for each step. The rotations share their first part (hoisting).
  [[nodiscard]] std::vector<C> rotate_many(const C& a, std::span<const std::int64_t> steps,
                                           const GaloisKeys& keys) const;

  // Apply the verb to each ciphertext, or to each pair. Each result is bit-identical to that of a single call. If
  // KeyContext::wants_batches() is true, the device computes up to 16 ciphertexts of equal level at once.
  [[nodiscard]] std::vector<C> multiply(std::span<const C> a, std::span<const C> b) const;
  [[nodiscard]] std::vector<C> relinearize(std::span<const C> a, const RelinearizationKey& key) const;
  [[nodiscard]] std::vector<C> rotate(std::span<const C> a, std::int64_t step, const GaloisKeys& keys) const;

 private:
  template <class Into>
  [[nodiscard]] static C result(Into into) {
    C out;
    into(out);
    return out;
  }
  Context<Scheme> context_;
  unsigned threads_;
};

// The verbs of Evaluator with automatic levels. Before a product, the operands are brought to the level at which the
// product keeps the largest noise budget; the product is relinearized. Every computation is a call of Evaluator.
template <class Scheme>
class AutomaticEvaluator {
 public:
  using C = Ciphertext<Scheme>;
  using P = Plaintext<Scheme>;
  // A key may be missing if no verb needs it. A verb that needs it throws key_missing.
  explicit AutomaticEvaluator(const Context<Scheme>& context, const RelinearizationKey* relinearization = nullptr,
                              const GaloisKeys* galois = nullptr, unsigned threads = 1);
  [[nodiscard]] C add(const C& a, const C& b) const;
  [[nodiscard]] C subtract(const C& a, const C& b) const;
  [[nodiscard]] C negate(const C& a) const { return evaluator_.negate(a); }
  [[nodiscard]] C add_many(std::span<const C> terms) const;
  [[nodiscard]] C multiply(const C& a, const C& b) const;
  [[nodiscard]] C square(const C& a) const { return multiply(a, a); }
  // Relinearizes once for all products.
  [[nodiscard]] C inner_product(std::span<const C> a, std::span<const C> b) const;
  [[nodiscard]] C add_plain(const C& a, const P& b) const { return evaluator_.add_plain(a, b); }
  [[nodiscard]] C subtract_plain(const C& a, const P& b) const { return evaluator_.subtract_plain(a, b); }
  [[nodiscard]] C multiply_plain(const C& a, const P& b) const { return evaluator_.multiply_plain(a, b); }
  [[nodiscard]] C multiply_integer(const C& a, std::int64_t factor) const {
    return evaluator_.multiply_integer(a, factor);
  }
  [[nodiscard]] C power(const C& a, std::uint32_t exponent) const;
  [[nodiscard]] C rotate(const C& a, std::int64_t step) const;
  [[nodiscard]] C swap_rows(const C& a) const;
  [[nodiscard]] C sum_slots(const C& a) const;  // replaces every slot of a row by the sum of the row
  // Apply the verb to each ciphertext, or to each pair, like Evaluator's verbs for vectors.
  [[nodiscard]] std::vector<C> multiply(std::span<const C> a, std::span<const C> b) const;
  [[nodiscard]] std::vector<C> power(std::span<const C> a, std::uint32_t exponent) const;
  [[nodiscard]] std::vector<C> rotate(std::span<const C> a, std::int64_t step) const;

 private:
  [[nodiscard]] C lowered(const C& a, std::uint32_t level) const;
  [[nodiscard]] std::vector<C> lowered(std::span<const C> all, std::uint32_t level) const;
  Evaluator<Scheme> evaluator_;
  Context<Scheme> context_;
  std::shared_ptr<const RelinearizationKey::State> relinearization_;
  std::shared_ptr<const GaloisKeys::State> galois_;
};

}  // namespace ringfort::integers
