// SPDX-License-Identifier: Apache-2.0
// Transforms in doubles that also convert or divide. The first pass can convert words of one prime to another prime.
// The last pass can write the quotients of a division. q and the source primes are below 2^50 (doubles.h).
#pragma once

#include "backend/cpu/kernels/doubles_sums.h"
#include "backend/cpu/kernels/key_switch_product.h"

namespace ringfort::cpu::kernels {

// Converts words of one prime to residues modulo another prime (OneSource in limb.h). If kShift is true, all factors
// are 1. Then v is the word itself, and the residue is the word, plus `carry` if v is large.
template <class E, bool kShift>
struct ConvertedDoubles {
  using D = typename E::D;
  using V = typename E::V;
  const u64* words;
  V largest, carry, source;
  Pair<D> inverse, weight;

  ConvertedDoubles(const E& e, const OneSource& from)
      : words(from.words),
        largest(D::broadcast(static_cast<double>(from.largest))),
        carry(D::broadcast(centred(from.carry, e.tables.q))),
        source(D::broadcast(static_cast<double>(from.source))),
        inverse(inverse_of(from)),
        weight(kShift ? Pair<D>{} : doubles_of<D>(from.weight.value, e.tables.q)) {}

  // Words that are already residues modulo this prime are not converted (as_they_are in conversion.h). Their quotient
  // is 0.
  static Pair<D> inverse_of(const OneSource& from) {
    if (kShift || from.source == 0) return {D::broadcast(1), V{}};
    return doubles_of<D>(from.inverse.value, from.source);
  }
  // The result is at most 1.25 q in magnitude.
  [[gnu::always_inline]] V residue(const E& e, std::size_t at) const {
    const V word = e.load(words + at);
    if constexpr (kShift) return e.reduce(word + carried(word));
    const V centred_v = e.lazy_product(word, inverse, source);
    const V v = centred_v < 0 ? centred_v + source : centred_v;
    return e.lazy_product(v, weight) + carried(v);
  }
  [[gnu::always_inline]] V carried(V v) const { return v > largest ? carry : V{}; }
};

template <class E, bool kShift>
[[gnu::always_inline]] inline typename E::V element(const E& e, const ConvertedDoubles<E, kShift>& in, std::size_t at) {
  return in.residue(e, at);
}

// The sum of two conversions.
template <class E, bool kShift>
struct TwoConvertedDoubles {
  ConvertedDoubles<E, kShift> first;
  ConvertedDoubles<E, false> second;
};

template <class E, bool kShift>
[[gnu::always_inline]] inline typename E::V element(const E& e, const TwoConvertedDoubles<E, kShift>& in,
                                                    std::size_t at) {
  return e.reduce(in.first.residue(e, at) + in.second.residue(e, at));
}

// Calls f with the input of a first pass that converts `from`.
template <class D, bool kTight, class F>
[[gnu::always_inline]] inline void with_source(const Centred<D, kTight>& e, const OneSource& from, F f) {
  using E = Centred<D, kTight>;
  if (from.is_shift()) f(ConvertedDoubles<E, true>(e, from));
  else f(ConvertedDoubles<E, false>(e, from));
}

// The addend of the quotients: none, a word, or the product of a word and addend_factor.
enum class DoubleAddend { none, word, product };

template <class E, DoubleAddend kAddend>
struct DoubleQuotients {
  using D = typename E::D;
  using V = typename E::V;
  u64* out;
  const u64 *a, *addend;
  Pair<D> factor, addend_factor;

  DoubleQuotients(const Limb<u64>& limb, const Quotient<u64>& to)
      : out(to.out),
        a(to.a),
        addend(to.addend),
        factor(doubles_of<D>(to.factor.value, limb.q)),
        addend_factor(doubles_of<D>(to.addend_factor.value, limb.q)) {}
  [[gnu::always_inline]] DoubleQuotients operator+(std::size_t words) const {
    DoubleQuotients moved = *this;
    moved.out += words, moved.a += words;
    if constexpr (kAddend != DoubleAddend::none) moved.addend += words;
    return moved;
  }
  // v is an output of the last stage. All sums are below 2q in magnitude.
  [[gnu::always_inline]] void store(const E& e, std::size_t at, V v) const {
    const V quotient = e.lazy_product(e.load(a + at) - e.reduce(v), factor);
    if constexpr (kAddend == DoubleAddend::none) e.store(out + at, e.canonical(quotient));
    else if constexpr (kAddend == DoubleAddend::word) e.store(out + at, e.finish(quotient + e.load(addend + at)));
    else e.store(out + at, e.finish(quotient + e.lazy_product(e.load(addend + at), addend_factor)));
  }
};

template <class E, DoubleAddend kAddend>
[[gnu::always_inline]] inline void finish_pair(const E& e, const DoubleQuotients<E, kAddend>& to, typename E::V x,
                                               typename E::V y) {
  rearrange<0, E::kLogLanes, E>(x, y);
  to.store(e, 0, x);
  to.store(e, E::kLanes, y);
}

template <class D, bool kTight>
struct FusedDoubles {
  using E = Centred<D, kTight>;
  using enum DoubleAddend;
  static double* cells(u64* words) { return reinterpret_cast<double*>(words); }

  static void forward_quotient(const Limb<u64>& limb, const OneSource* from, u64* t, const Quotient<u64>& to) {
    const E e(limb);
    const auto end = [&](const auto& in, const auto& out) { forward(e, in, cells(t), out); };
    const auto begin = [&](const auto& out) {
      if (from == nullptr) end(t, out);
      else with_source(e, *from, [&](const auto& in) { end(in, out); });
    };
    if (to.addend == nullptr) begin(DoubleQuotients<E, none>(limb, to));
    else begin(DoubleQuotients<E, word>(limb, to));
  }

  static void forward_second_quotient(const Limb<u64>& limb, const OneSource* from, u64* t, const Quotient<u64>& to) {
    const E e(limb);
    const ConvertedDoubles<E, false> second(e, from[1]);
    with_source(e, from[0], [&]<bool kShift>(const ConvertedDoubles<E, kShift>& first) {
      const TwoConvertedDoubles<E, kShift> in{first, second};
      if (to.addend == nullptr) forward(e, in, cells(t), DoubleQuotients<E, none>(limb, to));
      else forward(e, in, cells(t), DoubleQuotients<E, product>(limb, to));
    });
  }

  using KeySwitch = KeySwitchProduct<E, DoubleSums<D, kTight>>;
};

}  // namespace ringfort::cpu::kernels
