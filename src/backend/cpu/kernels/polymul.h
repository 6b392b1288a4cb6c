// SPDX-License-Identifier: Apache-2.0
// Fused polynomial product over vectors: truncated transforms around products of pairs mod x^2 - alpha^2 by Karatsuba
// [Shivdikar22, Alg. 7 and 8]. M is a multiplier (elementwise.h).
#pragma once

#include "backend/cpu/kernels/engines.h"

namespace ringfort::cpu::kernels {

// Even and odd coefficients in separate vectors of M; memory has the natural order.
template <class M>
struct Pairs {
  using V = typename M::V;
  static constexpr unsigned kLogLanes = log2_of(M::kLanes), kLanes = M::kLanes;
  V even, odd;
  [[gnu::always_inline]] Pairs(V e, V o) : even(e), odd(o) {}
  [[gnu::always_inline]] Pairs(const M& m, const typename M::Word* p) : even(m.load(p)), odd(m.load(p + kLanes)) {
    rearrange<kLogLanes, 0, Pairs>(even, odd);
  }
  [[gnu::always_inline]] void store(const M& m, typename M::Word* p) {
    rearrange<0, kLogLanes, Pairs>(even, odd);
    m.store(p, even);
    m.store(p + kLanes, odd);
  }
};

// Returns powers[n/4 + i/2] for the pairs i, i + 1, ..., negated for odd i.
template <class M, class Cell>
[[gnu::always_inline]] inline typename M::V square_twiddles(const M& m, const Cell* powers) {
  using V = typename M::V;
  const V t = m.load_cells(powers), minus = m.q - t;
  return [&]<unsigned... L>(std::integer_sequence<unsigned, L...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(t, minus, (L / 2 + (L % 2) * M::kLanes)...);
  }(std::make_integer_sequence<unsigned, M::kLanes>{});
}

// Computes a fused product. powers: canonical, bit-reversed, in cells that M can load.
template <class M, class W = typename M::Word, class Cell>
void multiply_pairs(const Limb<W>& limb, const Cell* powers, W* out, const W* a, const W* b) {
  const M m(limb);
  for (std::size_t j = 0; j < limb.n; j += 2 * M::kLanes) {
    const Pairs<M> x(m, a + j), y(m, b + j);
    const auto u = m.multiply(x.even, y.even), v = m.multiply(x.odd, y.odd);
    const auto w = m.multiply(m.add(x.even, x.odd), m.add(y.even, y.odd));
    const auto z = m.multiply(v, square_twiddles(m, powers + limb.n / 4 + j / 4));
    Pairs<M>(m.add(u, z), m.add(m.add(w, m.q - u), m.q - v)).store(m, out + j);
  }
}

template <template <class> class Engine, class Lanes, class M>
void polymul_in_place(const Limb<typename M::Word>& limb, typename M::Word* out, typename M::Word* a,
                      typename M::Word* b) {
  using E = Engine<Lanes>;
  constexpr unsigned truncated = E::kLogLanes - 1;
  const E e(limb);
  forward<truncated>(e, a, a, a);
  forward<truncated>(e, b, b, b);
  multiply_pairs<M>(limb, e.tables.powers, out, a, b);
  inverse<truncated>(e, out, out, out);
}

}  // namespace ringfort::cpu::kernels
