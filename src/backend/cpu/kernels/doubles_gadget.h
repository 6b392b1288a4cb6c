// SPDX-License-Identifier: Apache-2.0
// Gadget products in doubles: digits of words modulo q < 2^50 (Gadget in backend/verbs.h), their transforms, and sums
// of products of the transforms.
//
// Centred digits. Let y be the word, lifted to (-q/2, q/2), B the base, and D the number of digits. The digits of
// digits.h are computed by divisions:
//   r_k = (y + c_k) / (2^shift B^k), rounded to the nearest integer; a half is rounded up;
//   digit k = r_k - B r_(k+1). The last digit is r_(D-1).
// c_0 is 0. For k > 0, c_k is the sum of 2^shift / 2 (0 if shift is 0) and of 2^shift B^i / 2 for 0 < i < k. These are
// the halves that digits.h adds to y before it cuts off bits.
//
// The addition of 1.5 2^52 also rounds to the nearest integer, but it rounds a half to the even neighbour. Therefore
// the code adds 1/2 to y + c_k, which is an integer, if the divisor is above 1. The divisor is a power of two. Hence a
// quotient that was a half is now larger and rounds up, and no other quotient rounds differently. With
// 2^shift B^D <= 2^50, all sums are below 2^51 and exact.
#pragma once

#include "backend/cpu/kernels/doubles_sums.h"

namespace ringfort::cpu::kernels {

template <class D>
struct RoundedQuotient {  // r_k for one k
  using V = typename D::V;
  V offset, scale;

  [[gnu::always_inline]] RoundedQuotient(const Digits& g, u32 k) {
    double sum = k == 0 || g.shift == 0 ? 0 : power_of_two(static_cast<int>(g.shift) - 1);
    for (u32 i = 1; i < k; ++i) sum += power_of_two(static_cast<int>(g.shift + i * g.base_bits) - 1);
    const int bits = static_cast<int>(g.shift + k * g.base_bits);
    offset = D::broadcast(bits == 0 ? 0 : sum + 0.5);
    scale = D::broadcast(power_of_two(-bits));
  }
  [[gnu::always_inline]] V operator()(V y, V rounder) const {
    return D::multiply_add(y + offset, scale, rounder) - rounder;
  }
};

template <class D, bool kLast>
struct CentredDigits {
  using V = typename D::V;
  const u64* words;
  V half_q, base;
  RoundedQuotient<D> quotient_of, next_quotient_of;

  CentredDigits(const u64* of, const Digits& g, u32 k, u64 q)
      : words(of),
        half_q(D::broadcast(static_cast<double>(q / 2))),
        base(D::broadcast(power_of_two(static_cast<int>(g.base_bits)))),
        quotient_of(g, k),
        next_quotient_of(g, k + 1) {}
  static bool fit(const Digits& g) { return g.shift + u64{g.base_bits} * g.digits <= 50; }
};

template <class D, bool kTight, bool kLast>
[[gnu::always_inline]] inline typename D::V element(const Centred<D, kTight>& e, const CentredDigits<D, kLast>& in,
                                                    std::size_t at) {
  const typename D::V word = e.load(in.words + at), y = word > in.half_q ? word - e.q : word;
  const typename D::V quotient = in.quotient_of(y, e.rounder);
  if constexpr (kLast) return quotient;
  else return D::subtract_product(quotient, in.next_quotient_of(y, e.rounder), in.base);
}

// Returns a digit that is computed with integers.
template <class D, bool kTight, bool kCentred>
[[gnu::always_inline]] inline typename D::V element(const Centred<D, kTight>& e,
                                                    const DigitWords<Centred<D, kTight>, kCentred>& in,
                                                    std::size_t at) {
  const auto word = D::Words::load(in.words + at);
  if constexpr (kCentred) return e.from_words(in.digit.centred(word)) - e.q;
  else return e.from_words(in.digit.plain(word));
}

// Calls f with digit k of the row. The digit is the input of a first pass.
template <class D, bool kTight, class F>
[[gnu::always_inline]] inline void with_digit(const Centred<D, kTight>& e, const Limb<u64>& limb,
                                              const DigitRow<u64>& row, u32 k, F f) {
  if (!row.gadget.centred || !CentredDigits<D, true>::fit(row.gadget))
    return kernels::with_digit<Centred<D, kTight>>(e, limb, row, k, f);  // the template of transform.h
  const u32 index = k % row.gadget.digits;
  const u64* const words = row.words + k / row.gadget.digits * row.words_stride;
  if (index + 1 == row.gadget.digits) f(CentredDigits<D, true>(words, row.gadget, index, limb.q));
  else f(CentredDigits<D, false>(words, row.gadget, index, limb.q));
}

// The kernel of verb::GadgetProduct for one row. The transforms of the digits stay doubles, and are not reduced.
template <class D, bool kTight>
void gadget_product(const Limb<u64>& limb, const Products<u64>& p, const DigitRow<u64>& row) {
  using E = Centred<D, kTight>;
  using Sums = DoubleSums<D, kTight>;
  const E e(limb);
  double* const digits = reinterpret_cast<double*>(row.digits);
  for (u32 k = 0; k < p.inner; ++k) {
    double* const cells = digits + k * p.a_inner;
    with_digit(e, limb, row, k, [&](const auto& in) { forward_upper(e, in, cells); });
    forward_blocks<false>(e, cells, cells, smallest(e, {1, 0, 1}));
  }
  const typename Sums::template Strided<double> left = {digits, 0, p.a_inner};
  Sums::accumulate(typename Sums::Constants(limb), p, left, {0, limb.n});
}

}  // namespace ringfort::cpu::kernels
