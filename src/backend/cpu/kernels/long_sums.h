// SPDX-License-Identifier: Apache-2.0
// Sums of products of long polynomials: out[c] = sum_k a[k] b[k][c], or the same sum added to out[c], if the result has
// one row and two columns (Products in limb.h). The inner product of the digits and the key is such a sum.
//
// The polynomials a[k] and b[k][c] are multiples of 4 KiB apart. Therefore the polynomials of many terms compete for
// the same few sets of the caches. For this reason, the kernel reads the polynomials of only two terms at a time. It
// adds their products for a run of kWords coefficients. The unreduced sums of the run stay in L1. Meanwhile the kernel
// prefetches the same run of the next two terms.
//
// S is the arithmetic of an instruction set (ifma/inner_product.h, doubles_sums.h). S::V is a vector of S::kLanes
// coefficients. S::Sum is an unreduced sum; it consists of two vectors. A sum can hold terms() products before
// it must be reduced; terms() is even. The functions of S are:
//   left(p), right(p)     load the factors at address p
//   add(sum, left, right) adds a product
//   zero(), from(p)       start a sum: empty, or with the residues at p
//   restart(sum)          reduces a sum, so that it can hold terms() terms again
//   write(p, sum)         stores the canonical residues of a sum
#pragma once

#include "backend/cpu/kernels/transform.h"

namespace ringfort::cpu::kernels {

template <class S>
class LongSums {
 public:
  // Tells whether this kernel can compute p, and is quicker for it than the other kernels of sums. With at most four
  // terms or short polynomials, all polynomials stay in the caches in any order. n is a power of two.
  [[nodiscard]] static bool suit(const Products<u64>& p, std::size_t n) {
    return p.rows == 1 && p.columns == 2 && p.inner > 4 && n >= 8192;
  }

  static void accumulate(const S& s, const Products<u64>& p, std::size_t n) {
    LongSums sums;
    for (std::size_t from = 0; from < n; from += kWords) {
      u64* const out[2] = {p.out + from, p.out + p.out_column + from};
      if (p.accumulate) sums.begin(s, out);
      for (u32 k = 0; k < p.inner; k += 2) {
        const Term now(p, k, from), next = k + 2 < p.inner ? Term(p, k + 2, from) : Term(p, 0, from + kWords);
        const Start start = k == 0 && !p.accumulate        ? Start::empty
                            : k == 0 || k % s.terms() != 0 ? Start::kept
                                                           : Start::full;
        if (k + 1 == p.inner) sums.template add_from<1>(s, p, now, next, start);
        else sums.template add_from<2>(s, p, now, next, start);
      }
      sums.write(s, out);
    }
  }

 private:
  using V = typename S::V;
  using Sum = typename S::Sum;
  static constexpr std::size_t kWords = 512, kLanes = S::kLanes, kVectors = kWords / kLanes;

  // State of the sums before the next terms are added. empty: zero. kept: the sums can hold these terms without a
  // reduction. full: the sums must first be reduced.
  enum class Start { empty, kept, full };
  struct Term {  // the polynomials of a term, from one coefficient on
    const u64 *a, *b;
    Term(const Products<u64>& p, u32 k, std::size_t from)
        : a(p.a + k * p.a_inner + from),
          b(p.b + k * p.b_inner + from) {}
  };

  [[gnu::always_inline]] Sum sum_at(unsigned column, std::size_t i) const {
    return {first_[column][i], second_[column][i]};
  }
  [[gnu::always_inline]] void set(unsigned column, std::size_t i, const Sum& sum) {
    const auto& [first, second] = sum;
    first_[column][i] = first;
    second_[column][i] = second;
  }
  void begin(const S& s, u64* const* out) {
    for (unsigned column = 0; column < 2; ++column)
      for (std::size_t i = 0; i < kVectors; ++i) set(column, i, s.from(out[column] + i * kLanes));
  }
  void write(const S& s, u64* const* out) const {
    for (unsigned column = 0; column < 2; ++column)
      for (std::size_t i = 0; i < kVectors; ++i) s.write(out[column] + i * kLanes, sum_at(column, i));
  }
  template <unsigned kCount>
  void add_from(const S& s, const Products<u64>& p, Term now, Term next, Start start) {
    if (start == Start::empty) add<kCount, Start::empty>(s, p, now, next);
    else if (start == Start::kept) add<kCount, Start::kept>(s, p, now, next);
    else add<kCount, Start::full>(s, p, now, next);
  }
  // Adds the products of kCount terms. Prefetches the coefficients of kCount terms, beginning with `next`, into L2.
  template <unsigned kCount, Start kStart>
  void add(const S& shared, const Products<u64>& p, Term now, Term next) {
    const S s = shared;  // a copy, which stays in registers
    const std::size_t a_inner = p.a_inner, b_inner = p.b_inner, b_column = p.b_column;
    for (std::size_t i = 0; i < kVectors; ++i) {
      const std::size_t j = i * kLanes;
      Sum sums[2];
      unroll<2>([&]<unsigned C>() __attribute__((always_inline)) {
        sums[C] = kStart == Start::empty ? s.zero() : sum_at(C, i);
        if constexpr (kStart == Start::full) sums[C] = s.restart(sums[C]);
      });
      unroll<kCount>([&]<unsigned K>() __attribute__((always_inline)) {
        const V left = s.left(now.a + K * a_inner + j);
        __builtin_prefetch(next.a + K * a_inner + j, 0, 2);
        unroll<2>([&]<unsigned C>() __attribute__((always_inline)) {
          const std::size_t offset = K * b_inner + C * b_column + j;
          s.add(sums[C], left, s.right(now.b + offset));
          __builtin_prefetch(next.b + offset, 0, 2);
        });
      });
      unroll<2>([&]<unsigned C>() __attribute__((always_inline)) { set(C, i, sums[C]); });
    }
  }

  V first_[2][kVectors], second_[2][kVectors];
};

}  // namespace ringfort::cpu::kernels
