// SPDX-License-Identifier: Apache-2.0
// Engine::literal: Algorithm 2 of [MartinsSousa16], unchanged. It begins with match = Encrypt(1), which is the gadget
// itself. For each hash bit, whose ciphertext is D, it computes match <- BD(match) x D. BD(match), the bit
// decomposition, consists of the digits of match. It is an N x N matrix, D has N x 2 polynomials, and N = 2 l. The
// tasks of a product form a grid. Task (x, y) multiplies block y of the rows by block x of the inner dimension.
// Algorithm 3 sums the blocks over x in a tree. One call handles s words in the steps of the paper:
//   step i  : transforms of D. Nothing to do, because ciphertexts are stored in the evaluation domain.
//   step ii : blocks and tree, word after word.
//   step iii: inverse transforms of all s results at once.
// For a factor 1 - c, the new match is match - BD(match) x c. At the end, the match of a word of document d is
// multiplied by x^d.
#include <algorithm>

#include "runtime/parallel.h"
#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

namespace {

constexpr std::size_t kMostWords = 4096;  // limit of one call, because memory holds the matrices of all words at once

struct Range {
  u32 begin = 0, end = 0;
  [[nodiscard]] u32 size() const noexcept { return end - begin; }
};

Range share(u32 index, u32 of, u32 total) { return {index * total / of, (index + 1) * total / of}; }

// The data of one call: s matches with rows x 2 polynomials each, the products of these matches, and the partial sums
// in one word's grid.
struct Matrices {
  Matrices(const Context::State& context, u32 words, const Grid& wanted, Workspace& work);
  const Context::State& c;
  Grid grid;
  Stream stream;  // for the joint work of all threads; stream_of(t) is for thread t alone
  u32 words;
  u32 pairs;                     // polynomials of a matrix: 2 N
  Scratch<Coeff> first, second;  // memory of `match` and of `product`, which change places
  Slice<Coeff> match, product;
  Scratch<Eval> partial;               // grid.x matrices
  std::vector<Scratch<Coeff>> digits;  // one half-row of digits for each thread

