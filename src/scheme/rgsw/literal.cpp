// SPDX-License-Identifier: Apache-2.0
// Engine::literal: the paper's Algorithm 2 as it stands [MartinsSousa16]. match = Encrypt(1), the gadget itself; for each hash
// bit match <- BD(match) x d, a product of an N x N matrix by N x 2 polynomials, N = 2 l. A grid of tasks (x, y) multiplies blocks:
// rows by y, inner dimension by x; a logarithmic tree adds over x (Algorithm 3). For s words side by side:
//   step i  : transforms of D: not needed, ciphertexts are stored in the evaluation domain;
//   step ii : blocks and tree, word after word;     step iii: inverse transforms of all s results at once.
// A factor 1 - c is match - BD(match) x c. Document d is applied to the finished word: x^d times the match.
#include <algorithm>
#include <memory>

#include "runtime/parallel.h"
#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

namespace {

constexpr std::size_t kMostWords = 4096;        // of one call: their matrices are all in memory at once

struct Range {
  u32 begin = 0, end = 0;
  [[nodiscard]] u32 size() const noexcept { return end - begin; }
};

Range share(u32 index, u32 of, u32 total) { return {index * total / of, (index + 1) * total / of}; }

// What one call works on: s matches (rows x 2 polynomials each), their products, and the partial sums of one word's grid.
struct Board {
  Board(const SharedContext& context, u32 words, const Grid& asked, Stream s);
  const Context::State& c;
  Grid grid;
  Stream stream;
  u32 pairs;                                    // polynomials of a matrix: 2 N
  Poly<Coeff> match;
  Poly<Eval> product;
  Poly<Eval> partial;                           // grid.x matrices
  std::vector<Poly<Coeff>> digits;              // one half-row of digits for each thread
};

Board::Board(const SharedContext& context, u32 words, const Grid& asked, Stream s)
    : c(*context), grid{std::clamp(asked.x, 1u, 16u), std::clamp(asked.y, 1u, c.rows), std::max(1u, asked.threads)}, stream(s),
      pairs(2 * c.rows), match(c.ring.make<Coeff>(words * pairs)), product(c.ring.make<Eval>(words * pairs)),
      partial(c.ring.make<Eval>(grid.x * pairs)) {
  for (unsigned t = 0; t < grid.threads; ++t) digits.push_back(c.ring.make<Coeff>(c.p.digits));
}

// match = Encrypt(1): row j is (g_j, 0), row l + j is (0, g_j).
void begin_with_one(Board& b, Staging& staging) {
  const u32 n = b.c.p.n, words = b.match.batch() / b.pairs;
  std::vector<u64> constant(n);
  for (u32 r = 0; r < b.c.rows; ++r) {
    constant[0] = b.c.gadget_values[r % b.c.p.digits];
    for (u32 w = 0; w < words; ++w) {
      b.c.ring.upload(b.stream, b.match.part(std::size_t{w} * b.pairs + 2 * r + r / b.c.p.digits, 1), std::span<const u64>(constant), staging);
    }
  }
}

// One row times the part of D that lies in columns `inner` of the same half: out (+)= digits x D.
struct Piece {
  u32 half = 0;
  Range digits;                                 // within the half
  bool accumulate = false;                      // onto what `out` holds
};

void multiply_piece(Board& b, Slice<Eval> out, Slice<Coeff> row, Slice<Eval> d, const Piece& piece, unsigned thread) {
  const Ring& ring = b.c.ring;
  const Stream s{b.stream.index + thread, 1};
  ring.decompose(s, b.digits[thread].all(), row.part(piece.half, 1), b.c.gadget);
  const Slice<Eval> v = ring.forward(s, b.digits[thread].part(piece.digits.begin, piece.digits.size()));
  const Slice<Eval> u = d.part(2 * (std::size_t{piece.half} * b.c.p.digits + piece.digits.begin), 2 * piece.digits.size());
  ring.inner_product(s, out, v, u, piece.digits.size(), piece.accumulate);
}

// W^(x, y): rows of block y, inner dimension of block x.
void multiply_block(Board& b, u32 word, Slice<Eval> d, u32 x, u32 y, unsigned thread) {
  const u32 l = b.c.p.digits;
  const Range inner = share(x, b.grid.x, b.c.rows), rows = share(y, b.grid.y, b.c.rows);
  for (u32 r = rows.begin; r < rows.end; ++r) {
    const Slice<Eval> out = b.partial.part(std::size_t{x} * b.pairs + 2 * r, 2);
    const Slice<Coeff> row = b.match.part(std::size_t{word} * b.pairs + 2 * r, 2);
    bool begun = false;
    for (u32 half = 0; half < 2; ++half) {
      const Range part{std::clamp(inner.begin, half * l, half * l + l) - half * l, std::clamp(inner.end, half * l, half * l + l) - half * l};
      if (part.size() == 0) continue;
      multiply_piece(b, out, row, d, {half, part, begun}, thread);
      begun = true;
    }
  }
}

// Algorithm 3 for the rows of block y: partial sums of x and x + hop / 2 meet at x, until all are at 0.
void add_tree(Board& b, u32 word, u32 y, unsigned thread) {
  const Range rows = share(y, b.grid.y, b.c.rows);
  const Stream s{b.stream.index + thread, 1};
  const auto block = [&](u32 x) { return b.partial.part(std::size_t{x} * b.pairs + 2 * rows.begin, 2 * rows.size()); };
  const Slice<Eval> result = b.product.part(std::size_t{word} * b.pairs + 2 * rows.begin, 2 * rows.size());
  if (b.grid.x == 1) return b.c.ring.copy(s, result, block(0));
  u32 hop = 2;
  for (; hop < b.grid.x; hop *= 2) {
    for (u32 x = 0; x + hop / 2 < b.grid.x; x += hop) b.c.ring.add(s, block(x), block(x), block(x + hop / 2));
  }
  b.c.ring.add(s, result, block(0), block(hop / 2));
}

// Step ii for one word: product <- BD(match) x D.
void multiply_matrix(Board& b, u32 word, Slice<Eval> d) {
  for_each_task(b.grid.threads, std::size_t{b.grid.x} * b.grid.y, [&](std::size_t task, unsigned thread) {
    multiply_block(b, word, d, static_cast<u32>(task % b.grid.x), static_cast<u32>(task / b.grid.x), thread);
  });
  for_each_task(b.grid.threads, b.grid.y, [&](std::size_t y, unsigned thread) { add_tree(b, word, static_cast<u32>(y), thread); });
}

// Step iii for all words; the factor is c or 1 - c.
void end_step(Board& b, bool wanted) {
  const Ring& ring = b.c.ring;
  const Stream all{b.stream.index, b.grid.threads};
  Poly<Coeff> result = ring.inverse(all, std::move(b.product));
  if (wanted) std::swap(result, b.match);
  else ring.sub(all, b.match.all(), b.match.all(), result.all());
  b.product = Ring::reuse<Eval>(std::move(result));
}

}  // namespace

