// SPDX-License-Identifier: Apache-2.0
// Sums of products of polynomials, out[r][c] = (or +=) sum_k a[r][k] b[k][c] (Products in limb.h), modulo q < 2^50 in
// doubles. Each product takes four operations, and is the exact sum of two parts. One part is a multiple of 2^(e - 52).
// It is added to the sum `high`, which starts at 1.5 2^e. The rest is added to the sum `low`.
//   high: e = 102 and 4 terms (Tight), or e = 100 and 16 terms (Wide). With |a| <= q/2 and 0 <= b < 2^50 (Wide: b <
//         2^48), all terms together are below 2^(e - 1). Therefore `high` keeps its binary exponent, and H = high - 1.5
//         2^e is an exact multiple of 2^(e - 52).
//   low:  at most 2^(e - 53) for each term.
// residue() subtracts m q, where m is the rounded H / q. Because |H| <= 2^51 q, m differs from H / q by at most 3/4,
// and H - m q is an exact integer.
#pragma once

#include "backend/cpu/kernels/doubles.h"
#include "backend/cpu/kernels/long_sums.h"

namespace ringfort::cpu::kernels {

template <class D, bool kTight>
struct DoubleSums {
  using E = Centred<D, kTight>;
  using V = typename D::V;
  static constexpr unsigned kLanes = D::kLanes, kVectors = 2;
  static constexpr u32 kTerms = kTight ? 4 : 16;
  static constexpr double kStart = 1.5 * power_of_two(2 * D::kPrecision - (kTight ? 4 : 6));  // 1.5 2^e

  struct Sum {
    V high, low;
  };
  struct Constants {
    E e;
    explicit Constants(const Limb<u64>& limb) : e(limb) {}
    [[gnu::always_inline]] static Sum begin(V low) { return {D::broadcast(kStart), low}; }
    [[gnu::always_inline]] static void add(Sum& s, V a, V b) {
      const V high = D::multiply_add(a, b, s.high), taken = high - s.high;
      s.low += D::multiply_subtract(a, b, taken);
      s.high = high;
    }
    // Returns the centred residue of a sum.
    [[gnu::always_inline]] V residue(const Sum& s) const {
      const V high = s.high - D::broadcast(kStart);
      const V quotient = D::multiply_add(high, e.inverse, e.rounder) - e.rounder;
      return e.reduce(D::subtract_product(high, quotient, e.q) + s.low);
    }
  };

  // The left factors. They are words, or outputs of the last stage of a transform, which are doubles and not reduced.
  template <class Cell>
  struct Strided {
    const Cell* a;
    std::size_t row_step, inner_step;
    [[gnu::always_inline]] const Cell* operator()(u32 row, u32 k) const { return a + row * row_step + k * inner_step; }
  };
  struct Range {
    std::size_t from, to;
  };

  // The vector of one sum: its words in the result, its column, and the first of its coefficients.
  struct SumVector {
    u64* words;
    u32 column;
    std::size_t j;
  };
  // Begins a sum, or continues the previous partial sum.
  template <class Partial>
  [[gnu::always_inline]] static Sum begin(const Constants& c, bool accumulate, Partial partial,
                                          const SumVector& vector) {
    if constexpr (std::is_same_v<Partial, PartialSum<double>>) {
      if (partial.terms != 0) {
        const V low = D::load(reinterpret_cast<const double*>(vector.words));
        const Sum sum = {D::load(partial.high_at(vector.column, vector.j)), low};
        return partial.terms % kTerms == 0 ? c.begin(c.residue(sum)) : sum;
      }
    }
    return c.begin(accumulate ? c.e.load(vector.words) : V{});
  }
  // Writes the residues of a sum, or stores the sum for the next partial sum.
  template <class Partial>
  [[gnu::always_inline]] static void end(const Constants& c, Partial partial, const SumVector& vector, const Sum& sum) {
    if constexpr (std::is_same_v<Partial, PartialSum<double>>) {
      if (!partial.last) {
        D::store(partial.high_at(vector.column, vector.j), sum.high);
        return D::store(reinterpret_cast<double*>(vector.words), sum.low);
      }
    }
    c.e.store(vector.words, c.e.canonical(c.residue(sum)));
  }

