// SPDX-License-Identifier: Apache-2.0
// Sums of products of polynomials, out[r][c] = (or +=) sum_k a[r][k] b[k][c] (Products in limb.h), with the 52-bit
// multiplier. Two sums, low and high, add the lower and the upper halves of products. After `terms` terms,
// high 2^52 + low is reduced with the constant 2^52 mod q. Two rows of a share the loads of b. n is a multiple of 32.
//
// Ranges: low < (terms + 1) 2^52 <= 2^64, and high < terms q^2 / 2^52 + 1 < 2^52. This allows 8 terms for q < 2^50, and
// 2048 terms for q < 2^46.
#pragma once

#include "backend/cpu/kernels/ifma/engine.h"
#include "backend/cpu/kernels/long_sums.h"

namespace ringfort::cpu::ifma {

// Returns a power of two: how many products of residues are added before the sum is reduced. `bits`: the bits of q.
constexpr u32 terms_of_residues(u32 bits) { return bits <= 46 ? 2048 : 8; }

// kTermsOf: terms_of_residues, or terms_of_outputs (gadget_product.h).
template <class W, u32 (*kTermsOf)(u32)>
struct InnerProducts {
  // Number of adjacent vectors of a row in a tile. With this number, the sums fill half of the registers. With more
  // than one vector, each page of a row (4 KiB) is read in longer sequences.
  template <unsigned kRows>
  static constexpr unsigned vectors_of = 4 / kRows;

  struct Sum {
    V low, high;
  };

  struct Constants {
    V q, q2, minus_q, mask, one_companion, radix, radix_companion;
    u32 terms;
    [[gnu::always_inline]] explicit Constants(const Limb<W>& limb)
        : q(Lanes64::broadcast(limb.q)),
          q2(Lanes64::broadcast(2 * limb.q)),
          minus_q(Lanes64::broadcast((u64{1} << 52) - limb.q)),
          mask(Lanes64::broadcast(kMask52)),
          one_companion(Lanes64::broadcast(limb.radix_barrett)),
          radix(Lanes64::broadcast(limb.radix.value)),
          radix_companion(Lanes64::broadcast(limb.radix.companion)),
          terms(kTermsOf(limb.bits)) {}
    // Both parts contribute less than 2q to the rest. Therefore it is below 4q <= 2^52, and one mask is enough.
    [[gnu::always_inline]] V residue(const Sum& s) const {
      const V high = s.high + (s.low >> 52);
      const V quotient = madd_high(madd_high(V{}, high, radix_companion), s.low, one_companion);
      const V rest = madd_low(madd_low(s.low, high, radix), quotient, minus_q) & mask;
      return reduce(reduce(rest, q2), q);
    }
  };

  // Loads kCount vectors of consecutive words. For u32 words, a pair of vectors has the even and the odd words of a
  // cache line.
  template <unsigned kCount>
  [[gnu::always_inline]] static void load(V* v, const W* p) {
    if constexpr (sizeof(W) == 8) {
      kernels::unroll<kCount>([&]<unsigned I>() __attribute__((always_inline)) { v[I] = Lanes64::load(p + 8 * I); });
    } else {
      kernels::unroll<kCount / 2>([&]<unsigned I>() __attribute__((always_inline)) {
        const V both = (V)Lanes32::load(p + 16 * I);
        v[2 * I] = both & Lanes64::broadcast(0xFFFFFFFF);
        v[2 * I + 1] = both >> 32;
      });
    }
  }
  template <unsigned kCount>
  [[gnu::always_inline]] static void store(W* p, const Sum* s) {
    if constexpr (sizeof(W) == 8) {
      kernels::unroll<kCount>([&]<unsigned I>()
                                  __attribute__((always_inline)) { Lanes64::store(p + 8 * I, s[I].low); });
    } else {
      kernels::unroll<kCount / 2>([&]<unsigned I>() __attribute__((always_inline)) {
        Lanes32::store(p + 16 * I, (Lanes32::V)(s[2 * I].low | s[2 * I + 1].low << 32));
      });
    }
  }

  // Returns the address of a left factor: polynomial k of a row.
  struct Strided {
    const W* a;
    std::size_t row_step, inner_step;
    [[gnu::always_inline]] const W* operator()(u32 row, u32 k) const { return a + row * row_step + k * inner_step; }
  };
  struct Range {
    std::size_t from, to;
  };

