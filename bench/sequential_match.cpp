// SPDX-License-Identifier: Apache-2.0
// The sequential baseline of the word search (sequential_match.h). It multiplies entries by transforms of radix 2.
#include "bench/sequential_match.h"

#include <algorithm>
#include <chrono>

#include "scheme/rgsw/state.h"

namespace ringfort::bench {

namespace {

using Words = std::vector<u64>;

// Matrices as words on the host, in the coefficient domain. The polynomial in row r and column c begins at ((2 r + c)
// n).
struct Baseline {
  explicit Baseline(const rgsw::Context::State& context)
      : c(context),
        ring(Device::open("ref"), {context.p.n, context.ring.word(), {context.p.q}}),
        staging(context.p.n) {}
  const rgsw::Context::State& c;
  Ring ring;
  Staging staging;

  // Adds a * b to sum, all in the coefficient domain.
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

// Returns BD(match) x d. The matrix BD(match) has the binary digits of the entries of `match`.
Words multiply_matrix(Baseline& b, const Words& match, const Words& d) {
  const u32 n = b.c.p.n, rows = b.c.rows, l = b.c.p.digits;
  Words out(match.size());
  const auto entry = [n](const Words& m, u32 r, u32 c) {
    return std::span<const u64>(m).subspan((2 * std::size_t{r} + c) * n, n);
  };
  for (u32 i = 0; i < rows; ++i) {
    for (u32 c = 0; c < 2; ++c) {
      b.ring.zero(Stream{}, b.sum.all());
      for (u32 k = 0; k < rows; ++k)
        b.multiply_entry(b.sum.all(), digit_of(entry(match, i, k / l), k % l), entry(d, k, c));
      b.ring.download(Stream{}, b.sum.all(), std::span<u64>(out).subspan((2 * std::size_t{i} + c) * n, n), b.staging);
    }
  }
  return out;
}

// Returns Encrypt(1) without noise, which is the matrix of the gadget's constants.
Words trivial_one(const rgsw::Context::State& c) {
  Words match(2 * std::size_t{c.rows} * c.p.n);
  for (u32 r = 0; r < c.rows; ++r)
    match[(2 * std::size_t{r} + r / c.p.digits) * c.p.n] = c.gadget_values[r % c.p.digits];
  return match;
}

// Returns a bit's matrix in the coefficient domain.
Words coefficients_of(const rgsw::Context::State& c, const rgsw::EncryptedBits::State& bits, u32 index) {
  Staging staging(c.p.n);
  Poly<Eval> copy = c.ring.make<Eval>(bits.bit_polynomials());
  c.ring.copy(Stream{}, copy.all(), bits.bit(index));
  const Poly<Coeff> poly = c.ring.inverse(Stream{}, std::move(copy));
  Words words(std::size_t{bits.bit_polynomials()} * c.p.n);
  c.ring.download(Stream{}, poly.all(), std::span<u64>(words), staging);
  return words;
}

}  // namespace

SequentialMatch match_sequentially(const rgsw::Context& context, const rgsw::EncryptedWord& word,
                                   std::span<const rgsw::PatternBit> pattern, u32 products) {
  const rgsw::Context::State& c = *context.state();
  Baseline b(c);
  SequentialMatch match{trivial_one(c), 0};
  for (const rgsw::PatternBit& factor : pattern.first(std::min<std::size_t>(products, pattern.size()))) {
    const Words d = coefficients_of(c, word.bits->state(), word.first + factor.index);
    const auto begin = std::chrono::steady_clock::now();
    Words result = multiply_matrix(b, match.matrix, d);
    match.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto subtract = [q = c.p.q](u64 x, u64 y) { return x >= y ? x - y : x + q - y; };
    if (factor.wanted) match.matrix = std::move(result);
    else std::transform(match.matrix.begin(), match.matrix.end(), result.begin(), match.matrix.begin(), subtract);
  }
  return match;
}

}  // namespace ringfort::bench
