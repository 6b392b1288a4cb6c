// SPDX-License-Identifier: Apache-2.0
// What passes between limbs inside a transform: the conversion of one prime's words in its first pass, a division's end in its last.
// Ranges: q and the source's prime below 2^50; what a first pass reads is below 2q.
#pragma once

#include "backend/cpu/kernels/ifma/engine.h"

namespace ringfort::cpu::ifma {

[[gnu::always_inline]] inline kernels::Pair<Lanes64> pair_of(const Factor<u64>& f) { return {Lanes64::broadcast(f.value), Lanes64::broadcast(f.companion)}; }

template <class E, bool kShift>
struct Converted {
  const u64* words;
  V largest, carry, source, minus_source;
  kernels::Pair<Lanes64> inverse, weight;

  explicit Converted(const OneSource& from)
      : words(from.words), largest(Lanes64::broadcast(from.largest)), carry(Lanes64::broadcast(from.carry)), source(Lanes64::broadcast(from.source)),
        minus_source(Lanes64::broadcast((u64{1} << 52) - from.source)), inverse(pair_of(from.inverse)), weight(pair_of(from.weight)) {}
  [[gnu::always_inline]] V residue(const E& e, V word) const {
    if constexpr (kShift) return e.dirty_residue(word + carried(word)) & e.mask;
    const V quotient = madd_high(V{}, word, inverse.companion);
    const V v = Lanes64::reduce(madd_low(madd_low(V{}, word, inverse.value), quotient, minus_source) & e.mask, source);
    return Lanes64::reduce((e.dirty_product(v, weight) & e.mask) + carried(v), e.q2);
  }
  [[gnu::always_inline]] V carried(V v) const { return (V)((Lanes64::Signed)(largest - v) >> 63) & carry; }
};

template <class E, bool kShift>
[[gnu::always_inline]] inline V element(const E& e, const Converted<E, kShift>& in, std::size_t at) {
  return in.residue(e, e.load(in.words + at));
}

template <class E, bool kAdds>
struct Quotients {
  u64* out;
  const u64 *a, *addend;
  kernels::Pair<Lanes64> factor;
  [[gnu::always_inline]] Quotients operator+(std::size_t words) const { return {out + words, a + words, kAdds ? addend + words : nullptr, factor}; }
  [[gnu::always_inline]] void put(const E& e, std::size_t at, V v) const {
    const V quotient = e.product(e.difference(e.load(a + at), v), factor);
    e.store(out + at, kAdds ? Lanes64::reduce(quotient + e.load(addend + at), e.q) : quotient);
  }
};

template <unsigned kArrangement, class E, bool kAdds>
[[gnu::always_inline]] inline void finish_pair(const E& e, const Quotients<E, kAdds>& to, V x, V y) {
  kernels::rearrange<kArrangement, E::kLogLanes, E>(x, y);
  to.put(e, 0, x);
  to.put(e, E::kLanes, y);
}

// f(what a first pass reads)
template <class E, class F>
[[gnu::always_inline]] inline void with_source(const OneSource& from, F f) {
  if (from.is_shift()) f(Converted<E, true>(from));
  else f(Converted<E, false>(from));
}

template <bool kWide>
void forward_quotient(const Limb<u64>& limb, const OneSource* from, u64* t, const Quotient<u64>& to) {
  using E = Engine<u64, kWide>;
  const E e(limb);
  const auto end = [&](const auto& in, const auto& out) { kernels::forward<E::kLogLanes>(e, in, t, out); };
  const auto begin = [&](const auto& out) {
    if (from == nullptr) end(t, out);
    else with_source<E>(*from, [&](const auto& in) { end(in, out); });
  };
  const auto factor = pair_of(to.factor);
  if (to.addend == nullptr) begin(Quotients<E, false>{to.out, to.a, nullptr, factor});
  else begin(Quotients<E, true>{to.out, to.a, to.addend, factor});
}

}  // namespace ringfort::cpu::ifma
