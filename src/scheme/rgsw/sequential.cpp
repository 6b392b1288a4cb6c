// SPDX-License-Identifier: Apache-2.0
// The sequential baseline: Algorithm 2 word by word [MartinsSousa16], each of the N x N x 2 entry products of BD(match) x D by
// its own two forward transforms and one inverse transform on device `ref` (radix 2, scalar). Nothing is kept in the
// evaluation domain, nothing is shared between entries: what the published 111 to 122 s a word amount to.
#include <algorithm>
#include <chrono>

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

namespace {

using Words = std::vector<u64>;

// Matrices as host words, coefficient domain: row r, column c at ((2 r + c) n).
struct Baseline {
  explicit Baseline(const Context::State& context)
      : c(context), ring(OpenDevice::open("ref"), {context.p.n, context.ring.word(), {context.p.q}}), staging(context.p.n) {}
  const Context::State& c;
  Ring ring;
  Staging staging;

  // sum += a * b, all in the coefficient domain.
  void multiply_entry(Slice<Coeff> sum, std::span<const u64> a, std::span<const u64> b) {
    ring.upload(Stream{}, x.all(), a, staging);
    ring.upload(Stream{}, y.all(), b, staging);
    Poly<Eval> u = ring.forward(Stream{}, std::move(x)), v = ring.forward(Stream{}, std::move(y));
    ring.multiply(Stream{}, u.all(), u.all(), v.all());
    x = ring.inverse(Stream{}, std::move(u));
    y = Ring::reuse<Coeff>(std::move(v));
    ring.add(Stream{}, sum, sum, x.all());
  }

  Poly<Coeff> x = ring.make<Coeff>(1), y = ring.make<Coeff>(1), sum = ring.make<Coeff>(1);
};

Words digit_of(std::span<const u64> polynomial, u32 j) {
  Words digit(polynomial.size());
  std::transform(polynomial.begin(), polynomial.end(), digit.begin(), [&](u64 w) { return w >> j & 1; });
  return digit;
}

Words multiply_matrix(Baseline& b, const Words& match, const Words& d) {
  const u32 n = b.c.p.n, rows = b.c.rows, l = b.c.p.digits;
  Words out(match.size());
  const auto entry = [n](const Words& m, u32 r, u32 c) { return std::span<const u64>(m).subspan((2 * std::size_t{r} + c) * n, n); };
  for (u32 i = 0; i < rows; ++i) {
    for (u32 c = 0; c < 2; ++c) {
      b.ring.zero(Stream{}, b.sum.all());
      for (u32 k = 0; k < rows; ++k) b.multiply_entry(b.sum.all(), digit_of(entry(match, i, k / l), k % l), entry(d, k, c));
      b.ring.download(Stream{}, b.sum.all(), std::span<u64>(out).subspan((2 * std::size_t{i} + c) * n, n), b.staging);
    }
  }
  return out;
}

Words trivial_one(const Context::State& c) {
  Words match(2 * std::size_t{c.rows} * c.p.n);
  for (u32 r = 0; r < c.rows; ++r) match[(2 * std::size_t{r} + r / c.p.digits) * c.p.n] = c.gadget_values[r % c.p.digits];
  return match;
}

// The bit's matrix in the coefficient domain.
Words coefficients_of(const Bits::State& bits, u32 index, Worker::State& w) {
  const Ring& ring = w.context->ring;
  Poly<Eval> copy = ring.make<Eval>(bits.bit_polynomials());
  ring.copy(w.stream, copy.all(), bits.bit(index));
  const Poly<Coeff> poly = ring.inverse(w.stream, std::move(copy));
  Words words(std::size_t{bits.bit_polynomials()} * ring.n());
  ring.download(w.stream, poly.all(), std::span<u64>(words), w.scratch.staging);
  return words;
}

void add_rotated(Total::State& t, const Words& match, u32 document, Worker::State& w) {
  const Ring& ring = w.context->ring;
  Poly<Coeff> poly = ring.make<Coeff>(t.sum.batch());
  ring.upload(w.stream, poly.all(), std::span<const u64>(match), w.scratch.staging);
  const Poly<Eval> hat = ring.forward(w.stream, std::move(poly));
  ring.upload_monomial(w.stream, w.accumulator.part(0, 1), document, w.scratch.staging);
  ring.multiply_add(w.stream, t.sum.all(), hat.all(), ring.forward(w.stream, w.accumulator.part(0, 1)));
}

}  // namespace

double add_match_sequential(Total& total, const EncryptedWord& word, std::span<const PatternBit> pattern, u32 products, Worker& worker) {
  Total::State& t = total.state();
  Worker::State& w = worker.state();
  admit(t, {&word, 1}, pattern, Engine::literal, w);
  Baseline b(*t.context);
  Words match = trivial_one(*t.context);
  double seconds = 0;
  for (const PatternBit& factor : pattern.first(std::min<std::size_t>(products, pattern.size()))) {
    const Words d = coefficients_of(word.bits->state(), word.first + factor.index, w);
    const auto begin = std::chrono::steady_clock::now();
    Words result = multiply_matrix(b, match, d);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const u64 q = t.context->p.q;
    if (factor.wanted) match = std::move(result);
    else std::transform(match.begin(), match.end(), result.begin(), match.begin(), [q](u64 a, u64 r) { return a >= r ? a - r : a + q - r; });
  }
  if (products < pattern.size()) return seconds;
  t.torn = true;
  add_rotated(t, match, word.document, w);
  ++t.words;
  t.torn = false;
  return seconds;
}

}  // namespace ringfort::rgsw