void add_matches_literal(Total& total, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern, const Grid& grid, Worker& worker) {
  Total::State& t = total.state();
  Worker::State& w = worker.state();
  admit(t, words, pattern, Engine::literal, w);
  if (words.empty()) return;
  if (words.size() > kMostWords) {
    throw Error(Code::invalid_argument, std::to_string(words.size()) + " words side by side", "pass at most 4096 words a call");
  }
  Board b(t.context, static_cast<u32>(words.size()), grid, w.stream);
  begin_with_one(b, w.scratch.staging);
  for (const PatternBit& factor : pattern) {
    for (u32 i = 0; i < words.size(); ++i) multiply_matrix(b, i, words[i].bits->state().bit(words[i].first + factor.index));
    end_step(b, factor.wanted);
  }
  const Stream all{w.stream.index, b.grid.threads};
  const Poly<Eval> matches = b.c.ring.forward(all, std::move(b.match));
  t.torn = true;
  for (u32 i = 0; i < words.size(); ++i) {
    b.c.ring.upload_monomial(w.stream, w.accumulator.part(0, 1), words[i].document, w.scratch.staging);
    const Slice<Eval> rotation = b.c.ring.forward(w.stream, w.accumulator.part(0, 1));
    b.c.ring.multiply_add(all, t.sum.all(), matches.part(std::size_t{i} * b.pairs, b.pairs), rotation);
  }
  t.words += words.size();
  t.torn = false;
}

}  // namespace ringfort::rgsw
