// SPDX-License-Identifier: Apache-2.0
// mod_down_rescale by one special prime P and one last prime p. With x = (a - NTT(c)) / P + addend and y = (x - NTT(d)) / p, where c and d
// are conversions: y = (a - NTT(c + P d)) / (P p) + addend / p, so that a limb of y takes one transform, and d comes from the last limb of
// x alone, whose coefficients are INTT(a / P + addend) - c / P. All are exact modulo a prime: the bits are those of the two divisions.
#include "backend/cpu/conversion.h"
#include "backend/cpu/convert.h"
#include "backend/cpu/division.h"

namespace ringfort::cpu {

namespace {

// Limbs of the plan; with t = plain, t^(-1) modulo either prime.
struct Divisors {
  u32 special, last;
  u64 plain, special_inverse, last_inverse;

  Divisors(const verb::ModDownRescale& m, const RnsBasis& basis) : special(m.a.limbs.first), last(m.out.limbs.end()), plain(m.plain) {
    special_inverse = inverse_of(basis[special]);
    last_inverse = inverse_of(basis[last]);
  }
  [[nodiscard]] u64 inverse_of(const Modulus<u64>& q) const { return plain == 1 ? 1 : q.inverse(q.reduce(plain)); }
};

template <class W>
W* words_of(const View& view, std::size_t p, u32 limb) {
  return words_at<W>(view, p, limb - view.limbs.first);
}

template <class W>
const W* addend_of(const verb::ModDownRescale& m, std::size_t p, u32 limb) {
  return m.adds() && p < m.addend.batch ? words_of<W>(m.addend, p, limb) : nullptr;
}

// The coefficients that are converted: those of the special prime, then those of x in the last limb, each where the scratch memory has the limb.
template <class W>
void prepare_sources(const verb::ModDownRescale& m, const Divisors& by, std::size_t p) {
  const Prepared& plan = prepared(m.out);
  const PreparedLimb<W>& limb = plan.limbs<W>()[by.last];
  const std::size_t n = plan.plan.n;
  W *const special = words_of<W>(m.scratch, p, by.special), *const x = words_of<W>(m.scratch, p, by.last), *const c = words_of<W>(m.a, p, by.special);
  coefficients_into(plan.limbs<W>()[by.special], special, c);
  const Modulus<u64>& q = plan.basis[by.last];
  const u64 inverse = plan.basis.inverse(by.special, by.last);
  limb.kernels->multiply_scalar(limb.constants, x, words_of<W>(m.a, p, by.last), make_factor(limb.constants, inverse), n);
  if (const W* const addend = addend_of<W>(m, p, by.last); addend != nullptr) limb.kernels->add(limb.constants, x, x, addend, n);
  limb.kernels->inverse(limb.constants, x);
  const OneConversion conversion(plan.basis, by.special, by.last, {by.special_inverse, q.multiply(q.reduce(by.plain), inverse)});
  conversion.run(plan, c, special);                       // the special limb of `a` is free
  limb.kernels->sub(limb.constants, x, x, c, n);
}

template <class W>
void divide_limb(const verb::ModDownRescale& m, const Divisors& by, std::size_t p, u32 number) {
  const Prepared& plan = prepared(m.out);
  const PreparedLimb<W>& limb = plan.limbs<W>()[number];
  const RnsBasis& basis = plan.basis;
  const Modulus<u64>& q = basis[number];
  const u64 plain = q.reduce(by.plain), of_last = basis.inverse(by.last, number), of_both = q.multiply(basis.inverse(by.special, number), of_last);
  const OneConversion first(basis, by.special, number, {by.special_inverse, plain});
  const OneConversion second(basis, by.last, number, {by.last_inverse, q.multiply(plain, q.reduce(basis[by.special].value()))});
  const W *const special = words_of<W>(m.scratch, p, by.special), *const last = words_of<W>(m.scratch, p, by.last), *const addend = addend_of<W>(m, p, number);
  W *const out = words_of<W>(m.out, p, number), *const room = words_of<W>(m.scratch, p, number);
  Quotient<W> to{out, words_of<W>(m.a, p, number), addend, make_factor(limb.constants, of_both), make_factor(limb.constants, of_last)};
  if constexpr (sizeof(W) == 8) {
    if (limb.kernels->forward_second_quotient != nullptr && plan.most_bits <= kMostShortBits) {
      const OneSource sources[] = {first.source(special), second.source(last)};
      return limb.kernels->forward_second_quotient(limb.constants, sources, out, to);
    }
  }
  first.run(plan, out, special);
  second.run(plan, room, last);
  limb.kernels->add(limb.constants, out, out, room, plan.plan.n);
  limb.kernels->forward(limb.constants, out);
  if (addend != nullptr) limb.kernels->multiply_scalar(limb.constants, room, addend, to.addend_factor, plan.plan.n);
  if (addend != nullptr) to.addend = room;
  put_quotients(limb, out, to, plan.plan.n);
}

template <class W>
void divide_all(Stream s, const verb::ModDownRescale& m) {
  const Divisors by(m, prepared(m.out).basis);
  const std::size_t batch = m.out.batch;                 // limb after limb: its tables serve all polynomials
  for_items(s.threads, batch, [&](std::size_t p) { prepare_sources<W>(m, by, p); });
  for_items(s.threads, m.out.limbs.count * batch, [&](std::size_t item) { divide_limb<W>(m, by, item % batch, m.out.limbs.first + static_cast<u32>(item / batch)); });
}

}  // namespace

bool fuses(const verb::ModDownRescale& v) noexcept { return v.out.limbs.first == v.a.limbs.first + 1 && v.out.limbs.end() + 1 == v.a.limbs.end(); }

Status run(Stream s, const verb::ModDownRescale& v) noexcept {
  if (prepared(v.out).plan.word == Word::u32) divide_all<u32>(s, v);
  else divide_all<u64>(s, v);
  return Status::ok;
}

}  // namespace ringfort::cpu
