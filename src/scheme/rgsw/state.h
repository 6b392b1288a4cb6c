// SPDX-License-Identifier: Apache-2.0
// States of the public Ring-GSW objects. A ciphertext of m has 2 l rows, where l is the number of digits. Row r is the
// pair (c0, c1) of polynomials 2 r and 2 r + 1. It is an encryption of zero plus one multiple of m. For r < l, c0
// contains m * g_r. For r >= l, c1 contains m * g_(r-l). The gadget values are g_j = 2^(shift + base_bits * j).
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
  std::vector<u64> gadget_values;  // l residues: g_j
  double bound_factor;             // error bound divided by standard deviation (noise.h)
  // Leases the stream and the scratch memory of one operation.
  [[nodiscard]] WorkspacePool::Lease workspace(u32 threads = 1) const { return pool.lease(threads); }
  mutable WorkspacePool pool;
};

using SharedContext = std::shared_ptr<const Context::State>;

struct SecretKey::State {
  SharedContext context;
  RlweSecret secret;
  Secret<u64> negated_multiples;  // l x n residues: -g_j * t for the secret t
};

struct PublicKey::State {
  SharedContext context;
  RlwePublic key;
};

// Identifies an encryption. Copies of an encrypted bit have equal marks. The marks of two separate encryptions are
// equal with probability at most 2^-100 if q has 31 bits or more.
struct BitMark {
  u64 first = 0, second = 0;
  auto operator<=>(const BitMark&) const = default;
};
// Returns the mark of an encryption under the secret key. The mark is a hash of the seed and of the bit's number in its
// call of encrypt. The seed and the number determine c1.
[[nodiscard]] BitMark mark_of(const PublicSeed& seed, u32 index) noexcept;
// Returns the mark of an encryption under a public key. It is computed from the first four evaluations of c1 in row 0.
// They look uniform to everybody except the owner of the secret key.
[[nodiscard]] BitMark mark_of(std::span<const u64> c1) noexcept;

struct EncryptedBits::State {
  SharedContext context;  // null: the batch is empty
  u32 count = 0;
  u32 capacity = 0;
  Mode mode = Mode::secret_key;
  bool fresh = true;  // true for an encryption, false for the result of an operation
  PublicSeed seed;
  std::vector<BitMark> marks;  // `count` marks if the bits are fresh encryptions, and none for results of operations
  bool shared_errors = false;  // true for the result of a product, whose rows have a common error
  double deviation = 0;        // bound on the standard deviation of a row's error
  i64 low = 0, high = 1;       // the plaintext is an integer in [low, high]
  Poly<Eval> rows;

  [[nodiscard]] u32 bit_polynomials() const noexcept { return 2 * context->rows; }
  [[nodiscard]] Slice<Eval> bit(u32 index) const {
    return rows.polynomials(std::size_t{index} * bit_polynomials(), bit_polynomials());
  }
  [[nodiscard]] Slice<Eval> row(u32 index, u32 row) const noexcept {
    return rows.polynomials(std::size_t{index} * bit_polynomials() + 2 * row, 2);
  }
  [[nodiscard]] Slice<Eval> filled() const { return rows.polynomials(0, count * bit_polynomials()); }
  void describe_as(const State& other) noexcept;  // copies all but context, size, marks and rows
  void describe_as_fresh(Mode of, const PublicSeed& of_seed);
  // Sets context and size, with undefined contents. Keeps its memory if the memory belongs to the same context and is
  // large enough.
  void resize(const SharedContext& of, u32 bits);
};

struct MatchSum::State {
  SharedContext context;
  SearchPlan plan;
  Engine engine = Engine::row;
  u64 scale = 0;
  FirstRow first;
  u64 words = 0;
  // The device failed while the sum was being changed. The sum must not be read.
  bool incomplete = false;
  std::vector<BitMark> marks;  // marks of all compared bits of all words; make_answer refuses equal marks
  Poly<Eval> sum;              // 2 polynomials for Engine::row, 4 l for Engine::literal
  // Engine::row sums the matches of a document, and then rotates this sum to the document's coefficient (a product with
  // x^document). Before the rotation, `plus`, `minus` and `accumulators` have the sum for the last document,
  // `document`.
  u32 document = 0;
  bool has_unrotated = false;
  Poly<Eval> trivial;  // (scale, 0)
  // Each word has a chain of external products, which are written x. Let a be the product of all factors of a chain
  // except the last one. Let c be the ciphertext of the last bit. The last factor is c or 1 - c, and
  // a x (1 - c) = a - a x c. Therefore the sum of all chains is plus + accumulators - minus.
  Poly<Eval> plus;           // sum of a x c over chains that end with c, and the sum of all chains with only one factor
  Poly<Eval> minus;          // sum of a x c over chains that end with 1 - c
  Poly<Coeff> accumulators;  // sum of a over chains that end with 1 - c
  bool minus_used = false;   // true if `minus` or `accumulators` may be nonzero
};

// Throws invalid_argument for a batch without a context. Such a batch was never filled, or its contents were moved
// away.
void require_filled(const EncryptedBits::State& bits, std::string_view what);

// Throws parameters_mismatch unless both objects have the same context.
void require_same(const SharedContext& a, const SharedContext& b, std::string_view what);

// Throws device_lost when the sum is incomplete.
void require_complete(const MatchSum::State& sum);

// Throws noise_bound_exceeded if two words of the sum compare the same encrypted bit. Sorts the marks.
void require_own_encryptions(MatchSum::State& sum);

// Engine::row: rotates the sum for the last document to its coefficient, and adds it to the sum over all documents.
void add_unrotated(MatchSum::State& sum, Workspace& work);

// Words to add to a sum.
struct WordsToAdd {
  std::span<const EncryptedWord> words;
  std::span<const PatternBit> pattern;
  Engine engine;
};
// Throws unless the plan and the engine of the sum allow these words. Changes nothing.
void require_allowed(const MatchSum::State& sum, const WordsToAdd& added, const Context& context);
// Adds the marks of the compared bits of these words to the marks of the sum.
void add_marks(MatchSum::State& sum, const WordsToAdd& added);

}  // namespace ringfort::rgsw
