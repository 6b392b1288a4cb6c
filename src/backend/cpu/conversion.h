// SPDX-License-Identifier: Apache-2.0
// Constants of the base conversions of device `cpu`. verb::BaseConvert (backend/verbs.h) has the formula and its names.
// A verb that converts computes the constants when it runs, from the plan's table of inverses. For l source limbs, this
// takes about l^2 products, and 4 l products for each target limb. The constants are not stored, because a conversion
// of n coefficients takes many more products.
#pragma once

#include "backend/cpu/plan.h"

namespace ringfort::cpu {

inline constexpr u64 kHalf = u64{1} << 55;  // 1/2 in the unit of F; centred conversions add it

struct ConversionConstants {
  ConversionSource sources[kMostSources];
  ConversionTarget targets[kMostTargets];
  u64 weights[(kMostSources + 1) * kMostTargets];
  u32 target_count = 0;
};

// Returns the companion of a factor: floor(value 2^64 / q), with which a product by `value` needs no division.
inline u64 conversion_companion(u64 value, u64 q) { return static_cast<u64>((u128{value} << 64) / q); }

// Computes the constants of plain * base_convert(a plain^(-1)). `plain` is the modulus of BGV's plaintexts, or 1 for
// other schemes. Limbs of `to` that are also in `from` get no constants, because these limbs are copied.
inline void fill(ConversionConstants& c, const RnsBasis& basis, Limbs from, Limbs to, u64 plain = 1) {
  for (u32 i = 0; i < from.count; ++i) {
    const Modulus<u64>& q = basis[from.first + i];
    const u64 inverse =
        q.multiply(basis.punctured_inverse(from, from.first + i), plain == 1 ? 1 : q.inverse(q.reduce(plain)));
    c.sources[i] = {
        q.value(), q.bits(), {inverse, conversion_companion(inverse, q.value())}, basis.fraction(from.first + i)};
  }
  for (u32 j = 0; j < to.count; ++j) {
    const u32 limb = to.first + j;
    if (limb >= from.first && limb < from.end()) continue;
    const Modulus<u64>& p = basis[limb];
    u64* const weights = c.weights + std::size_t{c.target_count} * (from.count + 1);
    basis.punctured_products(from, limb, {weights, from.count});
    weights[from.count] = p.negate(basis.product(from, limb));
    if (plain != 1) {
      for (u32 i = 0; i <= from.count; ++i) weights[i] = p.multiply(weights[i], p.reduce(plain));
    }
    c.targets[c.target_count++] = {p.value(), j, weights};
  }
}

// Changes the constants so that the results of the conversion to target j are multiplied by `factor`. `limb`: the limb
// of target j.
inline void multiply_target(ConversionConstants& c, const RnsBasis& basis, Limbs from, u32 j, u32 limb, u64 factor) {
  u64* const weights = c.weights + std::size_t{j} * (from.count + 1);
  for (u32 i = 0; i <= from.count; ++i) weights[i] = basis[limb].multiply(weights[i], factor);
}

// Returns the centred conversion from one prime to a target. The companions of its factors are for the 52-bit
// multiplier (OneSource in kernels/limb.h).
inline OneSource source_of(const ConversionSource& from, const ConversionTarget& to, const u64* words) {
  const u128 least = u128{(u64{1} << 56) - kHalf} << (7 + from.bits);  // k is 1 if v reciprocal >= least
  const auto factor = [](u64 value, u64 q) { return Factor<u64>{value, static_cast<u64>((u128{value} << 52) / q)}; };
  return {words,
          from.q,
          static_cast<u64>((least + from.reciprocal - 1) / from.reciprocal) - 1,
          to.weights[1],
          factor(from.inverse.value, from.q),
          factor(to.weights[0], to.p)};
}

// Returns the centred conversion from limb `from` to limb `to`. Needs no prepared constants.
inline OneSource source_of(const RnsBasis& basis, u32 from, u32 to, const u64* words) {
  const u64 q = basis[from].value(), weights[] = {1, basis[to].negate(basis[to].reduce(q))};
  return source_of({q, basis[from].bits(), {1, 0}, basis.fraction(from)}, {basis[to].value(), 0, weights}, words);
}

// Returns a conversion that changes nothing. It is for words that are already residues modulo the target.
inline OneSource as_they_are(const u64* words) {
  return {.words = words, .largest = ~u64{0} >> 1, .inverse = {.value = 1}, .weight = {.value = 1}};
}

template <class W>
ConversionWork<W> work_of(const ConversionConstants& constants, u32 sources, Conversion kind, const CpuPlan& plan) {
  ConversionWork<W> work;
  work.stride = work.count = plan.plan.n;
  work.most_bits = plan.most_bits;
  work.sources = constants.sources;
  work.targets = constants.targets;
  work.source_count = sources;
  work.target_count = constants.target_count;
  work.corrected = kind != Conversion::approximate;
  work.rounding = kind == Conversion::centred ? kHalf : 0;
  return work;
}

}  // namespace ringfort::cpu
