// SPDX-License-Identifier: Apache-2.0
// Functions that BFV and BGV share (ring.h): checks of t, factors of sums, and the conversion of a phase to residues
// modulo t.
#include "rlwe/integers/ring.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/assert.h"
#include "math/prime.h"
#include "ring/encoding/chosen.h"
#include "rlwe/parameters.h"

namespace ringfort::integers {

void check_plain_modulus(const ChainParameters& chain, u64 t) {
  ringfort::check_plain_modulus(t);
  for (const std::vector<u64>* primes : {&chain.data, &chain.special}) {
    for (const u64 q : *primes) {
      if (q == 0 || t % q != 0) continue;  // the context refuses what is no prime
      throw Error(Code::invalid_argument,
                  "the plain modulus " + std::to_string(t) + " is a multiple of " + std::to_string(q) +
                      ", which is a prime of the chain",
                  "choose a plain modulus without this factor, such as 65537, or other primes: a division by primes "
                  "keeps residues modulo t only if no prime divides t");
    }
  }
}

IntegerRing make_ring(const ChainParameters& chain, u64 t, SchemeNeeds needs, std::string_view device) {
  needs.meaning = {t};
  IntegerRing ring{.t = t,
                   .plain = Modulus<u64>(t),
                   .keys = KeyContext(std::make_shared<const KeyContext::State>(chain, needs, device)),
                   .slots = {},
                   .extensions = {}};
  if (has_slots(t, chain.n)) ring.slots.emplace(chain.n, t);
  return ring;
}

void require_budget(Bound error, Bound limit, std::string_view what) {
  if (error < limit) return;
  throw Error(Code::noise_bound_exceeded,
              "after " + std::string(what) + " the noise bound would be 2^" + std::to_string(error.log2) +
                  "; decryption allows at most 2^" + std::to_string(limit.log2),
              "use fewer products one after the other, more or longer data primes, or a smaller plain modulus");
}

Bound plain_norm_variable_time(const IntegerRing& ring, std::span<const i64> coefficients) {
  double sum = 0;
  for (const i64 c : coefficients) sum += std::abs(static_cast<double>(c));
  return std::min(Bound::of(sum), ring.base().noise.embedding().any(Bound::of(static_cast<double>(ring.t) / 2)));
}

Poly<Eval> lift(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, Workspace& work) {
  const KeyContext::State& c = ring.base();
  auto poly = c.ring.make<Coeff>(1, c.chain.data(level));
  c.ring.lift(work.stream, poly.all(), coefficients);
  return c.ring.forward(work.stream, std::move(poly));
}

u64 inverse_modulo_plain(u64 a, u64 t) noexcept {
  const std::optional<u64> inverse = inverse_mod(a, t);
  RF_ASSERT(inverse.has_value());
  return inverse.value_or(0);
}

void multiply_centred(std::span<i64> out, std::span<const i64> a, const Modulus<u64>& t, u64 factor) {
  const u64 q = t.value(), companion = static_cast<u64>((u128{factor} << 64) / q);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const u64 sign = static_cast<u64>(a[i] >> 63), size = (static_cast<u64>(a[i]) ^ sign) - sign;
    const u64 residue = subtract_if_not_below<u64>(size * factor - mulhi<u64>(size, companion) * q, q);
    out[i] = centred((residue & ~sign) | (t.negate(residue) & sign), q);
  }
}

