// SPDX-License-Identifier: Apache-2.0
// Base conversion and division by dropped primes. A division by few primes converts one limb after the other, and takes the
// digits anew for each, since a limb that was just converted is still in the cache when it is transformed and subtracted;
// t^(-1) and t are factors of the constants.
#include "backend/cpu/convert.h"

#include "backend/cpu/conversion.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

template <class W>
void copy_common(const View& out, const View& a, std::size_t polynomial, u32 n) {
  const u32 first = std::max(out.first_limb, a.first_limb), end = std::min(out.first_limb + out.limbs, a.first_limb + a.limbs);
  if (first >= end) return;
  W* const to = words_at<W>(out, polynomial, first - out.first_limb);
  const W* const from = words_at<W>(a, polynomial, first - a.first_limb);
  if (to != from) std::memcpy(to, from, (end - first) * n * sizeof(W));
}

template <class W>
void convert_all(Stream s, const View& out, const View& a, Conversion kind, const ConversionConstants& constants) {
  const u32 n = prepared(out).plan.n;
  std::size_t ranges = 1;
  while (ranges * a.batch < s.threads && n / ranges > 256) ranges *= 2;
  for_items(s.threads, a.batch * ranges, [&](std::size_t item) {
    const std::size_t polynomial = item / ranges, first = item % ranges * (n / ranges);
    ConversionWork<W> work = work_of<W>(constants, a.limbs, kind, prepared(out));
    work.out = words_at<W>(out, polynomial, 0) + first;
    work.a = words_at<W>(a, polynomial, 0) + first;
    work.count = n / ranges;
    prepared(out).kernels<W>().convert(work);
    if (first == 0) copy_common<W>(out, a, polynomial, n);
  });
}

// out = (a - out) factor; a and out pass through the first-level cache in pieces.
template <class W>
void subtract_and_scale(const PreparedLimb<W>& limb, W* out, const W* a, u64 factor, std::size_t n) {
  constexpr std::size_t kPiece = 1024;
  const Factor<u64> scalar = make_factor(limb.constants, factor);
  for (std::size_t at = 0; at < n; at += kPiece) {
    const std::size_t count = std::min(kPiece, n - at);
    limb.kernels->sub(limb.constants, out + at, a + at, out + at, count);
    limb.kernels->multiply_scalar(limb.constants, out + at, out + at, scalar, count);
  }
}

// The dropped limbs in the coefficient domain.
template <class W>
View dropped_coefficients(Stream s, const ModDown& m) {
  View from = m.a;
  from.first_limb = m.dropped().first, from.limbs = m.dropped().count, from.pitch = static_cast<u32>(m.a.step());
  from.offset += std::size_t{from.first_limb - m.a.first_limb} * prepared(m.a).plan.n;
  if (m.domain == Domain::coefficient) return from;
  for_each_limb<W>(s, from, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    W* const copy = words_at<W>(m.scratch, p, l);
    std::memcpy(copy, words_at<W>(from, p, l), limb.constants.n * sizeof(W));
    limb.kernels->inverse(limb.constants, copy);
  });
  return m.scratch;
}

template <class W>
void divide_all(Stream s, const ModDown& m, const ConversionConstants& constants) {
  constexpr u32 kFew = 2;
  const Prepared& plan = prepared(m.out);
  const u32 n = plan.plan.n;
  const Limbs dropped = m.dropped();
  const View from = dropped_coefficients<W>(s, m);
  if (dropped.count > kFew) convert_all<W>(s, m.out, from, Conversion::centred, constants);
  for_each_limb<W>(s, m.out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    if (dropped.count <= kFew) {
      ConversionWork<W> work = work_of<W>(constants, dropped.count, Conversion::centred, plan);
      work.out = words_at<W>(m.out, p, 0);
      work.a = words_at<W>(from, p, 0);
      work.targets += l;
      work.target_count = 1;
      plan.kernels<W>().convert(work);
    }
    W* const out = words_at<W>(m.out, p, l);
    if (m.domain == Domain::evaluation) limb.kernels->forward(limb.constants, out);
    const W* const a = words_at<W>(m.a, p, m.out.first_limb - m.a.first_limb + l);
    subtract_and_scale(limb, out, a, plan.basis.product_inverse(dropped, m.out.first_limb + l), n);
  });
}

}  // namespace

Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept {
  if (!valid(out) || !valid(a) || !host::conversion_shapes(out, a)) return Status::internal;
  const Prepared& plan = prepared(out);
  if (!host::conversion_is_supported(plan.basis, host::limbs_of(a)) || out.limbs > kMostTargets) return Status::unsupported;
  ConversionConstants constants;
  fill(constants, plan.basis, host::limbs_of(a), host::limbs_of(out));
  if (plan.plan.word == Word::u32) convert_all<u32>(s, out, a, kind, constants);
  else convert_all<u64>(s, out, a, kind, constants);
  return Status::ok;
}

Status mod_down(Stream s, const ModDown& m) noexcept {
  if (!valid(m.out) || !valid(m.a) || !valid(m.scratch) || !host::mod_down_shapes(m)) return Status::internal;
  const Prepared& plan = prepared(m.out);
  if (!host::division_is_supported(plan.basis, m)) return Status::unsupported;
  ConversionConstants constants;
  fill(constants, plan.basis, m.dropped(), host::limbs_of(m.out), m.plain);
  if (plan.plan.word == Word::u32) divide_all<u32>(s, m, constants);
  else divide_all<u64>(s, m, constants);
  return Status::ok;
}

}  // namespace ringfort::cpu
