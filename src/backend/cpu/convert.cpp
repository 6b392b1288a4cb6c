// SPDX-License-Identifier: Apache-2.0
// Lifts, base conversion and division by dropped primes. A division by few primes converts one limb after the other, and takes the
// digits anew for each, since a limb that was just converted is still in the cache when it is transformed and subtracted;
// t^(-1) and t are factors of the constants.
#include "backend/cpu/convert.h"

#include "backend/cpu/conversion.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

template <class W>
void copy_common(const View& out, const View& a, std::size_t polynomial, u32 n) {
  const u32 first = std::max(out.limbs.first, a.limbs.first), end = std::min(out.limbs.end(), a.limbs.end());
  if (first >= end) return;
  W* const to = words_at<W>(out, polynomial, first - out.limbs.first);
  const W* const from = words_at<W>(a, polynomial, first - a.limbs.first);
  if (to != from) std::memcpy(to, from, (end - first) * n * sizeof(W));
}

template <class W>
void convert_all(Stream s, const View& out, const View& a, Conversion kind, const ConversionConstants& constants) {
  const u32 n = out.plan->n();
  std::size_t ranges = 1;
  while (ranges * a.batch < s.threads && n / ranges > 256) ranges *= 2;
  for_items(s.threads, a.batch * ranges, [&](std::size_t item) {
    const std::size_t polynomial = item / ranges, first = item % ranges * (n / ranges);
    ConversionWork<W> work = work_of<W>(constants, a.limbs.count, kind, prepared(out));
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
View dropped_coefficients(Stream s, const verb::ModDown& m) {
  const View from = m.a.in(m.dropped());
  if (m.domain == Domain::coefficient) return from;
  for_each_limb<W>(s, from, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    W* const copy = words_at<W>(m.scratch, p, l);
    std::memcpy(copy, words_at<W>(from, p, l), limb.constants.n * sizeof(W));
    limb.kernels->inverse(limb.constants, copy);
  });
  return m.scratch;
}

template <class W>
void divide_all(Stream s, const verb::ModDown& m, const ConversionConstants& constants) {
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
    const W* const a = words_at<W>(m.a, p, m.out.limbs.first - m.a.limbs.first + l);
    subtract_and_scale(limb, out, a, plan.basis.product_inverse(dropped, m.out.limbs.first + l), n);
  });
}

// One word of the constant is enough for one word: the quotient is short by at most one.
u64 residue_of(i64 value, const Modulus<u64>& q) noexcept {
  const u64 sign = static_cast<u64>(value >> 63), size = (static_cast<u64>(value) ^ sign) - sign;
  const u64 quotient = mulhi<u64>(size, static_cast<u64>(q.ratio() >> 64));
  const u64 residue = subtract_if_not_below<u64>(size - quotient * q.value(), q.value());
  return (residue & ~sign) | (q.negate(residue) & sign);
}

u64 residue_of(i128 value, const Modulus<u64>& q) noexcept { return q.reduce_signed(value); }

// By zero extension and shifts: cheap in every instruction set. Primes below 128 take the general way.
template <class W>
void lift_bytes(const i8* values, W q, W* words, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const W biased = static_cast<u8>(values[i] ^ -128);
    words[i] = static_cast<W>(biased - 128 + (q & static_cast<W>((biased >> 7) - 1)));
  }
}

// By itself, so that its code can be looked at (tests/tools/test_divisions.py).
template <class W, class I>
[[gnu::noinline]] void residues_into(const I* values, const Modulus<u64>& q, W* words, std::size_t n) noexcept {
  if constexpr (sizeof(I) == 1) {
    if (q.value() > 128) return lift_bytes(values, static_cast<W>(q.value()), words, n);
    for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<W>(residue_of(i64{values[i]}, q));
  } else {
    for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<W>(residue_of(values[i], q));
  }
}

template <class W>
void lift_all(Stream s, const verb::Lift& v) {
  const u32 n = v.to.plan->n();
  for_each_limb<W>(s, v.to, [&](const PreparedLimb<W>&, std::size_t p, u32 l) {
    host::with_integer(v.integer_bytes, [&]<class I>(I) {
      residues_into(static_cast<const I*>(v.integers) + p * n, v.to.plan->basis[v.to.limbs.first + l], words_at<W>(v.to, p, l), n);
    });
  });
}

}  // namespace

Status run(Stream s, const verb::Lift& v) noexcept {
  if (v.to.plan->plan.word == Word::u32) lift_all<u32>(s, v);
  else lift_all<u64>(s, v);
  return Status::ok;
}

Status run(Stream s, const verb::BaseConvert& v) noexcept {
  if (v.out.limbs.count > kMostTargets) return Status::unsupported;
  const Prepared& plan = prepared(v.out);
  ConversionConstants constants;
  fill(constants, plan.basis, v.a.limbs, v.out.limbs);
  if (plan.plan.word == Word::u32) convert_all<u32>(s, v.out, v.a, v.kind, constants);
  else convert_all<u64>(s, v.out, v.a, v.kind, constants);
  return Status::ok;
}

Status run(Stream s, const verb::ModDown& v) noexcept {
  const Prepared& plan = prepared(v.out);
  ConversionConstants constants;
  fill(constants, plan.basis, v.dropped(), v.out.limbs, v.plain);
  if (plan.plan.word == Word::u32) divide_all<u32>(s, v, constants);
  else divide_all<u64>(s, v, constants);
  return Status::ok;
}

}  // namespace ringfort::cpu
