// SPDX-License-Identifier: Apache-2.0
// The code of BFV that differs from BGV (policy.h). Let t be the modulus of plaintexts, Q the modulus of a ciphertext,
// and n the ring degree. A product of ciphertexts is also computed modulo additional primes (multiply.cpp). B is the
// product of these primes.
#include "scheme/bfv/policy.h"

#include <algorithm>
#include <cmath>

#include "math/prime.h"
#include "math/rns.h"

namespace ringfort::integers {

namespace {

using Bfv = Policy<bfv::Scheme>;

constexpr u32 kShortForm = 1u << 16;
constexpr double kMostProductsBits = 20;
// The additional primes have a product B of at least 2^kMarginBits t n Q. The product of two ciphertexts, after its
// division by Q / t, is at most t n Q / 2 in magnitude.
constexpr double kMarginBits = 2;

double log2_of(const std::vector<u64>& primes) {
  double sum = 0;
  for (const u64 q : primes) sum += std::log2(static_cast<double>(q));
  return sum;
}

// Returns the bit length of each additional prime.
u32 auxiliary_bits(const ChainParameters& chain) {
  u64 longest = 0;
  for (const std::vector<u64>* primes : {&chain.data, &chain.special}) {
    for (const u64 q : *primes) longest = std::max(longest, q);
  }
  return std::clamp(bit_length(longest), 20u, 61u);
}

double log2_modulus(const IntegerRing& ring, u32 level) { return ring.log2_modulus(ring.base().chain.data(level)); }

// Returns log2(4 t n Q), the least value that log2 B may have.
double needed_bits(const KeyContext::State& c, u32 level, u64 t) {
  return c.ring.basis().log2_product(c.chain.data(level)) + std::log2(static_cast<double>(t)) +
         std::log2(static_cast<double>(c.p.n)) + kMarginBits;
}

// Returns log2 of the least product that the auxiliary primes must have. The special primes also belong to the
// additional primes of a product. Therefore log2 of their product is subtracted from log2(4 t n Q) of the top level.
double extension_bits(const ChainParameters& chain, u64 t) {
  return log2_of(chain.data) + std::log2(static_cast<double>(t)) + std::log2(static_cast<double>(chain.n)) +
         kMarginBits - log2_of(chain.special);
}

bfv::NoiseGrowth bounds(const IntegerRing& ring) { return {ring.base().p.n, ring.t}; }

}  // namespace

std::size_t Bfv::auxiliary_primes(const ChainParameters& chain, u64 t) {
  const double count = std::ceil(extension_bits(chain, t) / (auxiliary_bits(chain) - 1));
  // 1 also if `count` is not a number
  return count > 1 ? static_cast<std::size_t>(std::min<double>(count, kMostLimbs + 1)) : 1;
}

namespace {

// Chooses `count` additional primes. They are as long as the longest prime of the chain, so that the word size stays
// the same. If all primes of the chain have the form c 2^16 + 1, and enough further primes have this form, the function
// chooses primes of this form.
std::vector<u64> auxiliary_of(const ChainParameters& chain, u64 t, std::size_t count) {
  const auto is_short = [](u64 q) { return q % kShortForm == 1; };
  const bool short_form = std::all_of(chain.data.begin(), chain.data.end(), is_short) &&
                          std::all_of(chain.special.begin(), chain.special.end(), is_short);
  const u32 bits = auxiliary_bits(chain);
  const std::size_t taken = chain.data.size() + chain.special.size() + 1;
  std::vector<u64> found;
  auto candidates = ntt_primes(bits, short_form ? std::max(chain.n, kShortForm / 2) : chain.n, count + taken);
  if (!candidates.ok()) candidates = ntt_primes(bits, chain.n, count + taken);
  for (const u128 candidate : std::move(candidates).take()) {
    const u64 q = static_cast<u64>(candidate);
    const auto holds = [q](const std::vector<u64>& primes) {
      return std::find(primes.begin(), primes.end(), q) != primes.end();
    };
    if (found.size() < count && t % q != 0 && !holds(chain.data) && !holds(chain.special)) found.push_back(q);
  }
  return found;
}

}  // namespace

// If a ring has few primes of this length, the last primes are shorter, and more of them are needed. The ring refuses
// more than kMostLimbs limbs.
SchemeNeeds Bfv::needs(const ChainParameters& chain, u64 t) {
  const double needed = extension_bits(chain, t);
  std::size_t count = auxiliary_primes(chain, t);
  SchemeNeeds needs;
  needs.auxiliary = auxiliary_of(chain, t, count);
  while (log2_of(needs.auxiliary) < needed && count <= kMostLimbs) needs.auxiliary = auxiliary_of(chain, t, ++count);
  return needs;
}

// Returns the additional primes of each level. They are the shortest run of primes that ends before the data primes and
// has a product of at least 4 t n Q.
std::vector<Limbs> Bfv::extensions(const KeyContext::State& c, u64 t) {
  std::vector<Limbs> runs;
  const u32 end = c.chain.special().end();
  for (u32 level = 0; level <= c.chain.top_level(); ++level) {
    const double needed = needed_bits(c, level, t);
    Limbs run{end, 0};
    while (run.first > 0 && (run.count == 0 || c.ring.basis().log2_product(run) < needed))
      run = {run.first - 1, run.count + 1};
    runs.push_back(run);
  }
  return runs;
}

// Returns 1/2, reduced by about a millionth because read() rounds fixed-point numbers.
Bound Bfv::limit(const IntegerRing&, u32) { return Bound::power_of_two(bfv::NoiseGrowth::kLargest - 0x1p-20); }

Bound Bfv::of_phase(const IntegerRing& ring, u32 level, Bound error) {
  return bounds(ring).relative(error, log2_modulus(ring, level));
}

Bound Bfv::added(const IntegerRing& ring, u32 level) { return bounds(ring).plain_rounding(log2_modulus(ring, level)); }

Bound Bfv::fresh(const IntegerRing& ring, u32 level, Origin origin) {
  return bounds(ring).fresh(ring.base().noise.fresh(origin), log2_modulus(ring, level));
}

// Computes round(Q m / t) = (Q m - r) / t, where r is the centred representative of Q m modulo t. Modulo a prime of Q,
// the result is -r / t.
Poly<Eval> Bfv::lift_for_sum(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, u64,
                             Workspace& work) {
  const KeyContext::State& c = ring.base();
  const Limbs data = c.chain.data(level);
  const u64 whole = product_mod(ring, data, data.end()), t = ring.t;
  const std::span<i64> rest = work.lifted.span();
  multiply_centred(rest, coefficients, ring.plain, whole);
  Poly<Eval> lifted = lift(ring, rest, level, work);
  std::vector<u64> factors;
  for (u32 limb = data.first; limb < data.end(); ++limb)
    factors.push_back(c.ring.basis()[limb].negate(c.ring.basis()[limb].inverse(t)));
  c.ring.multiply_scalar(work.stream, lifted.all(), lifted.all(), factors);
  return lifted;
}

// Returns the largest power of two N with N t n Q / 2 <= B / 4, but at most 2^20. A product of centred
// polynomials is at most t n Q / 4 in magnitude after the division. A component of the product of two pairs is a sum of
// at most two such products. Logarithms differ in the last bit between machines. The function subtracts a millionth
// from the logarithm, so that all machines give the same result.
std::size_t Bfv::most_products(const IntegerRing& ring, u32 level) {
  const double spare = ring.log2_modulus(ring.extensions[level]) - needed_bits(ring.base(), level, ring.t);
  return std::size_t{1} << static_cast<u32>(std::clamp(spare + kMarginBits - 1 - 0x1p-20, 0.0, kMostProductsBits));
}

NoiseBound Bfv::product(const IntegerRing& ring, u32 level, const Factor& a, const Factor& b, std::size_t before) {
  const bfv::NoiseGrowth noise = bounds(ring);
  const std::size_t most = most_products(ring, level), shorter = std::min(a.components, b.components);
  Bound sum = noise.tensor({a.bound.error, a.components}, {b.bound.error, b.components});
  if (before % most != 0) return {sum, 1};
  const Bound division = noise.division(log2_modulus(ring, level), a.components + b.components - 1);
  for (std::size_t part = 0; part < shorter; part += 2 * most) sum = sum + division;
  return {sum, 1};
}

NoiseBound Bfv::rescaled(const IntegerRing& ring, const NoiseBound& bound, u32 level, u32 components) {
  return {bounds(ring).mod_switched(bound.error, log2_modulus(ring, level - 1), components), 1};
}

// Computes round(t x / Q) modulo t for each coefficient x. Let r be the centred representative of t x modulo Q. The
// result is (t x - r) / Q, which is -r / Q modulo t.
void Bfv::read(const IntegerRing& ring, Slice<Eval> phase, u64, Workspace& work, std::span<u64> out) {
  const RnsBasis& basis = ring.base().ring.basis();
  const Limbs limbs = phase.limbs();
  std::vector<u64> factors;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb)
    factors.push_back(basis[limb].multiply(basis[limb].reduce(ring.t), basis.punctured_inverse(limbs, limb)));
  const Secret<u64> residues = phase_residues(ring, phase, factors, work);
  const u64 factor = ring.plain.negate(inverse_modulo_plain(product_mod(ring, limbs, limbs.end()), ring.t));
  convert_to_plain(ring, limbs, residues.span(), factor, out);
}

}  // namespace ringfort::integers
