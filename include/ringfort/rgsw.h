// SPDX-License-Identifier: Apache-2.0
// Ring-GSW: encrypted bits, counts of encrypted matches [KhedrGulakVaikuntanathan14] [MartinsSousa16].
// R_q = Z_q[x]/(x^n + 1), secret t ternary, phase(c0, c1) = c0 - t c1. A ciphertext is 2 * digits rows of two
// polynomials. Every object carries a public noise bound; an operation that would pass it throws before it runs.
// Large objects are move-only. Contexts and keys are immutable and shareable between threads; a Worker is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort::rgsw {

// Digits of a residue y = x / 2^shift in base 2^base_bits; shift > 0 is an approximate gadget (top-aligned).
struct Parameters {
  std::string name;
  std::uint32_t n = 0;                 // ring degree
  std::uint64_t q = 0;                 // prime, 1 mod 2n
  std::uint32_t base_bits = 0;         // B = 2^base_bits
  std::uint32_t digits = 0;            // l
  std::uint32_t shift = 0;             // low bits that the gadget leaves out
  bool centred = true;                 // digits in [-B/2, B/2); plain ones are in [0, B) and need B = 2
  bool public_key_allowed = true;
  bool literal_allowed = false;        // the full matrix product is offered as a search engine
  std::uint32_t failure_bits = 128;    // a count is wrong with probability <= 2^-failure_bits
  std::string insecure_reason;         // not empty: below 128 bits, and why that was accepted
};

// Presets: "gsw128" (default), "gsw128-compact" (secret key only), and of 110 bits, only with allow_insecure: "paper-gsw",
// "paper-row" (the same ciphertexts, one row of the product), "paper-row-b256" (B = 2^8, secret key only).
// Errors: invalid_argument (unknown name), insecure_parameters.
[[nodiscard]] Parameters preset(std::string_view name, bool allow_insecure = false);
[[nodiscard]] std::vector<std::string_view> preset_names();

// Errors: invalid_argument, insecure_parameters (above the 2024 table and no insecure_reason).
void validate(const Parameters& parameters);

// BLAKE2b-256 of all that decides what a ciphertext means (not of the name). "paper-gsw" and "paper-row" are equal.
[[nodiscard]] std::array<std::uint8_t, 32> digest(const Parameters& parameters);

struct Security {
  std::uint32_t bits = 0;              // estimated, classical; 0 when nobody estimated this set
  std::string source;                  // of the estimate
  double log2_q = 0;
  std::uint32_t limit_log2_q = 0;      // 128 bits, ternary secret, 2024 guidelines; 0: n not in the table
  bool accepted = false;               // log2_q <= limit
};
[[nodiscard]] Security security(const Parameters& parameters);

