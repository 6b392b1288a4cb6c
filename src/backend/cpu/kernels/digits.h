// SPDX-License-Identifier: Apache-2.0
// Digits of canonical words in vectors. Gadget in backend/verbs.h defines digits. B is the base of the digits.
//
// A centred digit of y is the plain digit of z = y + sum_i (B/2) B^i, minus B/2. The sum is over all digits but the
// last. The last digit is the rest of z, and nothing is subtracted from it. A word is first lifted to a centred value.
// Then a single addition adds 2^shift sum_i (B/2) B^i, and 2^(shift - 1), so that the shift rounds. The functions
// require Digits::fit(lane bits). digits_of_any (elementwise.h) has no such requirement.
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

template <class Lanes>  // returns floor(v / 2^down) for signed lanes
[[gnu::always_inline]] inline typename Lanes::V shifted(typename Lanes::V v, int down) {
  return (typename Lanes::V)((typename Lanes::Signed)v >> down);
}

// Lifts x to (-q/2, q/2). Then adds 2^(shift - 1), so that the shift rounds, and 2^shift times the sum of (B/2) B^i
// over all digits but the last.
template <class Lanes>
struct Lifted {
  using V = typename Lanes::V;
  using Signed = typename Lanes::Signed;
  V q, half_q, addend;

  template <class W>
  [[gnu::always_inline]] Lifted(const Limb<W>& limb, const Digits& g)
      : q(Lanes::broadcast(static_cast<typename Lanes::Word>(limb.q))),
        half_q(Lanes::broadcast(static_cast<typename Lanes::Word>(limb.q / 2))) {
    u64 sum = g.shift == 0 ? 0 : u64{1} << (g.shift - 1);
    for (u32 d = 0; d + 1 < g.digits; ++d) sum += u64{1} << (g.shift + g.base_bits * (d + 1) - 1);
    addend = Lanes::broadcast(static_cast<typename Lanes::Word>(sum));
  }
  [[gnu::always_inline]] V operator()(V x) const {
    const V sum = x + addend;
    return (Signed)x > (Signed)half_q ? sum - q : sum;
  }
};

// Computes only digit `index`, directly from the words. plain() returns the plain digit. centred() returns q plus the
// centred digit. This sum is below 2q.
template <class Lanes>
struct DigitOf {
  using V = typename Lanes::V;
  using Word = typename Lanes::Word;
  Lifted<Lanes> lifted;
  V mask, unlift;
  int down;

  template <class W>
  [[gnu::always_inline]] DigitOf(const Limb<W>& limb, const Digits& g, u32 index)
      : lifted(limb, g),
        down(static_cast<int>(g.shift + g.base_bits * index)) {
    const bool last = g.centred && index + 1 == g.digits;  // the last digit has all remaining bits
    mask = Lanes::broadcast(static_cast<Word>(last ? ~u64{0} : (u64{1} << g.base_bits) - 1));
    const u64 half = u64{1} << (g.base_bits - 1);
    // This term may be negative and wrap around. The sum of this term and the digit is not negative.
    unlift = Lanes::broadcast(static_cast<Word>(last ? u64{limb.q} : u64{limb.q} - half));
  }
  [[gnu::always_inline]] V centred(V x) const { return (shifted<Lanes>(lifted(x), down) & mask) + unlift; }
  [[gnu::always_inline]] V plain(V x) const { return x >> down & mask; }
};

}  // namespace ringfort::cpu::kernels
