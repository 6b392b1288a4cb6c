// SPDX-License-Identifier: Apache-2.0
// The code of BFV [FanVercauteren12] that differs from BGV. The templates of rlwe/integers/ call it. The phase, which
// decryption rounds, is round(Q/t m) + noise for the plaintext m. A ciphertext has a bound on this noise
// (scheme/bfv/noise.h). A product is computed modulo additional primes, and then divided by Q/t
// (scheme/bfv/multiply.cpp).
#pragma once

#include "ringfort/bfv.h"
#include "rlwe/integers/ring.h"
#include "scheme/bfv/noise.h"

namespace ringfort::integers {

template <>
struct Policy<bfv::Scheme> {
  static SchemeNeeds needs(const ChainParameters& chain, u64 t);
  // Returns the number of additional primes that products need. It does not search for the primes.
  static std::size_t auxiliary_primes(const ChainParameters& chain, u64 t);
  static std::vector<Limbs> extensions(const KeyContext::State& context, u64 t);
  static Bound limit(const IntegerRing& ring, u32 level);
  static u64 noise_factor(const IntegerRing& ring) noexcept { return ring.t; }
  static Bound of_phase(const IntegerRing& ring, u32 level, Bound error);
  static Bound fresh(const IntegerRing& ring, u32 level, Origin origin);
  static bool accepts_factor(u64 factor) noexcept { return factor == 1; }
  static Bound added(const IntegerRing& ring, u32 level);
  static Poly<Eval> lift_for_sum(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, u64 factor,
                                 Workspace& work);
  static NoiseBound product(const IntegerRing& ring, u32 level, const Factor& a, const Factor& b,
                            std::size_t before = 0);
  // Returns how many products of two components each can be summed before one division. The limit depends on B, the
  // product of the additional primes. A product of k and l components counts as half the smaller of k and l.
  static std::size_t most_products(const IntegerRing& ring, u32 level);
  static NoiseBound rescaled(const IntegerRing& ring, const NoiseBound& bound, u32 level, u32 components);
  static RlweCiphertext multiply(const IntegerRing& ring, const RlweCiphertext& a, const RlweCiphertext& b,
                                 Workspace& work, RlweCiphertext&& reuse);
  static void add_product(const IntegerRing& ring, RlweCiphertext& sum, const Product& product, Workspace& work);
  static RlweCiphertext inner_product(const IntegerRing& ring, std::span<const Product> products, Workspace& work);
  static void read(const IntegerRing& ring, Slice<Eval> phase, u64 factor, Workspace& work, std::span<u64> out);
};

}  // namespace ringfort::integers