  // Computes coefficients [j, j + 8 kVectors) of a tile of kRows rows and kColumns columns. It begins at (row, column).
  template <unsigned kRows, unsigned kColumns, class Left, class Partial>
  [[gnu::always_inline]] static void tile(const Constants& c, const Products<W>& p, const Left& factor, Partial partial,
                                          const Corner& corner, std::size_t j) {
    const auto [row, column] = corner;
    constexpr bool kPartial = std::is_same_v<Partial, PartialSum<u64>>;
    constexpr unsigned kVectors = vectors_of<kRows>;
    Sum sums[kRows][kColumns][kVectors];
    W* const out = p.out + row * p.out_row + column * p.out_column + j;
    const W* const b = p.b + column * p.b_column + j;
    V start[kVectors];
    kernels::unroll<kRows * kColumns>([&]<unsigned N>() __attribute__((always_inline)) {
      constexpr unsigned R = N / kColumns, C = N % kColumns;
      if constexpr (kPartial) {
        if (partial.terms != 0) {
          kernels::unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
            Sum& sum = sums[R][C][I];
            sum = {Lanes64::load(out + C * p.out_column + 8 * I),
                   Lanes64::load(partial.high_at(corner.column + C, j + 8 * I))};
            if ((partial.terms & (c.terms - 1)) == 0) sum = {c.residue(sum), V{}};
          });
          return;
        }
      }
      if (p.accumulate) load<kVectors>(start, out + R * p.out_row + C * p.out_column);
      kernels::unroll<kVectors>(
          [&]<unsigned I>() __attribute__((always_inline)) { sums[R][C][I] = {p.accumulate ? start[I] : V{}, V{}}; });
    });
    for (u32 first = 0; first < p.inner; first += c.terms) {
      const u32 end = p.inner - first < c.terms ? p.inner : first + c.terms;
      for (u32 k = first; k < end; ++k) {
        V left[kRows][kVectors], right[kColumns][kVectors];
        kernels::unroll<kRows>([&]<unsigned R>()
                                   __attribute__((always_inline)) { load<kVectors>(left[R], factor(row + R, k) + j); });
        kernels::unroll<kColumns>([&]<unsigned C>() __attribute__((always_inline)) {
          load<kVectors>(right[C], b + static_cast<std::ptrdiff_t>(k * p.b_inner + C * p.b_column));
        });
        each<kRows, kColumns>([&]<unsigned R, unsigned C, unsigned I>() __attribute__((always_inline)) {
          Sum& s = sums[R][C][I];
          s.low = madd_low(s.low, left[R][I], right[C][I]);
          s.high = madd_high(s.high, left[R][I], right[C][I]);
        });
      }
      if constexpr (kPartial) {
        if (!partial.last) {
          each<kRows, kColumns>([&]<unsigned R, unsigned C, unsigned I>() __attribute__((always_inline)) {
            Lanes64::store(partial.high_at(corner.column + C, j + 8 * I), sums[R][C][I].high);
          });
          continue;
        }
      }
      each<kRows, kColumns>([&]<unsigned R, unsigned C, unsigned I>()
                                __attribute__((always_inline)) { sums[R][C][I] = {c.residue(sums[R][C][I]), V{}}; });
    }
    kernels::unroll<kRows * kColumns>([&]<unsigned N>() __attribute__((always_inline)) {
      constexpr unsigned R = N / kColumns, C = N % kColumns;
      store<kVectors>(out + R * p.out_row + C * p.out_column, sums[R][C]);
    });
  }

  template <unsigned kRows, unsigned kColumns, class F>
  [[gnu::always_inline]] static void each(F f) {
    constexpr unsigned kVectors = vectors_of<kRows>;
    kernels::unroll<kRows * kColumns * kVectors>([&]<unsigned N>() __attribute__((always_inline)) {
      f.template operator()<N / (kColumns * kVectors), N / kVectors % kColumns, N % kVectors>();
    });
  }

  template <unsigned kRows, unsigned kColumns, class Left, class Partial>
  static void tiles(const Constants& c, const Products<W>& p, const Left& factor, Partial partial, const Corner& corner,
                    const Range& of) {
    // These copies stay in registers. The compiler would load the originals again after every store to `out`.
    const Constants constants = c;
    const Products<W> products = p;
    const Left left = factor;
    const Corner at = corner;
    for (std::size_t j = of.from; j < of.to; j += 8 * vectors_of<kRows>)
      tile<kRows, kColumns>(constants, products, left, partial, at, j);
  }

  static void accumulate(const Constants& c, const Products<W>& p, std::size_t from, std::size_t to) {
    accumulate(c, p, Strided{p.a, p.a_row, p.a_inner}, {from, to});
  }

  // Requires that the number of coefficients is a multiple of 32. `partial` is Whole, or a PartialSum of one row, with
  // at most c.terms terms. The index of a PartialSum's first term must be a multiple of its number of terms.
  template <class Left, class Partial = Whole>
  static void accumulate(const Constants& c, const Products<W>& p, const Left& factor, const Range& of,
                         Partial partial = {}) {
    for (u32 column = 0; column < p.columns; column += 2) {
      const bool two = column + 1 < p.columns;
      u32 row = 0;
      for (; row + 1 < p.rows; row += 2) {
        if (two) tiles<2, 2>(c, p, factor, partial, {row, column}, of);
        else tiles<2, 1>(c, p, factor, partial, {row, column}, of);
      }
      if (row < p.rows && two) tiles<1, 2>(c, p, factor, partial, {row, column}, of);
      else if (row < p.rows) tiles<1, 1>(c, p, factor, partial, {row, column}, of);
    }
  }
};

