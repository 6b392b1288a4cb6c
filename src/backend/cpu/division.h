// SPDX-License-Identifier: Apache-2.0
// Functions that the verbs ModDown and ModDownRescale (backend/verbs.h) share: conversions of coefficients, and
// quotients. Both verbs divide by dropped primes, which are the primes of limbs that the result lacks.
#pragma once

#include "backend/cpu/conversion.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

// A transform can also compute the quotient, or a conversion, only if all primes of the plan have at most this many
// bits.
inline constexpr u32 kMostShortBits = 50;

inline constexpr u32 kFew = 2;  // if at most kFew primes are dropped, one target limb is converted at a time

// Copies the limbs that both views have.
template <class W>
void copy_common(const View& out, const View& a, std::size_t polynomial, u32 n) {
  const u32 first = std::max(out.limbs.first, a.limbs.first), end = std::min(out.limbs.end(), a.limbs.end());
  if (first >= end) return;
  W* const to = words_at<W>(out, polynomial, first - out.limbs.first);
  const W* const from = words_at<W>(a, polynomial, first - a.limbs.first);
  if (to != from) std::memcpy(to, from, (end - first) * n * sizeof(W));
}

// Converts all polynomials of `a` to all target limbs. Copies the limbs that `a` and `out` have in common.
template <class W>
void convert_all(Stream s, const View& out, const View& a, Conversion kind, const ConversionConstants& constants) {
  const u32 n = out.plan->n();
  std::size_t ranges = 1;
  while (ranges * a.batch < s.threads && n / ranges > 256) ranges *= 2;
  for_each_item(s.threads, a.batch * ranges, [&](std::size_t item, unsigned) {
    const std::size_t polynomial = item / ranges, first = item % ranges * (n / ranges);
    ConversionWork<W> work = work_of<W>(constants, a.limbs.count, kind, plan_of(out));
    work.out = words_at<W>(out, polynomial, 0) + first;
    work.a = words_at<W>(a, polynomial, 0) + first;
    work.count = n / ranges;
    plan_of(out).kernels<W>().convert(work);
    if (first == 0) copy_common<W>(out, a, polynomial, n);
  });
}

// Converts one polynomial to target limb j of the constants.
template <class W>
void convert_limb(const ConversionConstants& constants, u32 j, const View& from, std::size_t p, W* out) {
  ConversionTarget target = constants.targets[j];
  target.limb = 0;
  ConversionWork<W> work = work_of<W>(constants, from.limbs.count, Conversion::centred, plan_of(from));
  work.out = out;
  work.a = words_at<W>(from, p, 0);
  work.targets = &target;
  work.target_count = 1;
  plan_of(from).kernels<W>().convert(work);
}

// Computes coefficients from the evaluations `a`, and writes them to `out`.
template <class W>
void coefficients_into(const PreparedLimb<W>& limb, W* out, const W* a) {
  if (limb.kernels->inverse_of != nullptr) return limb.kernels->inverse_of(limb.constants, out, a);
  std::memcpy(out, a, limb.constants.n * sizeof(W));
  limb.kernels->inverse(limb.constants, out);
}

// Writes the quotients (a - t) factor + addend. Works in pieces that stay in L1. Runs no transform: t is already
// transformed.
template <class W>
void write_quotients(const PreparedLimb<W>& limb, const W* t, const Quotient<W>& to, std::size_t n) {
  constexpr std::size_t kTile = 1024;
  for (std::size_t at = 0; at < n; at += kTile) {
    const std::size_t count = std::min(kTile, n - at);
    W* const out = to.out + at;
    limb.kernels->subtract(limb.constants, out, to.a + at, t + at, count);
    limb.kernels->multiply_scalar(limb.constants, out, out, to.factor, count);
    if (to.addend != nullptr) limb.kernels->add(limb.constants, out, out, to.addend + at, count);
  }
}

}  // namespace ringfort::cpu
