// SPDX-License-Identifier: Apache-2.0
// Makes encryptions of zero for CKKS, BFV and BGV (sample.h).
#include "rlwe/sample.h"

namespace ringfort {

void upload_small(const Ring& ring, Slice<Coeff> to, std::span<const i8> coefficients, Workspace& work) {
  ring.lift(work.stream, to, coefficients);
}

Poly<Eval> load_small(const Ring& ring, Limbs limbs, std::span<const i8> coefficients, Workspace& work) {
  auto poly = ring.make_secret<Coeff>(1, limbs);
  upload_small(ring, poly.all(), coefficients, work);
  return ring.forward(work.stream, std::move(poly));
}

// Writes the small polynomial of an address to `poly`. For the purpose encryption_r, it is ternary. For all other
// purposes, it is an error times f.
void ZeroSampler::draw(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const {
  const bool ternary = address.purpose == Purpose::encryption_r;
  if (ternary) sample_ternary(seed, address, work_.small.span());
  else sample_cbd21(seed, address, work_.small.span());
  upload_small(ring_, poly, work_.small.span(), work_);
  if (!ternary && factor_ != 1) ring_.multiply_scalar(work_.stream, poly, poly, factor_);
}

Slice<Eval> ZeroSampler::small(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const {
  draw(poly, seed, address);
  return ring_.forward(work_.stream, std::move(poly));
}

std::vector<u64> ZeroSampler::inverses(u32 of, Limbs in) const {
  std::vector<u64> inverses;
  for (u32 limb = in.first; limb < in.end(); ++limb) inverses.push_back(ring_.basis().inverse(of, limb));
  return inverses;
}

void ZeroSampler::under_secret(Slice<Eval> row, Slice<Eval> secret, const SampleSeeds& seeds, u16 digit) const {
  const Slice<Eval> c0 = row.polynomials(0, 1), c1 = row.polynomials(1, 1);
  const Scratch<Coeff> sample = work_.allocate_secret<Coeff>(1, row.limbs());
  const Slice<Eval> sum = small(sample.all(), seeds.hidden, {.purpose = Purpose::error_0, .digit = digit});
  ring_.expand_uniform(work_.stream, c1, seeds.open, 0, digit);
  ring_.negate(work_.stream, sum, sum);
  ring_.multiply_add(work_.stream, sum, c1, secret);  // the product is never in memory without its error
  ring_.negate(work_.stream, c0, sum);
}

void ZeroSampler::under_public(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const {
  const Slice<Eval> c0 = row.polynomials(0, 1), c1 = row.polynomials(1, 1);
  const Scratch<Coeff> randomness = work_.allocate_secret<Coeff>(1, row.limbs()),
                       sample = work_.allocate_secret<Coeff>(1, row.limbs());
  const Slice<Eval> r = small(randomness.all(), hidden, {.purpose = Purpose::encryption_r});
  const auto write_component = [&](Slice<Eval> to, Slice<Eval> factor, Purpose purpose) {
    const Slice<Eval> sum = small(sample.all(), hidden, {.purpose = purpose});
    ring_.multiply_add(work_.stream, sum, factor, r);  // the product is never in memory without its error
    ring_.copy(work_.stream, to, sum);
  };
  write_component(c0, key.polynomials(0, 1), Purpose::error_0);
  write_component(c1, key.polynomials(1, 1), Purpose::error_1);
}

// Let k be a component of the key, and e its error times f. mod_down of r k + e needs only u, the coefficients of
// r k + e modulo p. Therefore the products modulo the primes of `row` are never transformed back. mod_down of the
// polynomial e, with u in place of its residues modulo p, returns (e - t conv(u)) / p in the coefficient domain, where
// one transform suffices. Adding (r / p) k gives the words of mod_down of r k + e. For l data primes, this takes
// 3 l + 3 transforms. r k + e in the evaluation domain and then mod_down would take 5 l + 5.
void ZeroSampler::under_public_divided(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const {
  const Limbs all = key.limbs(), data = row.limbs(), dropped{all.first, all.count - data.count};
  const Scratch<Coeff> randomness = work_.allocate_secret<Coeff>(1, all), error = work_.allocate_secret<Coeff>(1, all),
                       quotient = work_.allocate_secret<Coeff>(1, data);
  const Scratch<Eval> product = work_.allocate_secret<Eval>(1, dropped);
  const Slice<Eval> r = small(randomness.all(), hidden, {.purpose = Purpose::encryption_r});
  const Slice<Eval> divided_r = r.limbs(data);
  const auto write_component = [&](u32 i, Purpose purpose) {
    const Slice<Eval> component = key.polynomials(i, 1);
    draw(error.all(), hidden, {.purpose = purpose});
    ring_.multiply(work_.stream, product.all(), component.limbs(dropped), r.limbs(dropped));
    const Slice<Coeff> u = error.all().limbs(dropped), scratch = ring_.inverse(work_.stream, product.all());
    ring_.add(work_.stream, u, u, scratch);
    ring_.mod_down(work_.stream, quotient.all(), error.all(), scratch, factor_);
    const Slice<Eval> sum = ring_.forward(work_.stream, quotient.all());
    ring_.multiply_add(work_.stream, sum, component.limbs(data), divided_r);
    ring_.copy(work_.stream, row.polynomials(i, 1), sum);
  };
  ring_.multiply_scalar(work_.stream, divided_r, divided_r, inverses(dropped.first, data));
  write_component(0, Purpose::error_0);
  write_component(1, Purpose::error_1);
}

}  // namespace ringfort