class Context {
 public:
  // An empty `device` is the one that the environment variable RINGFORT_DEVICE names, or "cpu".
  explicit Context(const Parameters& parameters, std::string_view device = {});
  [[nodiscard]] const Parameters& parameters() const noexcept;
  [[nodiscard]] std::string device() const;
  struct State;
  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// One thread's stream and scratch memory. Create one per thread; `stream` numbers differ between threads of one context.
class Worker {
 public:
  explicit Worker(const Context& context, std::uint32_t stream = 0);
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();
  struct State;
  [[nodiscard]] State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

enum class Mode : std::uint8_t { secret_key = 1, public_key = 2 };

class SecretKey {
 public:
  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  ~SecretKey();
  struct State;
  explicit SecretKey(std::unique_ptr<const State> state) noexcept;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<const State> state_;
};

class PublicKey {
 public:
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();
  struct State;
  explicit PublicKey(std::unique_ptr<const State> state) noexcept;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<const State> state_;
};

// Fresh seeds from the operating system at every call. Errors: entropy_unavailable; mode_forbidden (public key).
[[nodiscard]] SecretKey generate_secret_key(const Context& context);
[[nodiscard]] PublicKey generate_public_key(const Context& context, const SecretKey& key);

// A batch of encrypted bits in device memory, evaluation domain. clone() is the explicit copy.
class Bits {
 public:
  explicit Bits(const Context& context);                           // empty; import and *_into fill it
  Bits(Bits&&) noexcept;
  Bits& operator=(Bits&&) noexcept;
  ~Bits();
  [[nodiscard]] Bits clone(Worker& worker) const;
  [[nodiscard]] std::uint32_t size() const noexcept;
  [[nodiscard]] Mode mode() const noexcept;                        // public_key as soon as one operand was
  [[nodiscard]] double noise_bits() const noexcept;                // log2 of the public bound on a row's error
  struct State;
  explicit Bits(std::unique_ptr<State> state) noexcept;
  [[nodiscard]] State& state() noexcept { return *state_; }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// bits: bytes 0 or 1, at most 2^20 a call. One fresh seed pair a call. Errors: invalid_argument, mode_forbidden,
// parameters_mismatch, entropy_unavailable, out_of_memory.
[[nodiscard]] Bits encrypt(const Context& context, const SecretKey& key, std::span<const std::uint8_t> bits, Worker& worker);
[[nodiscard]] Bits encrypt(const Context& context, const PublicKey& key, std::span<const std::uint8_t> bits, Worker& worker);
// The same into the memory of `out` where it is large enough: for loops over words. On error `out` is empty.
void encrypt_into(Bits& out, const SecretKey& key, std::span<const std::uint8_t> bits, Worker& worker);
void encrypt_into(Bits& out, const PublicKey& key, std::span<const std::uint8_t> bits, Worker& worker);
// Errors: noise_bound_exceeded, invalid_argument (a plaintext is another integer than 0 and 1).
[[nodiscard]] std::vector<std::uint8_t> decrypt_bits(const SecretKey& key, const Bits& bits, Worker& worker);

// Element by element; equal sizes. Plaintexts are integers: a or b = a + b - a b. multiply is the literal product BD(a) x b.
// Bounds grow linearly, so operands may be equal or share history. Errors: noise_bound_exceeded, parameters_mismatch,
// invalid_argument.
[[nodiscard]] Bits add(const Bits& a, const Bits& b, Worker& worker);
[[nodiscard]] Bits negate(const Bits& a, Worker& worker);
[[nodiscard]] Bits one_minus(const Bits& a, Worker& worker);
[[nodiscard]] Bits multiply(const Bits& a, const Bits& b, Worker& worker);

// What a search may do and what it proves. Made before anything is computed; stated in the answer.
struct SearchPlan {
  Mode mode = Mode::secret_key;        // public_key when any word came from a sender
  std::uint64_t words = 0;             // most words that one answer sums
  std::uint64_t max_matches = 0;       // most words equal to one query (default: the number of documents)
  std::uint32_t factors = 0;           // hash bits compared for each word (32 plain bits, 8 of a constant-weight code)
  std::uint32_t count_range = 0;       // T, a power of two: counts are 0 .. T - 1
  std::uint64_t steps = 0;             // S, bound on the surviving steps
  double noise_bits = 0;               // log2 of the bound on the error of one coefficient, before switching
  double margin_bits = 0;              // log2 of the error at which a count would be wrong
  double failure_log2 = 0;             // of any of the n counts
  std::uint32_t c0_bits = 0;           // moduli 2^c0_bits and 2^c1_bits of the packed answer
  std::uint32_t c1_bits = 0;
};

// Errors: invalid_argument, mode_forbidden, noise_bound_exceeded (the fix names the number of answers to split into).
[[nodiscard]] SearchPlan plan_search(const Parameters& parameters, Mode mode, std::uint64_t words, std::uint64_t max_matches,
                                     std::uint32_t factors, std::uint32_t count_range);
// The most words that plan_search accepts with the other arguments equal; 0 when not even one.
[[nodiscard]] std::uint64_t largest_words(const Parameters& parameters, Mode mode, std::uint64_t max_matches,
                                          std::uint32_t factors, std::uint32_t count_range);

struct PatternBit {
  std::uint32_t index = 0;             // within the word: bit first + index of its Bits
  bool wanted = true;                  // false: the factor is 1 - c
};

enum class Engine : std::uint8_t { row = 1, literal = 2 };

// The running sum of all words, evaluation domain; one per thread, merged at the end.
class Total {
 public:
  Total(const Context& context, const SearchPlan& plan, Engine engine = Engine::row);
  Total(Total&&) noexcept;
  Total& operator=(Total&&) noexcept;
  ~Total();
  [[nodiscard]] const SearchPlan& plan() const noexcept;
  [[nodiscard]] std::uint64_t words() const noexcept;              // summed so far
  struct State;
  [[nodiscard]] State& state() noexcept { return *state_; }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// One encrypted word: bits [first, first + its length) of `bits`, counted at coefficient `document` < n.
struct EncryptedWord {
  const Bits* bits = nullptr;
  std::uint32_t first = 0;
  std::uint32_t document = 0;
};

// Engine::row: one chain of external products for each word. Words of one document in sequence are cheapest.
// Errors: invalid_argument, parameters_mismatch, noise_bound_exceeded (more words, factors or noise than planned).
void add_match(Total& total, const EncryptedWord& word, std::span<const PatternBit> pattern, Worker& worker);

// Engine::literal: the paper's Algorithm 2 with blocked products on a grid of tasks (Algorithm 3 sums over x), all words
// of the call side by side (the paper's s). threads: at most this many run blocks.
struct Grid {
  std::uint32_t x = 2;                 // 1 .. 16, blocks along the inner dimension
  std::uint32_t y = 16;                // 1 .. 62, blocks of rows
  unsigned threads = 1;
};
void add_matches_literal(Total& total, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern,
                         const Grid& grid, Worker& worker);
// The same sum, word by word in scalar code: each of the 2l x 2l x 2 entry products of each matrix product by its own
// forward and inverse transforms, whatever the context's device. Minutes a word; `products` < factors stops early and
// then adds nothing (to measure one product). Returns the seconds that the products took.
double add_match_sequential(Total& total, const EncryptedWord& word, std::span<const PatternBit> pattern,
                            std::uint32_t products, Worker& worker);

void merge(Total& into, Total& other, Worker& worker);             // equal plans and engines

// What leaves the server: one ciphertext, switched to small moduli; packed it is n (c0_bits + c1_bits) / 8 bytes.
struct Answer {
  std::array<std::uint8_t, 32> digest{};
  SearchPlan plan;
  std::uint64_t words = 0;             // summed
  std::vector<std::uint32_t> c0, c1;   // n values each, below 2^c0_bits and 2^c1_bits
};
[[nodiscard]] Answer finish(Total& total, Worker& worker);
[[nodiscard]] std::size_t answer_bytes(const Parameters& parameters, const SearchPlan& plan);   // packed c0 and c1

// n counts, one for each document number. Errors: parameters_mismatch, io_range, noise_bound_exceeded.
[[nodiscard]] std::vector<std::uint32_t> decrypt_counts(const SecretKey& key, const Answer& answer);

}  // namespace ringfort::rgsw
