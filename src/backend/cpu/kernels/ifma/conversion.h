// SPDX-License-Identifier: Apache-2.0
// Transforms that also convert and divide. The first pass can convert the words of one prime to another prime. The last
// pass can write the quotients of a division. Ranges: q and the source primes are below 2^50. The inputs of the first
// pass are below 2q.
#pragma once

#include "backend/cpu/kernels/ifma/engine.h"

namespace ringfort::cpu::ifma {

[[gnu::always_inline]] inline kernels::Pair<Lanes64> pair_of(const Factor<u64>& f) {
  return {Lanes64::broadcast(f.value), Lanes64::broadcast(f.companion)};
}

// States which factors of a source are not 1. `near`: every factor is 1, and OneSource::is_near(q) is true.
enum class Factors { near, none, weight, both };

template <class E, Factors kFactors>
struct Converted {
  const u64* words;
  V largest, carry, source, minus_source;
  kernels::Pair<Lanes64> inverse, weight;

  explicit Converted(const OneSource& from, [[maybe_unused]] u64 q = 0)
      : words(from.words),
        largest(Lanes64::broadcast(from.largest)),
        carry(Lanes64::broadcast(kFactors == Factors::near ? q - from.source : from.carry)),
        source(Lanes64::broadcast(from.source)),
        minus_source(Lanes64::broadcast((u64{1} << 52) - from.source)),
        inverse(pair_of(from.inverse)),
        weight(pair_of(from.weight)) {}
  [[gnu::always_inline]] V residue(const E& e, V word) const {
    if constexpr (kFactors == Factors::near)
      return (V)_mm512_mask_add_epi64((__m512i)word, _mm512_cmpgt_epu64_mask((__m512i)word, (__m512i)largest),
                                      (__m512i)word, (__m512i)carry);
    if constexpr (kFactors == Factors::none) return e.dirty_residue(word + carried(word)) & e.mask;
    V v = word;
    if constexpr (kFactors == Factors::both) {
      const V quotient = madd_high(V{}, word, inverse.companion);
      v = reduce(madd_low(madd_low(V{}, word, inverse.value), quotient, minus_source) & e.mask, source);
    }
    return reduce((e.dirty_product(v, weight) & e.mask) + carried(v), e.q2);
  }
  [[gnu::always_inline]] V carried(V v) const { return (V)((Lanes64::Signed)(largest - v) >> 63) & carry; }
};

template <class E, Factors kFactors>
[[gnu::always_inline]] inline V element(const E& e, const Converted<E, kFactors>& in, std::size_t at) {
  return in.residue(e, e.load(in.words + at));
}

// The sum of two conversions.
template <class E, Factors kFirst, Factors kSecond>
struct ConvertedTwo {
  Converted<E, kFirst> first;
  Converted<E, kSecond> second;
};

template <class E, Factors kFirst, Factors kSecond>
[[gnu::always_inline]] inline V element(const E& e, const ConvertedTwo<E, kFirst, kSecond>& in, std::size_t at) {
  return reduce(element(e, in.first, at) + element(e, in.second, at), e.q2);
}

// The addend of the quotients: none, a word, or the product of a word and addend_factor.
enum class Addend { none, word, product };

inline constexpr std::size_t kPrefetchDistance = 512;

template <class E, Addend kAddend>
struct Quotients {
  u64* out;
  const u64 *a, *addend;
  kernels::Pair<Lanes64> factor, addend_factor;
  [[gnu::always_inline]] Quotients operator+(std::size_t words) const {
    return {.out = out + words,
            .a = a + words,
            .addend = kAddend == Addend::none ? nullptr : addend + words,
            .factor = factor,
            .addend_factor = addend_factor};
  }
  [[gnu::always_inline]] void store(const E& e, std::size_t at, V v) const {
    prefetch(at + kPrefetchDistance);
    e.store(out + at, sum(e, at, e.difference(e.load(a + at), v)));
  }
  // Prefetches words. In a key switch, the words of the key have displaced these words from L2.
  [[gnu::always_inline]] void prefetch(std::size_t at) const {
    __builtin_prefetch(a + at);
    __builtin_prefetch(out + at, 1);
    if constexpr (kAddend != Addend::none) __builtin_prefetch(addend + at);
  }
  [[gnu::always_inline]] V sum(const E& e, std::size_t at, V difference) const {
    if constexpr (kAddend == Addend::product) {  // the sum of two products, each below 2q
      const V both = e.dirty_product(difference, factor) + e.dirty_product(e.load(addend + at), addend_factor);
      return reduce(reduce(both & e.mask, e.q2), e.q);
    }
    const V quotient = e.product(difference, factor);
    return kAddend == Addend::none ? quotient : reduce(quotient + e.load(addend + at), e.q);
  }
};

template <class E, Addend kAddend>
[[gnu::always_inline]] inline void finish_pair(const E& e, const Quotients<E, kAddend>& to, V x, V y) {
  kernels::rearrange<0, E::kLogLanes, E>(x, y);
  to.store(e, 0, x);
  to.store(e, E::kLanes, y);
}

// Calls f with the input of a first pass that converts `from`.
template <bool kWide, class F>
[[gnu::always_inline]] inline void with_source(const Engine<u64, kWide>& e, const OneSource& from, F f) {
  using E = Engine<u64, kWide>;
  const u64 q = e.tables.q;
  if (from.is_near(q)) f(Converted<E, Factors::near>(from, q));
  else if (from.is_shift()) f(Converted<E, Factors::none>(from));
  else f(Converted<E, Factors::both>(from));
}
template <class E, class F>
[[gnu::always_inline]] inline void with_two_sources(const OneSource* from, F f) {
  using enum Factors;
  if (from[0].is_shift() && from[1].inverse.value == 1)
    f(ConvertedTwo<E, none, weight>{Converted<E, none>(from[0]), Converted<E, weight>(from[1])});
  else f(ConvertedTwo<E, both, both>{Converted<E, both>(from[0]), Converted<E, both>(from[1])});
}

template <bool kWide>
void forward_quotient(const Limb<u64>& limb, const OneSource* from, u64* t, const Quotient<u64>& to) {
  using E = Engine<u64, kWide>;
  const E e(limb);
  const auto end = [&](const auto& in, const auto& out) { kernels::forward(e, in, t, out); };
  const auto begin = [&](const auto& out) {
    if (from == nullptr) end(t, out);
    else with_source(e, *from, [&](const auto& in) { end(in, out); });
  };
  const auto factor = pair_of(to.factor);
  if (to.addend == nullptr)
    begin(
        Quotients<E, Addend::none>{.out = to.out, .a = to.a, .addend = nullptr, .factor = factor, .addend_factor = {}});
  else
    begin(Quotients<E, Addend::word>{
        .out = to.out, .a = to.a, .addend = to.addend, .factor = factor, .addend_factor = {}});
}

template <bool kWide>
void forward_second_quotient(const Limb<u64>& limb, const OneSource* from, u64* t, const Quotient<u64>& to) {
  using E = Engine<u64, kWide>;
  const E e(limb);
  const auto factor = pair_of(to.factor), addend_factor = pair_of(to.addend_factor);
  with_two_sources<E>(from, [&](const auto& in) {
    if (to.addend == nullptr)
      kernels::forward(e, in, t,
                       Quotients<E, Addend::none>{
                           .out = to.out, .a = to.a, .addend = nullptr, .factor = factor, .addend_factor = {}});
    else
      kernels::forward(
          e, in, t,
          Quotients<E, Addend::product>{
              .out = to.out, .a = to.a, .addend = to.addend, .factor = factor, .addend_factor = addend_factor});
  });
}

}  // namespace ringfort::cpu::ifma
