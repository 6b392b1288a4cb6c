// SPDX-License-Identifier: Apache-2.0
// Counts of encrypted matches [KhedrGulakVaikuntanathan14] [MartinsSousa16]. An encrypted word is a sequence of
// encrypted bits, which ringfort/rgsw.h defines. A query requires some of these bits to be 1, and some to be 0. The
// factor of a bit c is c if the query requires 1, and 1 - c if it requires 0. The match is the product of all factors:
// 1 if the word equals the query, and 0 if not. The sum of all matches has the count of document i at coefficient i. A
// plan bounds the noise of a whole search before any computation.
#pragma once

#include "ringfort/rgsw.h"

namespace ringfort::rgsw {

// Limits and guarantees of a search. An answer contains its plan.
struct SearchPlan {
  Mode mode = Mode::secret_key;  // public_key if any word came from a sender
  std::uint64_t words = 0;       // largest number of words whose matches one answer sums
  // largest number of these words that equal one query
  std::uint64_t max_matches = 0;
  // bits of the hash that are compared for each word: all bits, or the 8 bits that a query of constant weight sets
  std::uint32_t factors = 0;
  std::uint32_t count_range = 0;  // T, a power of two: counts are 0 .. T - 1
  std::uint64_t steps = 0;        // bound S on the number of products whose noise is part of the sum
                                  // (docs/notes/0003-rgsw-noise.md)
  double noise_bits = 0;      // log2 of the bound on the error of one coefficient, before the switch to small moduli
  double margin_bits = 0;     // log2 of the smallest error that makes a count wrong
  double failure_log2 = 0;    // log2 of a bound on the probability that any of the n counts is wrong
  std::uint32_t c0_bits = 0;  // moduli 2^c0_bits and 2^c1_bits of the packed answer
  std::uint32_t c1_bits = 0;
};

// Errors: invalid_argument, mode_forbidden, noise_bound_exceeded (its fix states into how many answers to
// split, if a split helps).
[[nodiscard]] SearchPlan plan_search(const Parameters& parameters, Mode mode, std::uint64_t words,
                                     std::uint64_t max_matches, std::uint32_t factors, std::uint32_t count_range);
// Returns the largest `words`, at most 2^40, that plan_search accepts with the other arguments; 0 if it accepts none.
// Errors: those of plan_search for the other arguments.
[[nodiscard]] std::uint64_t largest_words(const Parameters& parameters, Mode mode, std::uint64_t max_matches,
                                          std::uint32_t factors, std::uint32_t count_range);

struct PatternBit {         // one bit of a query
  std::uint32_t index = 0;  // position in the word: bit first + index of the EncryptedBits
  bool wanted = true;       // the query's bit; false: the factor is 1 - c
};

// The method of computing products:
// * row computes one row of each matrix product. Such a row is called an external product.
// * literal computes whole matrix products, as in Algorithm 2 of [MartinsSousa16].
enum class Engine : std::uint8_t { row = 1, literal = 2 };

// The encrypted sum of the matches of all words so far, in the evaluation domain. Use one sum from one thread at a
// time: give each thread its own sum, and merge the sums at the end. A moved-from sum may only be assigned to and
// destroyed. Errors: those of plan_search; mode_forbidden (the preset does not offer the engine), out_of_memory.
class MatchSum {
 public:
  MatchSum(const Context& context, const SearchPlan& plan, Engine engine = Engine::row);
  MatchSum(MatchSum&&) noexcept;
  MatchSum& operator=(MatchSum&&) noexcept;
  ~MatchSum();
  [[nodiscard]] const SearchPlan& plan() const noexcept;
  [[nodiscard]] std::uint64_t words() const noexcept;  // number of words summed so far
  struct State;
  [[nodiscard]] State& state() noexcept { return *state_; }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// One encrypted word: the elements of `bits` from number `first` on. Its match is added at coefficient `document` < n.
// The plan's noise bound assumes that encrypt() made every word with fresh randomness. The errors of independent words
// cancel in part, but the errors of copies add up linearly. make_answer refuses a sum in which a query compares the
// same encrypted bit, or copies of it, twice. add_match refuses results of Evaluator. Nothing detects other ciphertexts
// that encrypt() did not make: whoever makes such ciphertexts can make all counts wrong.
struct EncryptedWord {
  const EncryptedBits* bits = nullptr;
  std::uint32_t first = 0;
  std::uint32_t document = 0;
};

// Engine::literal divides a matrix product into x times y blocks (Algorithm 3 of [MartinsSousa16]). Threads compute the
// blocks, and the x blocks of a row are added. A number outside its range is replaced by the nearest limit.
struct Grid {
  std::uint32_t x = 2;   // 1 .. 16, blocks along the inner dimension
  std::uint32_t y = 16;  // 1 .. 2 * digits, blocks of rows
};

// The result of a search: one ciphertext, switched to small moduli. Packed, it has n (c0_bits + c1_bits) / 8 bytes. The
// owner of the secret key decrypts it with Decryptor::decrypt_counts.
struct Answer {
  std::array<std::uint8_t, 32> digest{};
  SearchPlan plan;
  std::uint64_t words = 0;            // number of words summed
  std::vector<std::uint32_t> c0, c1;  // n values each, below 2^c0_bits and 2^c1_bits
};
// Returns the bytes of c0 and c1, packed.
[[nodiscard]] std::size_t answer_bytes(const Parameters& parameters, const SearchPlan& plan);

// Shareable between threads. `threads` is the largest number of threads of one call. Errors of all calls:
// parameters_mismatch, out_of_memory, device_lost (the device failed during this call, or during an earlier call with
// the same sum).
class SearchEvaluator {
 public:
  explicit SearchEvaluator(const Context& context, unsigned threads = 1) : context_(context), threads_(threads) {}

  // Adds the match of one word: computes a chain of external products (Engine::row). Calls with consecutive words of
  // one document are cheapest. Errors: invalid_argument, noise_bound_exceeded (more words, factors or noise than
  // planned).
  void add_match(MatchSum& sum, const EncryptedWord& word, std::span<const PatternBit> pattern) const;
  // Adds the matches of at most 4096 words, and computes them in parallel (Engine::literal). Errors: those of
  // add_match.
  void add_matches_literal(MatchSum& sum, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern,
                           const Grid& grid = {}) const;
  // Adds the sum `other` to `into`. If `other` is on another device, it is empty afterwards. If the device of `other`
  // fails, `into` is unchanged. Errors: parameters_mismatch (parameters, plans or engines differ),
  // noise_bound_exceeded.
  void merge(MatchSum& into, MatchSum& other) const;
  // Errors: noise_bound_exceeded (two words share an encrypted bit).
  [[nodiscard]] Answer make_answer(MatchSum& sum) const;

 private:
  Context context_;
  unsigned threads_;
};

}  // namespace ringfort::rgsw
