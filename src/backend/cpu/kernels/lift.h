// SPDX-License-Identifier: Apache-2.0
// Kernels that convert signed integers to residues modulo q. No branch, index or division depends on a value.
//
// lift() writes 64-bit words. With ratio = floor(2^64 / q), which is one word of the Barrett constant, it computes a
// quotient of |x| that is too small by at most 1. Then it reduces |x| modulo q, and negates the residue if x is
// negative. n is a multiple of the number of lanes.
//
// lift_bytes() is for q > 128. It adds q if x is negative. The compiler vectorises its loop. Every instruction set
// passes its own type Tag, so that it gets its own instance of the template.
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

template <class Tag, class W>
void lift_bytes(W* out, const i8* integers, W q, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const i64 value = integers[i];
    out[i] = static_cast<W>(value) + (q & static_cast<W>(value >> 63));
  }
}

}  // namespace ringfort::cpu::kernels
