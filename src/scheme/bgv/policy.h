// SPDX-License-Identifier: Apache-2.0
// The code of BGV [BrakerskiGentryVaikuntanathan12] that differs from BFV. The templates of rlwe/integers/ call it. The
// phase, which decryption reduces modulo t, is factor * m + t * noise modulo Q, with the plaintext m and the correction
// factor. A ciphertext has a bound on this whole phase (scheme/bgv/noise.h). Errors are multiples of t. A division by
// primes multiplies the correction factor by the inverse of these primes modulo t.
#pragma once

#include "ringfort/bgv.h"
#include "rlwe/integers/ring.h"
#include "scheme/bgv/noise.h"

namespace ringfort::integers {

template <>
struct Policy<bgv::Scheme> {
  static SchemeNeeds needs(const ChainParameters& chain, u64 t);
  static std::vector<Limbs> extensions(const KeyContext::State& context, u64 t);
  static Bound limit(const IntegerRing& ring, u32 level);
  static u64 noise_factor(const IntegerRing&) noexcept { return 1; }
  static Bound of_phase(const IntegerRing& ring, u32 level, Bound error);
  static Bound fresh(const IntegerRing& ring, u32 level, Origin origin);
  static bool accepts_factor(u64) noexcept { return true; }
  static Bound added(const IntegerRing& ring, u32 level);
  static Poly<Eval> lift_for_sum(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, u64 factor,
                                 Workspace& work);
  static NoiseBound product(const IntegerRing& ring, u32 level, const Factor& a, const Factor& b,
                            std::size_t before = 0);
  static NoiseBound rescaled(const IntegerRing& ring, const NoiseBound& bound, u32 level, u32 components);
  static RlweCiphertext multiply(const IntegerRing& ring, const RlweCiphertext& a, const RlweCiphertext& b,
                                 Workspace& work, RlweCiphertext&& reuse);
  static void add_product(const IntegerRing& ring, RlweCiphertext& sum, const Product& product, Workspace& work);
  static RlweCiphertext inner_product(const IntegerRing& ring, std::span<const Product> products, Workspace& work);
  static void read(const IntegerRing& ring, Slice<Eval> phase, u64 factor, Workspace& work, std::span<u64> out);
};

}  // namespace ringfort::integers
