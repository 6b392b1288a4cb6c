// SPDX-License-Identifier: Apache-2.0
// Base conversion in vectors. verb::BaseConvert (backend/verbs.h) has the formula and the names v_i, k, Q, q_i and p.
// The digits v_i and k of a block of coefficients take at most 33 KiB, about the size of L1. k is treated as one more
// digit, with the weight -Q mod p. For every target, the kernel adds products of digits and weights. It reduces the sum
// after every terms() terms.
//
// E is the arithmetic of an instruction set:
//   SourcePrime{constants}: digit(a) = v. fraction(v) in units of 2^-56. packed(v): the form of v that add() takes.
//   packed_multiple(k): the form of k that add() takes.
//   TargetPrime{p, bits}: p, terms(), begin(Sum), weight(word), add(Sum, packed, Weight), restart(Sum), residue(Sum).
//                         reduced(digit + residue) is in [0, 2p).
// All counts of coefficients are multiples of kTile.
#pragma once

#include "backend/cpu/kernels/convert.h"
#include "backend/cpu/kernels/transform.h"

namespace ringfort::cpu::kernels {

template <class E, class W>
struct BlockConversion {
  using V = typename E::V;
  using Lanes = typename E::Lanes;
  static constexpr unsigned kVectors = 4, kLanes = Lanes::kLanes;
  static constexpr std::size_t kTile = kVectors * kLanes, kMostBlock = 512, kDigits = (kMostSources + 1) * 32;
  static_assert(kTile <= 32 && kMostBlock % kTile == 0);

  [[gnu::always_inline]] static V load(const W* p) {
    if constexpr (sizeof(W) == 8) return Lanes::load(p);
    else return Lanes::widen(p);
  }
  [[gnu::always_inline]] static void store(W* p, V v) {
    if constexpr (sizeof(W) == 8) Lanes::store(p, v);
    else Lanes::narrow(p, v);
  }

  // Writes a row of `count` digits for each source, then a row with the values of k.
  static void take_digits(const ConversionWork<W>& work, u64* digits, std::size_t first, std::size_t count) {
    for (std::size_t c = 0; c < count; c += kTile) {
      V fractions[kVectors];
      for (V& f : fractions) f = Lanes::broadcast(work.rounding);
      for (u32 i = 0; i < work.source_count; ++i) {
        const typename E::SourcePrime source(work.sources[i], work.most_bits);
        const W* const a = work.a + i * work.stride + first + c;
        unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
          const V v = source.digit(load(a + I * kLanes));
          Lanes::store(digits + i * count + c + I * kLanes, source.packed(v));
          fractions[I] += source.fraction(v);
        });
      }
      unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
        Lanes::store(digits + work.source_count * count + c + I * kLanes,
                     E::packed_multiple(work.corrected ? fractions[I] >> 56 : Lanes::broadcast(0)));
      });
    }
  }

  static void put_residues(const ConversionWork<W>& work, const ConversionTarget& target, const u64* digits,
                           std::size_t first, std::size_t count) {
    const typename E::TargetPrime t(target.p, work.most_bits);
    const u32 rows = work.source_count + (work.corrected ? 1 : 0), terms = t.terms();
    W* const out = work.out + target.limb * work.stride + first;
    typename E::Weight weights[kMostSources + 1];
    for (u32 i = 0; i < rows; ++i) weights[i] = t.weight(target.weights[i]);
    for (std::size_t c = 0; c < count; c += kTile) {
      typename E::Sum sums[kVectors];
      for (auto& sum : sums) t.begin(sum);
      for (u32 start = 0; start < rows; start += terms) {
        if (start != 0) {
          for (auto& sum : sums) t.restart(sum);
        }
        const u32 end = rows - start < terms ? rows : start + terms;
        for (u32 i = start; i < end; ++i) {
          const typename E::Weight weight = weights[i];
          unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
            t.add(sums[I], Lanes::load(digits + i * count + c + I * kLanes), weight);
          });
        }
      }
      unroll<kVectors>([&]<unsigned I>()
                           __attribute__((always_inline)) { store(out + c + I * kLanes, t.residue(sums[I])); });
    }
  }

  // Tells whether there is one source and all factors are 1. Then v is the word a, and k is 1 if and only if
  //   v reciprocal >= (2^56 - rounding) 2^(7 + bits)
  static bool is_shift(const ConversionWork<W>& work) {
    if (work.source_count != 1 || work.sources[0].inverse.value != 1) return false;
    for (u32 j = 0; j < work.target_count; ++j) {
      if (work.targets[j].weights[0] != 1) return false;
    }
    return true;
  }

  static void shift(const ConversionWork<W>& work) {
    const ConversionSource& source = work.sources[0];
    const u128 least = u128{(u64{1} << 56) - work.rounding} << (7 + source.bits);
    const u64 threshold =
        work.corrected ? static_cast<u64>((least + source.reciprocal - 1) / source.reciprocal) : source.q;
    const V largest = Lanes::broadcast(threshold - 1);
    for (u32 j = 0; j < work.target_count; ++j) {
      const typename E::TargetPrime t(work.targets[j].p, work.most_bits);
      const V weight = Lanes::broadcast(work.targets[j].weights[1]);
      W* const out = work.out + work.targets[j].limb * work.stride;
      for (std::size_t c = 0; c < work.count; c += kTile) {
        unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
          const V a = load(work.a + c + I * kLanes);
          const V moved = (V)((typename Lanes::Signed)(largest - a) >> 63) & weight;
          store(out + c + I * kLanes, Lanes::reduce(t.reduced(a + moved), t.p));
        });
      }
    }
  }

  static void convert(const ConversionWork<W>& work) {
    if (is_shift(work)) return shift(work);
    alignas(64) u64 digits[kDigits];
    const std::size_t fitting = kDigits / (work.source_count + 1) / 32 * 32,
                      step = fitting < kMostBlock ? fitting : kMostBlock;
    for (std::size_t first = 0; first < work.count; first += step) {
      const std::size_t count = work.count - first < step ? work.count - first : step;
      take_digits(work, digits, first, count);
      for (u32 j = 0; j < work.target_count; ++j) { put_residues(work, work.targets[j], digits, first, count); }
    }
  }
};

}  // namespace ringfort::cpu::kernels
