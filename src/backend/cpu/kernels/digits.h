// SPDX-License-Identifier: Apache-2.0
// Digits of canonical words in vectors (Gadget in backend.h says which). A centred digit is one of y + sum_i (B/2) B^i,
// less B/2: no carry to pass on. Words are lifted before they are shifted, with the rounding and that sum in one
// addition. Here only gadgets with Digits::fit(lane bits); any other: elementwise.h, digits_of_any.
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

template <class Lanes>  // floor(v / 2^down) of signed lanes
[[gnu::always_inline]] inline typename Lanes::V shifted(typename Lanes::V v, int down) {
  return (typename Lanes::V)((typename Lanes::Signed)v >> down);
}

// x in (-q/2, q/2), plus what rounds it at the shift, plus the sum of B/2 B^i over all digits but the last.
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

// Digit `index` alone, straight from the words: a centred one below 2q, q + digit; a plain one as it is.
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
    const bool last = g.centred && index + 1 == g.digits;  // takes all that is left
    mask = Lanes::broadcast(static_cast<Word>(last ? ~u64{0} : (u64{1} << g.base_bits) - 1));
    const u64 half = u64{1} << (g.base_bits - 1);
    // may wrap: the digit's sum does not
    unlift = Lanes::broadcast(static_cast<Word>(last ? u64{limb.q} : u64{limb.q} - half));
  }
  [[gnu::always_inline]] V centred(V x) const { return (shifted<Lanes>(lifted(x), down) & mask) + unlift; }
  [[gnu::always_inline]] V plain(V x) const { return x >> down & mask; }
};

}  // namespace ringfort::cpu::kernels
