// SPDX-License-Identifier: Apache-2.0
// Counts of encrypted matches [KhedrGulakVaikuntanathan14] [MartinsSousa16]. An encrypted word is a sequence of
// encrypted bits c. The match of a word and a query is the product of all factors, c for each 1 of the query and 1 - c
// for each 0: it is 1 if the word equals the query, else 0. The sum of all matches has the count of document i at
// coefficient i. A plan bounds the noise of a whole search before any computation. Encrypted bits: ringfort/rgsw.h.
#pragma once

#include "ringfort/rgsw.h"

namespace ringfort::rgsw {

// Limits and guarantees of a search. An answer contains its plan.
struct SearchPlan {
  Mode mode = Mode::secret_key;   // public_key if any word came from a sender
  std::uint64_t words = 0;        // most words that one answer sums
  std::uint64_t max_matches = 0;  // most words equal to one query (default: the number of documents)
  std::uint32_t factors = 0;      // hash bits compared for each word (32 plain bits, 8 of a constant-weight code)
  std::uint32_t count_range = 0;  // T, a power of two: counts are 0 .. T - 1
  std::uint64_t steps = 0;        // bound S on the number of products whose noise is in the sum
                                  // (docs/notes/0003-rgsw-noise.md)
  double noise_bits = 0;          // log2 of the bound on the error of one coefficient, before switching
  double margin_bits = 0;         // log2 of the smallest error that makes a count wrong
  double failure_log2 = 0;        // log2 of a bound on the probability that any of the n counts is wrong
  std::uint32_t c0_bits = 0;      // moduli 2^c0_bits and 2^c1_bits of the packed answer
  std::uint32_t c1_bits = 0;
};

// Errors: invalid_argument, mode_forbidden, noise_bound_exceeded (the fix states the number of answers to split into).
[[nodiscard]] SearchPlan plan_search(const Parameters& parameters, Mode mode, std::uint64_t words,
                                     std::uint64_t max_matches, std::uint32_t factors, std::uint32_t count_range);
// Returns the most words that plan_search accepts with otherwise equal arguments; 0 if it accepts none.
[[nodiscard]] std::uint64_t largest_words(const Parameters& parameters, Mode mode, std::uint64_t max_matches,
                                          std::uint32_t factors, std::uint32_t count_range);

struct PatternBit {         // one bit of a query
  std::uint32_t index = 0;  // position within the word: bit first + index of its EncryptedBits
  bool wanted = true;       // false: the factor is 1 - c
};

// row: computes one row of each matrix product, an external product. literal: computes whole matrix products, as
// Algorithm 2 of [MartinsSousa16] does.
enum class Engine : std::uint8_t { row = 1, literal = 2 };

// The encrypted sum of the matches of all words so far, in the evaluation domain. For one thread at a time: give each
// thread its own sum and merge the sums at the end. Errors: those of plan_search; mode_forbidden (the preset does not
// offer the engine), out_of_memory. A moved-from sum may only be assigned to and destroyed.
class MatchSum {
 public:
  MatchSum(const Context& context, const SearchPlan& plan, Engine engine = Engine::row);
  MatchSum(MatchSum&&) noexcept;
  MatchSum& operator=(MatchSum&&) noexcept;
  ~MatchSum();
  [[nodiscard]] const SearchPlan& plan() const noexcept;
  [[nodiscard]] std::uint64_t words() const noexcept;  // summed so far
  struct State;
  [[nodiscard]] State& state() noexcept { return *state_; }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// One encrypted word: the bits of `bits` from `first` on, counted at coefficient `document` < n. The plan's noise bound
// assumes that encrypt() made every word with fresh randomness, because the errors of copies add up linearly.
// make_answer refuses a sum in which two words share an encrypted bit, or contain copies of the same encrypted bit.
// Nothing detects other ciphertexts that encrypt() did not make: a party that makes such ciphertexts can make all
// counts wrong.
struct EncryptedWord {
  const EncryptedBits* bits = nullptr;
  std::uint32_t first = 0;
  std::uint32_t document = 0;
};

// Engine::literal divides a matrix product into x times y blocks, which its threads compute, and sums over x
// (Algorithm 3 of [MartinsSousa16]). Numbers outside their ranges become the nearest limit.
struct Grid {
  std::uint32_t x = 2;   // 1 .. 16, blocks along the inner dimension
  std::uint32_t y = 16;  // 1 .. 2 * digits, blocks of rows
};

// The server's result: one ciphertext, switched to small moduli. Packed, it has n (c0_bits + c1_bits) / 8 bytes. The
// owner of the secret key decrypts it with Decryptor::decrypt_counts.
struct Answer {
  std::array<std::uint8_t, 32> digest{};
  SearchPlan plan;
  std::uint64_t words = 0;            // summed
  std::vector<std::uint32_t> c0, c1;  // n values each, below 2^c0_bits and 2^c1_bits
};
// size of packed c0 and c1
[[nodiscard]] std::size_t answer_bytes(const Parameters& parameters, const SearchPlan& plan);

// Shareable between threads; `threads` limits the threads of one call. Errors of all: parameters_mismatch,
// out_of_memory, device_lost (the device failed during this call, or during an earlier call with the same sum).
class SearchEvaluator {
 public:
  explicit SearchEvaluator(const Context& context, unsigned threads = 1) : context_(context), threads_(threads) {}

  // Adds one chain of external products (Engine::row). Consecutive words of one document are cheapest. Errors:
  // invalid_argument, noise_bound_exceeded (more words, factors or noise than planned).
  void add_match(MatchSum& sum, const EncryptedWord& word, std::span<const PatternBit> pattern) const;
  // Computes the matches of all words of the call in parallel, at most 4096 (Engine::literal). Errors: those of
  // add_match.
  void add_matches_literal(MatchSum& sum, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern,
                           const Grid& grid = {}) const;
  // Adds the words of `other` to `into`. If `other` is on another device, it is empty afterwards; if that device fails,
  // `into` keeps its words. Errors: parameters_mismatch (parameters, plans or engines differ), noise_bound_exceeded.
  void merge(MatchSum& into, MatchSum& other) const;
  // Errors: noise_bound_exceeded (words share an encrypted bit).
  [[nodiscard]] Answer make_answer(MatchSum& sum) const;

 private:
  Context context_;
  unsigned threads_;
};

}  // namespace ringfort::rgsw
