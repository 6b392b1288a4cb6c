// SPDX-License-Identifier: Apache-2.0
// Objects and checks of BFV and BGV, as templates over the scheme. The phase of a ciphertext is c0 + c1 s + c2 s^2 ..;
// decryption computes the phase and then rounds it. Policy<Scheme> contains the code that differs between the schemes:
// where a phase contains the plaintext, how products are bounded and computed, and how a phase is read. Let t be the
// modulus of plaintexts. Let Q be the modulus of a ciphertext, which is the product of the primes of its level. In BFV,
// NoiseBound::error bounds the noise divided by Q / t. In BGV, it bounds the phase itself: message and noise. In both
// schemes, it must stay below Policy::limit. The phase of a BGV ciphertext is, modulo t, its plaintext times `factor`,
// the correction factor. In BFV `factor` is 1.
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

// The parts of a BFV or BGV context: the plain modulus t, and the KeyContext, which has the ring.
struct IntegerRing {
  u64 t;
  Modulus<u64> plain;
  KeyContext keys;
  std::optional<BatchEncoder> slots;
  std::vector<Limbs> extensions;  // by level: the additional limbs of a product (BFV)
  [[nodiscard]] const KeyContext::State& base() const noexcept { return *keys.state(); }
  [[nodiscard]] double log2_modulus(Limbs limbs) const { return base().ring.basis().log2_product(limbs); }
};

// Returns the centred representative of a residue, which is in (-t/2, t/2]: of t/2 and -t/2, it is t/2. No branch
// depends on the residue.
[[nodiscard]] inline i64 centred(u64 residue, u64 t) noexcept {
  return static_cast<i64>(residue - (t & mask_if<u64>(residue > t / 2)));
}

// Returns a^(-1) modulo t. a and t must be coprime. Public values only: the time depends on them.
[[nodiscard]] u64 inverse_modulo_plain(u64 a, u64 t) noexcept;

// Computes out[i] = factor a[i] modulo t, centred. It uses Shoup's product with a constant (math/reduction_shoup.h).
// |a[i]| must be at most t / 2, and `factor` below t. No branch depends on a value.
void multiply_centred(std::span<i64> out, std::span<const i64> a, const Modulus<u64>& t, u64 factor);

// Small integers x (of either sign) and y (positive) with x a = y b mod t. x and y are coprime to t, and so are all
// correction factors. If ciphertexts A and B have the correction factors a and b, then x A and y B have equal factors.
// The argument `heavier` is log2(noise of A / noise of B), rounded to a whole number. If t is prime and
// 2^|heavier| <= t, then |x| 2^heavier and y are at most sqrt(t 2^heavier). Then x A and y B have similar noise bounds.
// For any other t, the shortest pairs may have a factor in common with t. But there is always a pair with y = 1 and
// |x| <= t / 2, and a pair with |x| = 1 and y <= t / 2.
struct Balance {
  i64 x = 1;
  i64 y = 1;
};
[[nodiscard]] Balance balance(u64 a, u64 b, u64 t, int heavier);
// Returns a bound on log2 of the growth of noise in a sum of four ciphertexts with equal noise, added in any order. A
// sum of two ciphertexts first multiplies them by the integers of balance(). If their noises are e and f, the noise of
// the sum is below 2 sqrt(t e f). The order (a + b) + (c + d) has the largest growth, a factor of 4 t. If one term
// after another is added, the factor is 2^(7/4) t^(7/8). `heavier` is rounded to a whole number, which adds less than
// 1/16 to the result. If t is not prime, only the pairs with 1 and at most t / 2 are certain. A first sum is then below
// t e, and a sum of e and a lighter noise f below (1 + sqrt 2) max(sqrt 2 e, t f / 2). Therefore (a + b) + (c + d)
// grows by at most (1 + sqrt 2) t^2 / 2, and the other orders by at most (2 + sqrt 2)^2 t. sqrt 2 t^2 is above both;
// for t below 10, no pair exceeds 4.
[[nodiscard]] double balanced_sum_bits(u64 t);

