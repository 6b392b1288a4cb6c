// SPDX-License-Identifier: Apache-2.0
// The verb mod_down_rescale of device `cpu`. It divides a by P, adds an addend, and divides the sum by Q. The primes of
// a are first the special primes, whose product is P, then the primes of the result y, and then the last primes, whose
// product is Q.
//
// The first quotient is x = (a - NTT(c)) / P + addend. Here c is the remainder of a modulo P, converted to the primes
// that are left. The result is y = (x - NTT(d)) / Q, where d is the remainder of x modulo Q, also converted. It follows
// that y = (a - NTT(c + P d)) / (P Q) + addend / Q. Therefore a limb of y needs only one transform. d depends only on x
// modulo the last primes. There, the coefficients of x are INTT(a / P + addend) - c / P. All steps are exact modulo
// each prime. Therefore the result is the same as after two separate divisions.
#include "backend/cpu/convert.h"
#include "backend/cpu/division.h"

namespace ringfort::cpu {

namespace {

// The conversion from the special primes (`first`), and the conversion from the last primes (`second`). Target number 0
// is the first limb of the result. The constants of `first` include the factor 1 / P for the last limbs. The constants
// of `second` include the factor P.
struct Divisors {
  Limbs special, last;
  ConversionConstants first, second;

  Divisors(const verb::ModDownRescale& m, const RnsBasis& basis) {
    special = {m.a.limbs.first, m.out.limbs.first - m.a.limbs.first};
    last = {m.out.limbs.end(), m.a.limbs.end() - m.out.limbs.end()};
    const Limbs kept = m.out.limbs;
    fill(first, basis, special, {kept.first, kept.count + last.count}, m.plain);
    fill(second, basis, last, kept, m.plain);
    for (u32 i = 0; i < last.count; ++i)
      multiply_target(first, basis, special, kept.count + i, last.first + i,
                      basis.product_inverse(special, last.first + i));
    for (u32 i = 0; i < kept.count; ++i)
      multiply_target(second, basis, last, i, kept.first + i, basis.product(special, kept.first + i));
  }
};

template <class W>
W* words_of(const View& view, std::size_t p, u32 limb) {
  return words_at<W>(view, p, limb - view.limbs.first);
}

template <class W>
const W* addend_of(const verb::ModDownRescale& m, std::size_t p, u32 limb) {
  return m.adds() && p < m.addend.batch ? words_of<W>(m.addend, p, limb) : nullptr;
}

// Computes the coefficients of a modulo the special primes, and writes them to the scratch memory. The other limbs of
// this memory are for c. If there are more than kFew special primes, one conversion later fills all the limbs for c.
// Then prepare_last() overwrites the last limbs with the coefficients of x.
template <class W>
void prepare_special(const verb::ModDownRescale& m, const Divisors& by, std::size_t p) {
  for (u32 i = by.special.first; i < by.special.end(); ++i) {
    coefficients_into(plan_of(m.out).limbs<W>()[i], words_of<W>(m.scratch, p, i), words_of<W>(m.a, p, i));
  }
}

// Computes the coefficients of x modulo the last primes.
template <class W>
void prepare_last(const verb::ModDownRescale& m, const Divisors& by, std::size_t p) {
  const CpuPlan& plan = plan_of(m.out);
  const std::size_t n = plan.plan.n;
  W* const x = words_of<W>(m.a, p, by.special.first);  // this limb is not needed after prepare_special()
  for (u32 i = by.last.first; i < by.last.end(); ++i) {
    const PreparedLimb<W>& limb = plan.limbs<W>()[i];
    W* const c = words_of<W>(m.scratch, p, i);
    if (by.special.count <= kFew) convert_limb(by.first, i - m.out.limbs.first, m.scratch.in(by.special), p, c);
    limb.kernels->multiply_scalar(limb.constants, x, words_of<W>(m.a, p, i),
                                  make_factor(limb.constants, plan.basis.product_inverse(by.special, i)), n);
    if (const W* const addend = addend_of<W>(m, p, i); addend != nullptr)
      limb.kernels->add(limb.constants, x, x, addend, n);
    limb.kernels->inverse(limb.constants, x);
    limb.kernels->subtract(limb.constants, c, x, c, n);
  }
}

// Returns the input of a transform. If `from` has one prime, the input consists of the words of this prime, and the
// transform converts them. If `from` has several primes, the input consists of the converted residues in `scratch`.
// This function computes the residues for up to kFew primes. For more than kFew primes, the caller must have computed
// them.
OneSource source_in(const ConversionConstants& constants, u32 j, const View& from, std::size_t p, u64* scratch) {
  if (from.limbs.count == 1) return source_of(constants.sources[0], constants.targets[j], words_at<u64>(from, p, 0));
  if (from.limbs.count <= kFew) convert_limb(constants, j, from, p, scratch);
  return as_they_are(scratch);
}

// Computes one limb of y.
template <class W>
void divide_limb(const verb::ModDownRescale& m, const Divisors& by, std::size_t p, u32 j) {
  const CpuPlan& plan = plan_of(m.out);
  const u32 number = m.out.limbs.first + j;
  const PreparedLimb<W>& limb = plan.limbs<W>()[number];
  const std::size_t n = plan.plan.n;
  const u64 of_last = plan.basis.product_inverse(by.last, number),
            of_both = plan.basis[number].multiply(plan.basis.product_inverse(by.special, number), of_last);
  const View special = m.scratch.in(by.special), last = m.scratch.in(by.last);
  const W* const addend = addend_of<W>(m, p, number);
  W *const out = words_of<W>(m.out, p, number), *const scratch = words_of<W>(m.scratch, p, number);
  Quotient<W> to{out, words_of<W>(m.a, p, number), addend, make_factor(limb.constants, of_both),
                 make_factor(limb.constants, of_last)};
  if constexpr (sizeof(W) == 8) {
    if (limb.kernels->forward_second_quotient != nullptr && plan.most_bits <= kMostShortBits) {
      const OneSource sources[] = {source_in(by.first, j, special, p, scratch), source_in(by.second, j, last, p, out)};
      return limb.kernels->forward_second_quotient(limb.constants, sources, out, to);
    }
  }
  if (special.limbs.count <= kFew) convert_limb(by.first, j, special, p, scratch);
  if (last.limbs.count <= kFew) convert_limb(by.second, j, last, p, out);
  limb.kernels->add(limb.constants, out, out, scratch, n);
  limb.kernels->forward(limb.constants, out);
  if (addend != nullptr) limb.kernels->multiply_scalar(limb.constants, scratch, addend, to.addend_factor, n);
  if (addend != nullptr) to.addend = scratch;
  write_quotients(limb, out, to, n);
}

template <class W>
void divide_all(Stream s, const verb::ModDownRescale& m, const Divisors& by) {
  const std::size_t batch = m.out.batch;  // the loop below runs over the polynomials of a limb, then over the limbs
  const Limbs rest{m.out.limbs.first, m.out.limbs.count + by.last.count};
  for_each_item(s.threads, batch, [&](std::size_t p, unsigned) { prepare_special<W>(m, by, p); });
  if (by.special.count > kFew)
    convert_all<W>(s, m.scratch.in(rest), m.scratch.in(by.special), Conversion::centred, by.first);
  for_each_item(s.threads, batch, [&](std::size_t p, unsigned) { prepare_last<W>(m, by, p); });
  if (by.last.count > kFew) convert_all<W>(s, m.out, m.scratch.in(by.last), Conversion::centred, by.second);
  for_each_item(s.threads, m.out.limbs.count * batch, [&](std::size_t item, unsigned) {
    divide_limb<W>(m, by, item % batch, static_cast<u32>(item / batch));
  });
}

}  // namespace

Status execute(Stream s, const verb::ModDownRescale& v) noexcept {
  const Divisors by(v, plan_of(v.out).basis);
  if (plan_of(v.out).plan.word == Word::u32) divide_all<u32>(s, v, by);
  else divide_all<u64>(s, v, by);
  return Status::ok;
}

}  // namespace ringfort::cpu