  [[nodiscard]] unsigned threads() const noexcept { return stream.threads; }
  [[nodiscard]] Stream stream_of(unsigned thread) const noexcept { return {stream.index + thread, 1}; }
  // Returns the memory of `product`, in the evaluation domain.
  [[nodiscard]] Slice<Eval> products() const noexcept { return Slice<Eval>(product.view()); }
};

Matrices::Matrices(const Context::State& context, u32 count, const Grid& wanted, Workspace& work)
    : c(context),
      grid{std::clamp(wanted.x, 1u, std::min(16u, c.rows)), std::clamp(wanted.y, 1u, c.rows)},
      stream(work.stream),
      words(count),
      pairs(2 * c.rows),
      first(work.allocate<Coeff>(words * pairs, c.ring.limbs())),
      second(work.allocate<Coeff>(words * pairs, c.ring.limbs())),
      match(first.all()),
      product(second.all()),
      partial(work.allocate<Eval>(grid.x * pairs, c.ring.limbs())) {
  digits.reserve(threads());
  for (unsigned t = 0; t < threads(); ++t) digits.push_back(work.allocate<Coeff>(c.p.digits, c.ring.limbs()));
}

// Sets match = Encrypt(1). Row j is (g_j, 0), and row l + j is (0, g_j).
void begin_with_one(Matrices& b, Staging& staging) {
  b.c.ring.zero(b.stream, b.match);
  std::vector<u64> constant(b.c.p.n);
  for (u32 r = 0; r < b.c.rows; ++r) {
    constant[0] = b.c.gadget_values[r % b.c.p.digits];
    for (u32 w = 0; w < b.words; ++w) {
      b.c.ring.upload(b.stream, b.match.polynomials(std::size_t{w} * b.pairs + 2 * r + r / b.c.p.digits, 1),
                      std::span<const u64>(constant), staging);
    }
  }
}

// A range of the digits in one half of a row of match. multiply_digits multiplies these digits by the corresponding
// rows of D.
struct RowDigits {
  u32 half = 0;
  Range digits;             // within the half
  bool accumulate = false;  // adds the product to `out` instead of replacing it
};

void multiply_digits(Matrices& b, Slice<Eval> out, Slice<Coeff> row, Slice<Eval> d, const RowDigits& left,
                     unsigned thread) {
  const Ring& ring = b.c.ring;
  const Stream s = b.stream_of(thread);
  const Slice<Coeff> polynomial = row.polynomials(left.half, 1), digits = b.digits[thread].all();
  const Slice<Eval> u =
      d.polynomials(2 * (std::size_t{left.half} * b.c.p.digits + left.digits.begin), 2 * left.digits.size());
  if (left.digits.size() == b.c.p.digits)
    return ring.gadget_product(s, {out, digits, polynomial, u}, b.c.gadget, left.accumulate);
  ring.decompose(s, digits, polynomial, b.c.gadget);
  const Slice<Eval> v = ring.forward(s, b.digits[thread].polynomials(left.digits.begin, left.digits.size()));
  ring.inner_product(s, out, v, u, left.digits.size(), left.accumulate);
}

// Computes the partial product W^(x, y), for the rows of block y and the inner dimension of block x. One half of D
// stays in the cache while all rows are multiplied by it (docs/notes/0007).
void multiply_submatrix(Matrices& b, u32 word, Slice<Eval> d, u32 x, u32 y, unsigned thread) {
  const u32 l = b.c.p.digits;
  const Range inner = share(x, b.grid.x, b.c.rows), rows = share(y, b.grid.y, b.c.rows);
  bool begun = false;
  for (u32 half = 0; half < 2; ++half) {
    const Range columns{std::clamp(inner.begin, half * l, half * l + l) - half * l,
                        std::clamp(inner.end, half * l, half * l + l) - half * l};
    if (columns.size() == 0) continue;
    for (u32 r = rows.begin; r < rows.end; ++r) {
      const Slice<Eval> out = b.partial.polynomials(std::size_t{x} * b.pairs + 2 * r, 2);
      const Slice<Coeff> row = b.match.polynomials(std::size_t{word} * b.pairs + 2 * r, 2);
      multiply_digits(b, out, row, d, {half, columns, begun}, thread);
    }
    begun = true;
  }
}

// Runs Algorithm 3 for the rows of block y. For hop = 2, 4, 8 .., it adds block x + hop / 2 to block x, for every
// multiple x of hop. At the end, `product` has the sum.
void add_tree(Matrices& b, u32 word, u32 y, unsigned thread) {
  const Range rows = share(y, b.grid.y, b.c.rows);
  const Stream s = b.stream_of(thread);
  const auto partial_rows = [&](u32 x) {
    return b.partial.polynomials(std::size_t{x} * b.pairs + 2 * rows.begin, 2 * rows.size());
  };
  const Slice<Eval> result = b.products().polynomials(std::size_t{word} * b.pairs + 2 * rows.begin, 2 * rows.size());
  if (b.grid.x == 1) return b.c.ring.copy(s, result, partial_rows(0));
  u32 hop = 2;
  for (; hop < b.grid.x; hop *= 2) {
    for (u32 x = 0; x + hop / 2 < b.grid.x; x += hop)
      b.c.ring.add(s, partial_rows(x), partial_rows(x), partial_rows(x + hop / 2));
  }
  b.c.ring.add(s, result, partial_rows(0), partial_rows(hop / 2));
}

// Runs step ii for one word: product <- BD(match) x D.
void multiply_matrix(Matrices& b, u32 word, Slice<Eval> d) {
  for_each_task(b.threads(), std::size_t{b.grid.x} * b.grid.y, [&](std::size_t task, unsigned thread) {
    multiply_submatrix(b, word, d, static_cast<u32>(task % b.grid.x), static_cast<u32>(task / b.grid.x), thread);
  });
  for_each_task(b.threads(), b.grid.y,
                [&](std::size_t y, unsigned thread) { add_tree(b, word, static_cast<u32>(y), thread); });
}

// Runs step iii for all words. `wanted` tells whether the factor is c or 1 - c.
void end_step(Matrices& b, bool wanted) {
  const Ring& ring = b.c.ring;
  const Slice<Coeff> result = ring.inverse(b.stream, b.products());
  if (wanted) std::swap(b.match, b.product);
  else ring.subtract(b.stream, b.match, b.match, result);
}

}  // namespace

void SearchEvaluator::add_matches_literal(MatchSum& sum, std::span<const EncryptedWord> words,
                                          std::span<const PatternBit> pattern, const Grid& grid) const {
  MatchSum::State& t = sum.state();
  const WordsToAdd added{words, pattern, Engine::literal};
  require_allowed(t, added, context_);
  if (words.empty()) return;
  if (words.size() > kMostWords) {
    throw Error(Code::invalid_argument, std::to_string(words.size()) + " words were given to one call",
                "pass at most 4096 words in one call");
  }
  const auto work = t.context->workspace(std::max(1u, threads_));
  const Scratch<Coeff> monomial = work->allocate<Coeff>(1, t.context->ring.limbs());
  Matrices b(*t.context, static_cast<u32>(words.size()), grid, *work);
  begin_with_one(b, work->staging);
  for (const PatternBit& factor : pattern) {
    for (u32 i = 0; i < words.size(); ++i)
      multiply_matrix(b, i, words[i].bits->state().bit(words[i].first + factor.index));
    end_step(b, factor.wanted);
  }
  const Slice<Eval> matches = b.c.ring.forward(b.stream, Slice<Coeff>(b.match));
  add_marks(t, added);
  t.incomplete = true;
  for (u32 i = 0; i < words.size(); ++i) {
    b.c.ring.upload_monomial(b.stream, monomial.all(), words[i].document, work->staging);
    const Slice<Eval> rotation = b.c.ring.forward(b.stream, monomial.all());
    b.c.ring.multiply_add(b.stream, t.sum.all(), matches.polynomials(std::size_t{i} * b.pairs, b.pairs), rotation);
  }
  t.words += words.size();
  t.incomplete = false;
}

}  // namespace ringfort::rgsw
