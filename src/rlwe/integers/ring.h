// SPDX-License-Identifier: Apache-2.0
// Objects and checks of BFV and BGV, as templates over the scheme. The phase of a ciphertext is c0 + c1 s + c2 s^2 ..,
// which decryption computes before it rounds. Policy<Scheme> has the differences of the schemes: the place of the
// plaintext in the phase, bounds and computation of products, and the reading of a phase. `error` bounds the noise
// relative to Q / t in BFV, and the whole phase in BGV; it must stay below Policy::limit. The phase of a BGV ciphertext
// is `factor` times its plaintext modulo t; in BFV `factor` is 1.
#pragma once

#include <optional>

#include "ring/batch.h"
#include "ringfort/integers.h"
#include "rlwe/ciphertext.h"

namespace ringfort::integers {

struct NoiseBound {
  Bound error;
  u64 factor = 1;
};

// A context's ring with its plain modulus.
struct IntegerRing {
  u64 t;
  Modulus<u64> plain;
  KeyContext keys;
  std::optional<BatchEncoder> slots;
  std::vector<Limbs> extensions;  // by level: the additional limbs of a product (BFV)
  [[nodiscard]] const KeyContext::State& base() const noexcept { return *keys.state(); }
  [[nodiscard]] double log2_modulus(Limbs limbs) const { return base().ring.basis().log2_product(limbs); }
};

// Returns the representative of a residue that is nearest to 0. No branch depends on the residue.
[[nodiscard]] inline i64 centred(u64 residue, u64 t) noexcept {
  return static_cast<i64>(residue - (t & mask_if<u64>(residue > t / 2)));
}

// Computes out[i] = factor a[i] modulo t, nearest to 0, by Shoup's product with a constant; factor < t. No branch
// depends on a value.
void multiply_centred(std::span<i64> out, std::span<const i64> a, const Modulus<u64>& t, u64 factor);

// Small x, y with x a = y b mod t, y > 0. If ciphertexts A and B have the correction factors a and b, x A and y B have
// equal factors. `heavier`: log2 of (noise of A / noise of B), rounded to a whole number. |x| 2^heavier and |y| are at
// most sqrt(t 2^heavier).
struct Balance {
  i64 x = 1;
  i64 y = 1;
};
[[nodiscard]] Balance balance(u64 a, u64 b, u64 t, int heavier);
// Returns a bound on log2 of the growth of noise in a sum of four equally noisy ciphertexts, in any order. The noise of
// a sum of two ciphertexts with noise A and B is below 2 sqrt(t A B). (a + b) + (c + d) grows most, to 4 t; sums one
// after another grow to 2^(7/4) t^(7/8). The rounding of `heavier` to a whole number adds less than 1/16 to the result.
[[nodiscard]] double balanced_sum_bits(u64 t) noexcept;

// A product that is added to a sum: sum = x sum + y a b.
struct Product {
  const RlweCiphertext* a;
  const RlweCiphertext* b;
  Balance by;
};

// Each scheme specializes this struct, with these static members:
//   SchemeNeeds needs(chain, t); std::vector<Limbs> extensions(context, t);
//   Bound limit(ring, level): errors below it can be decrypted
//   u64 noise_factor(ring): measured_budget_bits compares noise_factor times phase, centred modulo Q, with Q / 2
//   Bound of_phase(ring, level, error): what an error of the phase adds to NoiseBound::error
//   bool accepts_factor(factor): checks the factor, in [1, t), of a ciphertext from outside
//   Bound fresh(ring, level, under_secret);  Bound added(ring, level): the error that adding a plaintext adds
//   Poly<Eval> lift_for_sum(ring, coefficients, level, factor, work): what is added to c0; the caller wipes `work`
//   Bound product(ring, level, a, b, before): the bound of a product that is added to a sum of `before` products
//   Bound rescaled(ring, bound, level, components): the bound after a division to the next lower level
//   RlweCiphertext multiply(ring, a, b, work, reuse);  void add_product(ring, sum, product, work)
//   RlweCiphertext inner_product(ring, products, work): at least one product; x = y = 1 in the first
//   void read(ring, phase, factor, work, out): residues of the plaintext modulo t
template <class Scheme>
struct Policy;

template <class Scheme>
struct Context<Scheme>::State {
  State(const Parameters& parameters, std::string_view device);
  Parameters p;
  IntegerRing ring;
};

template <class Scheme>
struct Plaintext<Scheme>::State {
  SharedKeyContext context;   // null if the plaintext is empty
  Secret<i64> coefficients;   // centred
  Poly<Eval> transform = {};  // empty, or prepared for products at a level and below it
};

template <class Scheme>
struct Ciphertext<Scheme>::State {
  RlweCiphertext rlwe;
  NoiseBound bound;
  double budget_bits = 0;
};

[[nodiscard]] IntegerRing make_ring(const ChainParameters& chain, u64 t, SchemeNeeds needs, std::string_view device);
// Throws invalid_argument unless t is an odd prime below 2^50 and none of the chain's primes.
void check_plain_modulus(const ChainParameters& chain, u64 t);
// Throws unless the bound of the error is below `limit`.
void require_budget(Bound error, Bound limit, std::string_view what);

// Returns a bound of the norm of the coefficients: the sum of their absolute values, or the bound of any plaintext if
// this bound is smaller. Only for public factors: the bound of a product reveals the norm. The time also reveals the
// norm, because Bound::of computes its logarithm.
[[nodiscard]] Bound plain_norm_variable_time(const IntegerRing& ring, std::span<const i64> coefficients);
// Returns one polynomial over the data primes of a level.
[[nodiscard]] Poly<Eval> lift(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, Workspace& work);

// Returns the product modulo t of the primes `limbs`, without limb `skip`.
[[nodiscard]] u64 product_mod(const IntegerRing& ring, Limbs limbs, u32 skip);
// For each coefficient, with its residue v_i modulo the prime q_i of limb i and the product Q of the primes `limbs`,
// computes sum_i v_i (Q/q_i mod t) - k (Q mod t) modulo t, where k is the nearest integer to sum_i v_i / q_i. This is
// the centred representative of sum_i v_i Q/q_i, modulo t. Multiplies it by `factor`, which is below t. residues:
// [limb][coefficient]. No branch depends on a residue.
void convert_to_plain(const IntegerRing& ring, Limbs limbs, std::span<const u64> residues, u64 factor,
                      std::span<u64> out);
// Returns the residues of a phase times a factor for each limb. Clobbers `phase`.
[[nodiscard]] Secret<u64> phase_residues(const IntegerRing& ring, Slice<Eval> phase, std::span<const u64> factors,
                                         Workspace& work);

}  // namespace ringfort::integers
