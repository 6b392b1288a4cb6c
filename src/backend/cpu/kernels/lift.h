// SPDX-License-Identifier: Apache-2.0
// Lifts of signed 64-bit words: reduces |x| modulo q with one word of the Barrett constant, ratio = floor(2^64 / q),
// whose quotient is at most one too small; negates the residue where x is negative. No branch, index or division
// depends on a value. n is a multiple of the lanes.
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

template <class Lanes>
void lift(u64* out, const i64* integers, u64 q, u64 ratio, std::size_t n) {
  using V = typename Lanes::V;
  using Signed = typename Lanes::Signed;
  const V modulus = Lanes::broadcast(q), constant = Lanes::broadcast(ratio);
  for (std::size_t i = 0; i < n; i += Lanes::kLanes) {
    const V value = Lanes::load(reinterpret_cast<const u64*>(integers) + i), sign = (V)((Signed)value >> 63),
            size = (value ^ sign) - sign;
    const V residue = Lanes::reduce(size - Lanes::mullo(Lanes::mulhi(size, constant), modulus), modulus);
    Lanes::store(out + i, (residue & ~sign) | (Lanes::reduce(modulus - residue, modulus) & sign));
  }
}

}  // namespace ringfort::cpu::kernels