// A factor of a product: its noise bound, and its number of components.
struct Factor {
  NoiseBound bound;
  u32 components;
};

// A product a b that is added to a sum: the new sum is by.x sum + by.y a b.
struct Product {
  const RlweCiphertext* a;
  const RlweCiphertext* b;
  Balance by;
};

// Each scheme specializes this struct, with these static members:
//   SchemeNeeds needs(chain, t); std::vector<Limbs> extensions(context, t);
//   Bound limit(ring, level): errors below this bound do not change the decrypted plaintext
//   u64 noise_factor(ring): measured_budget_bits multiplies the phase by it, centres the result modulo Q, and compares
//     it with Q / 2
//   Bound of_phase(ring, level, error): the amount by which an error of the phase increases NoiseBound::error
//   bool accepts_factor(factor): whether a ciphertext from outside may have this factor, which is below t and
//     coprime to t
//   Bound fresh(ring, level, origin): the bound of a fresh encryption
//   Bound added(ring, level): the bound of the error that adding a plaintext causes
//   Poly<Eval> lift_for_sum(ring, coefficients, level, factor, work): the polynomial to add to c0
//     (the caller wipes `work`)
//   NoiseBound product(ring, level, a, b, before): the bound of a product that is added to a sum of `before` products.
//     If a factor has more than two components, or one of another product of the sum, `before` is 0.
//   Bound rescaled(ring, bound, level, components): the bound after a division to the next lower level
//   RlweCiphertext multiply(ring, a, b, work, reuse);  void add_product(ring, sum, product, work)
//   RlweCiphertext inner_product(ring, products, work): needs at least one product; the first has x = y = 1
//   void read(ring, phase, factor, work, out): writes the residues of the plaintext modulo t to `out`
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
  Poly<Eval> transform = {};  // empty, or prepared for products at one level and all lower levels
};

template <class Scheme>
struct Ciphertext<Scheme>::State {
  RlweCiphertext rlwe;
  NoiseBound bound;
  double budget_bits = 0;
};

[[nodiscard]] IntegerRing make_ring(const ChainParameters& chain, u64 t, SchemeNeeds needs, std::string_view device);
// Throws invalid_argument unless 2 <= t < 2^50 and no prime of the chain divides t.
void check_plain_modulus(const ChainParameters& chain, u64 t);
// Throws unless the bound of the error is below `limit`.
void require_budget(Bound error, Bound limit, std::string_view what);

// Returns a bound of the norm of the coefficients: the sum of their absolute values, or the bound of any plaintext if
// that is smaller. Call it for public factors only. The bound of a product reveals the norm. The time of the call also
// reveals the norm, because Bound::of computes a logarithm of it.
[[nodiscard]] Bound plain_norm_variable_time(const IntegerRing& ring, std::span<const i64> coefficients);
// Returns one polynomial with these coefficients, over the data primes of a level.
[[nodiscard]] Poly<Eval> lift(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, Workspace& work);

// Returns the product of the primes `limbs`, except the prime of limb `skip`, modulo t.
[[nodiscard]] u64 product_mod(const IntegerRing& ring, Limbs limbs, u32 skip);
// Let Q be the product of the primes `limbs`. The residue v_i of a coefficient modulo the prime q_i of limb i already
// includes the factor (Q/q_i)^-1, and in BFV also t (phase_residues). Therefore the coefficient is sum_i v_i Q/q_i
// modulo Q. The function computes its centred representative modulo t, as sum_i v_i (Q/q_i mod t) - k (Q mod t), where
// k is the integer nearest to sum_i v_i / q_i. It also multiplies the result by `factor`, which must be below t. The
// residues are ordered as [limb][coefficient]. No branch depends on a residue.
void convert_to_plain(const IntegerRing& ring, Limbs limbs, std::span<const u64> residues, u64 factor,
                      std::span<u64> out);
// Multiplies each limb of a phase by a factor, and returns the residues. Clobbers `phase`.
[[nodiscard]] Secret<u64> phase_residues(const IntegerRing& ring, Slice<Eval> phase, std::span<const u64> factors,
                                         Workspace& work);

}  // namespace ringfort::integers
