// SPDX-License-Identifier: Apache-2.0
// Lifts of integers, base conversions and divisions by dropped primes (Lift, BaseConvert and ModDown of
// backend/verbs.h). A division by few primes processes one target limb at a time. It converts, transforms and subtracts
// while this limb is in the cache. For this it computes the values v_i of BaseConvert again for each target limb. If t,
// the modulus of BGV's plaintexts, is not 1, the constants include the factors t^(-1) and t.
#include "backend/cpu/convert.h"

#include "backend/cpu/conversion.h"
#include "backend/cpu/division.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

// Returns the dropped limbs in the coefficient domain.
template <class W>
View dropped_coefficients(Stream s, const verb::ModDown& m) {
  const View from = m.a.in(m.dropped());
  if (m.domain == Domain::coefficient) return from;
  for_each_limb<W>(s, from, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    coefficients_into(limb, words_at<W>(m.scratch, p, l), words_at<W>(from, p, l));
  });
  return m.scratch;
}

// Divides one limb. In the evaluation domain, the transform also computes the quotient, if two conditions hold: the
// limb has the kernel forward_quotient, and all primes of the plan have at most kMostShortBits bits. If, in addition,
// there is one dropped prime, and words have 64 bits, the transform also computes the conversion.
template <class W>
void divide_limb(const verb::ModDown& m, const View& from, const ConversionConstants& constants, std::size_t p, u32 l) {
  const CpuPlan& plan = plan_of(m.out);
  const u32 number = m.out.limbs.first + l;
  const PreparedLimb<W>& limb = plan.limbs<W>()[number];
  W* const t = words_at<W>(m.out, p, l);
  Quotient<W> to{words_at<W>(m.quotient(), p, l), words_at<W>(m.a.in(m.out.limbs), p, l), nullptr,
                 make_factor(limb.constants, plan.basis.product_inverse(from.limbs, number))};
  if (m.adds() && p < m.addend.batch) to.addend = words_at<W>(m.addend, p, l);
  const bool evaluation = m.domain == Domain::evaluation,
             whole = evaluation && limb.kernels->forward_quotient != nullptr && plan.most_bits <= kMostShortBits;
  OneSource source;
  if constexpr (sizeof(W) == 8) {
    if (whole && from.limbs.count == 1)
      source = source_of(constants.sources[0], constants.targets[l], words_at<W>(from, p, 0));
  }
  if (source.words == nullptr && from.limbs.count <= kFew) convert_limb(constants, l, from, p, t);
  if (whole) {
    limb.kernels->forward_quotient(limb.constants, source.words == nullptr ? nullptr : &source, t, to);
  } else {
    if (evaluation) limb.kernels->forward(limb.constants, t);
    write_quotients(limb, t, to, plan.plan.n);
  }
  if (m.galois != 1) automorphism(limb, plan, t, to.out, {m.domain, m.galois});
}

template <class W>
void divide_all(Stream s, const verb::ModDown& m, const ConversionConstants& constants) {
  const View from = dropped_coefficients<W>(s, m);
  if (from.limbs.count > kFew) convert_all<W>(s, m.out, from, Conversion::centred, constants);
  const std::size_t batch = m.out.batch;  // first all polynomials of one limb, which use the same tables
  for_each_item(s.threads, m.out.limbs.count * batch, [&](std::size_t item, unsigned) {
    divide_limb<W>(m, from, constants, item % batch, static_cast<u32>(item / batch));
  });
}

// Returns the value modulo q. The division by q is a product with the upper word of floor(2^128 / q), Barrett's
// constant. Because the value has one word, the quotient is too small by at most 1.
u64 residue_of(i64 value, const Modulus<u64>& q) noexcept {
  const u64 sign = static_cast<u64>(value >> 63), size = (static_cast<u64>(value) ^ sign) - sign;
  const u64 quotient = mulhi<u64>(size, static_cast<u64>(q.ratio() >> 64));
  const u64 residue = subtract_if_not_below<u64>(size - quotient * q.value(), q.value());
  return (residue & ~sign) | (q.negate(residue) & sign);
}

u64 residue_of(i128 value, const Modulus<u64>& q) noexcept { return q.reduce_signed(value); }

// Not inlined, because tests/tools/test_divisions.py inspects the machine code of this function.
template <class W, class I>
[[gnu::noinline]] void residues_into(const I* values, const Modulus<u64>& q, W* words, std::size_t n) noexcept {
  using Wide = std::conditional_t<sizeof(I) == 1, i64, I>;
  for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<W>(residue_of(Wide{values[i]}, q));
}

template <class W>
void lift_all(Stream s, const verb::Lift& v) {
  const u32 n = v.to.plan->n();
  const PlanKernels<W>& kernels = plan_of(v.to).kernels<W>();
  for_each_limb<W>(s, v.to, [&](const PreparedLimb<W>&, std::size_t p, u32 l) {
    host::with_integer(v.integer_bytes, [&]<class I>(I) {
      const I* const integers = static_cast<const I*>(v.integers) + p * n;
      const Modulus<u64>& q = v.to.plan->basis[v.to.limbs.first + l];
      if constexpr (std::is_same_v<I, i64>) {
        if (kernels.lift != nullptr)
          return kernels.lift(words_at<W>(v.to, p, l), integers, q.value(), static_cast<u64>(q.ratio() >> 64), n);
      }
      if constexpr (sizeof(I) == 1) {
        if (q.value() > 128) return kernels.lift_bytes(words_at<W>(v.to, p, l), integers, static_cast<W>(q.value()), n);
      }
      residues_into(integers, q, words_at<W>(v.to, p, l), n);
    });
  });
}

}  // namespace

Status execute(Stream s, const verb::Lift& v) noexcept {
  if (v.to.plan->plan.word == Word::u32) lift_all<u32>(s, v);
  else lift_all<u64>(s, v);
  return Status::ok;
}

Status execute(Stream s, const verb::BaseConvert& v) noexcept {
  if (v.out.limbs.count > kMostTargets) return Status::unsupported;
  const CpuPlan& plan = plan_of(v.out);
  ConversionConstants constants;
  fill(constants, plan.basis, v.a.limbs, v.out.limbs);
  if (plan.plan.word == Word::u32) convert_all<u32>(s, v.out, v.a, v.kind, constants);
  else convert_all<u64>(s, v.out, v.a, v.kind, constants);
  return Status::ok;
}

Status execute(Stream s, const verb::ModDown& v) noexcept {
  const CpuPlan& plan = plan_of(v.out);
  ConversionConstants constants;
  fill(constants, plan.basis, v.dropped(), v.out.limbs, v.plain);
  if (plan.plan.word == Word::u32) divide_all<u32>(s, v, constants);
  else divide_all<u64>(s, v, constants);
  return Status::ok;
}

}  // namespace ringfort::cpu