// Runs the extended Euclidean algorithm on t and b / a mod t. In each step, the remainder is congruent to b / a times
// the cofactor, modulo t. `heavier` sets the weights of remainder and cofactor. Returns the pair (remainder, cofactor)
// that is coprime to t, and whose larger weighted absolute value is smallest. If the remainder is coprime to t, the
// cofactor is, too. In the first steps the cofactor is 1, and in the last step the remainder is.
Balance balance(u64 a, u64 b, u64 t, int heavier) {
  const Modulus<u64> plain(t);
  const auto size = [up = std::clamp(heavier, 0, 60), down = std::clamp(-heavier, 0, 60)](const Balance& pair) {
    return std::max(u128{static_cast<u64>(std::abs(pair.x))} << up, u128{static_cast<u64>(pair.y)} << down);
  };
  std::vector<Balance> pairs;
  i64 high = static_cast<i64>(t), low = static_cast<i64>(plain.multiply(b, inverse_modulo_plain(a, t)));
  for (i64 before = 0, now = 1; low != 0;) {
    pairs.push_back({now < 0 ? -low : low, std::abs(now)});
    const i64 quotient = high / low;
    high = std::exchange(low, high - quotient * low);
    before = std::exchange(now, before - quotient * now);
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Balance& p, const Balance& q) { return size(p) < size(q); });
  return *std::find_if(pairs.begin(), pairs.end(),
                       [&](const Balance& pair) { return std::gcd(static_cast<u64>(std::abs(pair.x)), t) == 1; });
}

double balanced_sum_bits(u64 t) {
  const double length = std::log2(static_cast<double>(t));
  return is_prime(t) ? 2 + 1.0 / 16 + length : 0.5 + 2 * length;
}

u64 product_mod(const IntegerRing& ring, Limbs limbs, u32 skip) {
  u64 product = 1;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) {
    if (limb != skip) product = ring.plain.multiply(product, ring.plain.reduce(ring.base().ring.basis()[limb].value()));
  }
  return product;
}

namespace {

using encoding::PlainModulus, encoding::PlainWeight, encoding::kFractionBits;

void convert_one_by_one(const Modulus<u64>& plain, std::span<const u64> residues, std::span<u64> out,
                        std::span<const PlainWeight> weights, u64 whole) {
  for (std::size_t j = 0; j < out.size(); ++j) {
    u64 fraction = u64{1} << (kFractionBits - 1);
    u128 sum = 0;  // sum of products of a residue below 2^62 and a weight below 2^50
    const u64* word = residues.data() + j;
    for (const PlainWeight& weight : weights) {
      fraction += mulhi<u64>(*word << weight.shift, weight.fraction) >> (63 - kFractionBits);
      sum += mul_wide<u64>(*word, weight.value);
      word += out.size();
    }
    out[j] = plain.reduce(sum + mul_wide<u64>(fraction >> kFractionBits, whole));
  }
}

}  // namespace

void convert_to_plain(const IntegerRing& ring, Limbs limbs, std::span<const u64> residues, u64 factor,
                      std::span<u64> out) {
  const RnsBasis& basis = ring.base().ring.basis();
  const Modulus<u64>& plain = ring.plain;
  const u64 power32 = plain.reduce(u128{1} << 32);
  std::vector<PlainWeight> weights;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) {
    const u64 value = plain.multiply(product_mod(ring, limbs, limb), factor);
    weights.push_back(
        {value, plain.multiply(value, power32), basis.fraction(limb), kWordBits<u64> - basis[limb].bits()});
  }
  const u64 whole = plain.negate(plain.multiply(product_mod(ring, limbs, limbs.end()), factor));
  const auto convert = encoding::chosen_kernels().convert_to_plain;
  if (convert == nullptr || ring.t >> 31 != 0 || out.size() % 8 != 0)
    return convert_one_by_one(plain, residues, out, weights, whole);
  const PlainModulus modulus{ring.t, static_cast<u64>(plain.ratio() >> 64), power32, plain.multiply(power32, power32),
                             whole};
  convert(residues.data(), out.data(), out.size(), weights.data(), weights.size(), modulus);
}

Secret<u64> phase_residues(const IntegerRing& ring, Slice<Eval> phase, std::span<const u64> factors, Workspace& work) {
  const KeyContext::State& c = ring.base();
  Secret<u64> residues(std::size_t{phase.limbs().count} * c.p.n);
  c.ring.multiply_scalar(work.stream, phase, phase, factors);
  c.ring.download(work.stream, c.ring.inverse(work.stream, std::move(phase)), residues.span(), work.staging);
  return residues;
}

}  // namespace ringfort::integers
