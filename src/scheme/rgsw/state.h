// SPDX-License-Identifier: Apache-2.0
// State of the public Ring-GSW objects. Row r of a ciphertext is the pair (c0, c1) at polynomials 2 r and 2 r + 1: rows
// 0 .. l-1 have m * g_j in c0, rows l .. 2l-1 have m * g_j in c1, g_j = 2^(shift + base_bits j).
#pragma once

#include <vector>

#include "ringfort/error.h"
#include "ringfort/rgsw_search.h"
#include "rlwe/zero.h"
#include "scheme/rgsw/noise.h"

namespace ringfort::rgsw {

struct Context::State {
  State(const Parameters& parameters, std::string_view device);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  Parameters p;
  std::array<u8, 32> digest;
  Ring ring;
  Gadget gadget;
  u32 rows;                        // 2 l
  std::vector<u64> gadget_values;  // l, residues
  double bound_factor;
  // Leases the stream and the scratch memory of one operation.
  [[nodiscard]] WorkspacePool::Lease workspace(u32 threads = 1) const { return pool.lease(threads); }
  mutable WorkspacePool pool;
};

using SharedContext = std::shared_ptr<const Context::State>;

struct SecretKey::State {
  SharedContext context;
  RlweSecret secret;
  Secret<u64> negated_multiples;  // l x n residues: -g_j t
};

struct PublicKey::State {
  SharedContext context;
  RlwePublic key;
};

// Tells encryptions apart: copies of one encrypted bit have equal marks, and encryptions of their own have different
// ones, except with probability 2^-100 a pair.
struct BitMark {
  u64 first = 0, second = 0;
  auto operator<=>(const BitMark&) const = default;
};
// The mark of an encryption under the secret key: c1 follows from the seed and the bit's number in its encrypt call.
[[nodiscard]] BitMark mark_of(const PublicSeed& seed, u32 index) noexcept;
// The mark of an encryption under a public key. c1: of row 0, evaluations; uniform for all but the key's owner.
[[nodiscard]] BitMark mark_of(std::span<const u64> c1) noexcept;

struct EncryptedBits::State {
  SharedContext context;  // null: the batch is empty
  u32 count = 0;
  u32 capacity = 0;
  Mode mode = Mode::secret_key;
  bool fresh = true;  // an encryption, not the result of an operation
  PublicSeed seed;
  std::vector<BitMark> marks;  // `count` marks in fresh encryptions
  bool shared_errors = false;  // the result of a product: its rows share an error
  double deviation = 0;        // bound on a row's error, as a standard deviation
  i64 low = 0, high = 1;       // the plaintext is an integer in [low, high]
  Poly<Eval> rows;

  [[nodiscard]] u32 bit_polynomials() const noexcept { return 2 * context->rows; }
  [[nodiscard]] Slice<Eval> bit(u32 index) const {
    return rows.part(std::size_t{index} * bit_polynomials(), bit_polynomials());
  }
  [[nodiscard]] Slice<Eval> row(u32 index, u32 row) const noexcept {
    return rows.part(std::size_t{index} * bit_polynomials() + 2 * row, 2);
  }
  [[nodiscard]] Slice<Eval> filled() const { return rows.part(0, count * bit_polynomials()); }
  void describe_as(const State& other) noexcept;  // copies all but context, size and rows
  void describe_as_fresh(Mode of, const PublicSeed& of_seed);
  // Sets context and size, with undefined contents. Keeps the memory if it has the same context and is large enough.
  void resize(const SharedContext& of, u32 bits);
};

struct MatchSum::State {
  SharedContext context;
  SearchPlan plan;
  Engine engine = Engine::row;
  u64 scale = 0;
  FirstRow first;
  u64 words = 0;
  // true after a failure of the device within a word: the sum must not be read
  bool incomplete = false;
  std::vector<BitMark> marks;  // marks of all bits that the words compare; make_answer refuses equal ones
  Poly<Eval> sum;              // row: 2 polynomials; literal: 4 l
  // Engine::row: sums of the words of one document, before their rotation to its coefficient.
  u32 document = 0;
  bool has_unrotated = false;
  Poly<Eval> trivial;  // (scale, 0)
  // A chain of products is accumulator x last factor. The sum of the chains is plus + accumulators - minus, because
  // a (1 - c) = a - a c.
  Poly<Eval> plus;           // sum of a x c over chains whose last factor is c, and of chains with one factor
  Poly<Eval> minus;          // sum of a x c over chains whose last factor is 1 - c
  Poly<Coeff> accumulators;  // sum of a over chains whose last factor is 1 - c
  bool minus_used = false;   // minus and accumulators are not zero
};

// Throws invalid_argument for a batch without context: never filled, or moved from.
void require_filled(const EncryptedBits::State& bits, std::string_view what);

// Throws parameters_mismatch unless both objects have the same context.
void require_same(const SharedContext& a, const SharedContext& b, std::string_view what);

// Throws device_lost when the sum is incomplete.
void require_complete(const MatchSum::State& sum);

// Throws noise_bound_exceeded if two words of the sum compare one encrypted bit. Sorts the marks.
void require_own_encryptions(MatchSum::State& sum);

// Engine::row: rotates the words of the last document to its coefficient and adds them to the sum.
void add_unrotated(MatchSum::State& sum, Workspace& work);

// Words to add to a sum.
struct WordsToAdd {
  std::span<const EncryptedWord> words;
  std::span<const PatternBit> pattern;
  Engine engine;
};
// Throws, and changes nothing, unless the plan and the engine of the sum allow these words.
void require_allowed(const MatchSum::State& sum, const WordsToAdd& added, const Context& context);
// Adds the marks of the words' bits to those of the sum.
void add_marks(MatchSum::State& sum, const WordsToAdd& added);

}  // namespace ringfort::rgsw