  template <unsigned kColumns, class Left, class Partial>
  [[gnu::always_inline]] static void tile(const Constants& c, const Products<u64>& p, const Left& factor,
                                          Partial partial, const Corner& corner, std::size_t j) {
    const auto [row, column] = corner;
    Sum sums[kColumns][kVectors];
    u64* const out = p.out + row * p.out_row + column * p.out_column + j;
    const u64* const b = p.b + column * p.b_column + j;
    const auto vector = [&](unsigned C, unsigned I) __attribute__((always_inline)) {
      return SumVector{out + C * p.out_column + I * kLanes, corner.column + C, j + I * kLanes};
    };
    const auto each = [](auto f) __attribute__((always_inline)) {
      unroll<kColumns * kVectors>(
          [&]<unsigned N>() __attribute__((always_inline)) { f.template operator()<N / kVectors, N % kVectors>(); });
    };
    each([&]<unsigned C, unsigned I>()
             __attribute__((always_inline)) { sums[C][I] = begin(c, p.accumulate, partial, vector(C, I)); });
    for (u32 first = 0; first < p.inner; first += kTerms) {
      if (first != 0)
        each([&]<unsigned C, unsigned I>()
                 __attribute__((always_inline)) { sums[C][I] = c.begin(c.residue(sums[C][I])); });
      const u32 end = p.inner - first < kTerms ? p.inner : first + kTerms;
      for (u32 k = first; k < end; ++k) {
        unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
          const V left = c.e.reduce(c.e.load(factor(row, k) + j + I * kLanes));
          unroll<kColumns>([&]<unsigned C>() __attribute__((always_inline)) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k * p.b_inner + C * p.b_column + I * kLanes);
            c.add(sums[C][I], left, c.e.load(b + at));
          });
        });
      }
    }
    each([&]<unsigned C, unsigned I>() __attribute__((always_inline)) { end(c, partial, vector(C, I), sums[C][I]); });
  }

  // These copies of the operands stay in registers. The compiler would read the originals again after every store to
  // `out`. Inlined tiles would have too few registers.
  template <unsigned kColumns, class Left, class Partial>
  [[gnu::noinline]] static void tiles(const Constants& c, const Products<u64>& p, const Left& factor, Partial partial,
                                      const Corner& corner, const Range& of) {
    const Constants constants = c;
    const Products<u64> products = p;
    const Left left = factor;
    const Corner at = corner;
    for (std::size_t j = of.from; j < of.to; j += kVectors * kLanes)
      tile<kColumns>(constants, products, left, partial, at, j);
  }

  // Requires an even number of vectors. `partial` is Whole or a PartialSum. The index of a PartialSum's first term must
  // be a multiple of its number of terms.
  template <class Left, class Partial = Whole>
  static void accumulate(const Constants& c, const Products<u64>& p, const Left& factor, const Range& of,
                         Partial partial = {}) {
    for (u32 column = 0; column < p.columns; column += 2) {
      for (u32 row = 0; row < p.rows; ++row) {
        if (column + 1 < p.columns) tiles<2>(c, p, factor, partial, {row, column}, of);
        else tiles<1>(c, p, factor, partial, {row, column}, of);
      }
    }
  }

  struct LongArithmetic {  // the arithmetic that long_sums.h needs
    using V = typename D::V;
    using Sum = DoubleSums::Sum;
    static constexpr std::size_t kLanes = D::kLanes;
    [[gnu::always_inline]] static u32 terms() { return kTerms; }
    Constants c;
    [[gnu::always_inline]] V left(const u64* p) const { return c.e.reduce(c.e.load(p)); }
    [[gnu::always_inline]] V right(const u64* p) const { return c.e.load(p); }
    [[gnu::always_inline]] static Sum zero() { return Constants::begin(V{}); }
    [[gnu::always_inline]] Sum from(const u64* p) const { return Constants::begin(c.e.load(p)); }
    [[gnu::always_inline]] static void add(Sum& s, V a, V b) { Constants::add(s, a, b); }
    [[gnu::always_inline]] Sum restart(const Sum& s) const { return Constants::begin(c.residue(s)); }
    [[gnu::always_inline]] void write(u64* p, const Sum& s) const { c.e.store(p, c.e.canonical(c.residue(s))); }
  };

  static void inner_product(const Limb<u64>& limb, const Products<u64>& p, std::size_t n) {
    const Constants constants(limb);
    if (LongSums<LongArithmetic>::suit(p, n)) return LongSums<LongArithmetic>::accumulate({constants}, p, n);
    accumulate(constants, p, Strided<u64>{p.a, p.a_row, p.a_inner}, {0, n});
  }

  // Computes out = (a0 b0, a0 b1 + a1 b0, a1 b1) in one pass over the four factors.
  static void tensor(const Limb<u64>& limb, u64* const* out, const u64* const* a, const u64* const* b, std::size_t n) {
    const Constants c(limb);
    u64 *const low = out[0], *const middle = out[1], *const high = out[2];
    const u64 *const a0 = a[0], *const a1 = a[1], *const b0 = b[0], *const b1 = b[1];
    for (std::size_t j = 0; j < n; j += kLanes) {
      const V x0 = c.e.reduce(c.e.load(a0 + j)), x1 = c.e.reduce(c.e.load(a1 + j)), y0 = c.e.load(b0 + j),
              y1 = c.e.load(b1 + j);
      const V cross = c.e.variable_product(x0, y1) + c.e.variable_product(x1, y0);
      c.e.store(low + j, c.e.canonical(c.e.variable_product(x0, y0)));
      c.e.store(middle + j, c.e.finish(cross));
      c.e.store(high + j, c.e.canonical(c.e.variable_product(x1, y1)));
    }
  }
};

}  // namespace ringfort::cpu::kernels