// Computes out = (a0 b0, a0 b1 + a1 b0, a1 b1) in one pass over the four factors.
inline void tensor(const Limb<u64>& limb, u64* const* out, const u64* const* a, const u64* const* b, std::size_t n) {
  using Sums = InnerProducts<u64, terms_of_residues>;
  const Sums::Constants c(limb);
  u64 *const low = out[0], *const middle = out[1], *const high = out[2];
  const u64 *const a0 = a[0], *const a1 = a[1], *const b0 = b[0], *const b1 = b[1];
  for (std::size_t j = 0; j < n; j += 8) {
    const V x0 = Lanes64::load(a0 + j), x1 = Lanes64::load(a1 + j), y0 = Lanes64::load(b0 + j),
            y1 = Lanes64::load(b1 + j);
    Lanes64::store(low + j, c.residue({madd_low(V{}, x0, y0), madd_high(V{}, x0, y0)}));
    Lanes64::store(middle + j,
                   c.residue({madd_low(madd_low(V{}, x0, y1), x1, y0), madd_high(madd_high(V{}, x0, y1), x1, y0)}));
    Lanes64::store(high + j, c.residue({madd_low(V{}, x1, y1), madd_high(V{}, x1, y1)}));
  }
}

// The arithmetic that kernels/long_sums.h needs.
struct LongArithmetic {
  using Sums = InnerProducts<u64, terms_of_residues>;
  using V = ifma::V;
  using Sum = Sums::Sum;
  static constexpr std::size_t kLanes = 8;
  Sums::Constants c;
  [[gnu::always_inline]] u32 terms() const { return c.terms; }
  [[gnu::always_inline]] static V left(const u64* p) { return Lanes64::load(p); }
  [[gnu::always_inline]] static V right(const u64* p) { return Lanes64::load(p); }
  [[gnu::always_inline]] static Sum zero() { return {V{}, V{}}; }
  [[gnu::always_inline]] static Sum from(const u64* p) { return {Lanes64::load(p), V{}}; }
  [[gnu::always_inline]] static void add(Sum& s, V a, V b) {
    s.low = madd_low(s.low, a, b);
    s.high = madd_high(s.high, a, b);
  }
  [[gnu::always_inline]] Sum restart(const Sum& s) const { return {c.residue(s), V{}}; }
  [[gnu::always_inline]] void write(u64* p, const Sum& s) const { Lanes64::store(p, c.residue(s)); }
};

template <class W>
void inner_product(const Limb<W>& limb, const Products<W>& p, std::size_t n) {
  using Sums = InnerProducts<W, terms_of_residues>;
  const typename Sums::Constants constants(limb);
  if constexpr (sizeof(W) == 8) {
    using Long = kernels::LongSums<LongArithmetic>;
    if (Long::suit(p, n)) return Long::accumulate({constants}, p, n);
  }
  Sums::accumulate(constants, p, 0, n);
}

}  // namespace ringfort::cpu::ifma
