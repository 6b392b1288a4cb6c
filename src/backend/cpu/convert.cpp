// SPDX-License-Identifier: Apache-2.0
// Base conversion: its constants are made here from the plan's table of inverses, l^2 products for l source limbs and 3 l for a
// target: little beside n of either, and no table for every pair of runs. Evaluation order is a bit-reversed one, in which
// an automorphism moves aligned blocks as a whole and permutes them inside by one of a few patterns.
#include "backend/cpu/convert.h"

#include <bit>

#include "backend/cpu/kernels/convert.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

u32 reversed(u32 value, u32 bits) {
  u32 result = 0;
  for (u32 i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

template <class W>
void substitute_coefficients(W* out, const W* a, u32 n, u32 galois, W q) {
  u32 place = 0;                                         // i galois mod 2n
  for (u32 i = 0; i < n; ++i, place = (place + galois) & (2 * n - 1)) {
    const W negative = mask_if<W>(place >= n);
    out[place & (n - 1)] = static_cast<W>((a[i] & static_cast<W>(~negative)) | (negate_mod<W>(a[i], q) & negative));
  }
}

// Place j holds the value at psi^e, e = 2 reversed(j) + 1; it becomes the one at psi^(e galois). With j = block 2^k + inner, the
// lower bits of e come from the block alone and `inner`, reversed, counts in steps of 2n / 2^k.
template <class W>
void substitute_evaluations(W* out, const W* a, u32 n, u32 galois) {
  const u32 log_n = static_cast<u32>(std::countr_zero(n)), k = std::min(log_n, 3u), size = 1u << k, upper = log_n - k;
  u8 pattern[8][8];                                      // for each start, counted in these steps
  for (u32 start = 0; start < size; ++start) {
    for (u32 inner = 0; inner < size; ++inner) {
      pattern[start][inner] = static_cast<u8>(reversed((start + reversed(inner, k) * galois) & (size - 1), k));
    }
  }
  for (u32 block = 0; block < n >> k; ++block) {
    const u32 power = (2 * reversed(block, upper) + 1) * galois & (2 * n - 1);
    const u8* const places = pattern[power >> (upper + 1)];
    const W* const from = a + (std::size_t{reversed(power >> 1 & ((1u << upper) - 1), upper)} << k);
    for (u32 inner = 0; inner < size; ++inner) out[(std::size_t{block} << k) + inner] = from[places[inner]];
  }
}

struct Constants {
  ConversionSource sources[kMostSources];
  ConversionTarget targets[kMostTargets];
  u64 weights[kMostSources * kMostTargets];
  u32 target_count = 0;
};

void fill(Constants& c, const RnsBasis& basis, Limbs from, Limbs to) {
  for (u32 i = 0; i < from.count; ++i) {
    const Modulus<u64>& q = basis[from.first + i];
    const u64 inverse = basis.punctured_inverse(from, from.first + i);
    c.sources[i] = {q.value(), q.bits(), {inverse, static_cast<u64>((u128{inverse} << 64) / q.value())}, basis.fraction(from.first + i)};
  }
  for (u32 j = 0; j < to.count; ++j) {
    const u32 limb = to.first + j;
    if (limb >= from.first && limb < from.end()) continue;             // copied
    u64* const weights = c.weights + std::size_t{c.target_count} * from.count;
    basis.punctured_products(from, limb, {weights, from.count});
    c.targets[c.target_count++] = {basis[limb].value(), basis[limb].negate(basis.product(from, limb)), j, weights};
  }
}

template <class W>
void copy_common(const View& out, const View& a, std::size_t polynomial, u32 n) {
  const u32 first = std::max(out.first_limb, a.first_limb), end = std::min(out.first_limb + out.limbs, a.first_limb + a.limbs);
  if (first >= end) return;
  W* const to = words_at<W>(out, polynomial, first - out.first_limb);
  const W* const from = words_at<W>(a, polynomial, first - a.first_limb);
  if (to != from) std::memcpy(to, from, (end - first) * n * sizeof(W));
}

template <class W>
void convert_all(Stream s, const View& out, const View& a, Conversion kind, const Constants& constants) {
  const u32 n = prepared(out).plan.n;
  std::size_t ranges = 1;
  while (ranges * a.batch < s.threads && n / ranges > 256) ranges *= 2;
  for_items(s.threads, a.batch * ranges, [&](std::size_t item) {
    const std::size_t polynomial = item / ranges, first = item % ranges * (n / ranges);
    ConversionWork<W> work;
    work.out = words_at<W>(out, polynomial, 0) + first;
    work.a = words_at<W>(a, polynomial, 0) + first;
    work.stride = n;
    work.count = n / ranges;
    work.sources = constants.sources;
    work.targets = constants.targets;
    work.source_count = a.limbs;
    work.target_count = constants.target_count;
    work.corrected = kind != Conversion::approximate;
    work.rounding = kind == Conversion::centred ? u64{1} << 55 : 0;
    generic::convert(work);
    if (first == 0) copy_common<W>(out, a, polynomial, n);
  });
}

}  // namespace

Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept {
  if (!valid(out) || !valid(a) || !host::automorphism_shapes(out, a, galois, prepared(out).plan.n)) return Status::internal;
  const u32 n = prepared(out).plan.n;
  with_word(prepared(out).plan.word, [&]<class W>(W) {
    for_each_limb<W>(s, out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
      W* const to = words_at<W>(out, p, l);
      const W* const from = words_at<W>(a, p, l);
      if (domain == Domain::evaluation) substitute_evaluations(to, from, n, galois);
      else substitute_coefficients(to, from, n, galois, static_cast<W>(limb.constants.q));
    });
  });
  return Status::ok;
}

Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept {
  if (!valid(out) || !valid(a) || !host::conversion_shapes(out, a)) return Status::internal;
  const Prepared& plan = prepared(out);
  if (!host::conversion_is_supported(plan.basis, host::limbs_of(a)) || out.limbs > kMostTargets) return Status::unsupported;
  Constants constants;
  fill(constants, plan.basis, host::limbs_of(a), host::limbs_of(out));
  if (plan.plan.word == Word::u32) convert_all<u32>(s, out, a, kind, constants);
  else convert_all<u64>(s, out, a, kind, constants);
  return Status::ok;
}

}  // namespace ringfort::cpu
