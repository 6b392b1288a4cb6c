// SPDX-License-Identifier: Apache-2.0
// Upper halves of products of 64-bit words. AVX2 and AVX-512 have no instruction for them. Therefore these functions
// compute upper halves from 32 x 32 -> 64 bit products.
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

// Returns the upper 64 bits of a b in 64-bit lanes.
template <class Lanes>
[[gnu::always_inline]] inline typename Lanes::V mulhi64(typename Lanes::V a, typename Lanes::V b) {
  using V = typename Lanes::V;
  const V a1 = a >> 32, b1 = b >> 32;
  // The sum does not overflow: (2^32-1)^2 + 2^32 - 1 < 2^64.
  const V low = Lanes::mul32(a, b), middle = Lanes::mul32(a1, b) + (low >> 32);
  const V other = Lanes::mul32(a, b1) + (middle & Lanes::broadcast(0xFFFFFFFF));
  return Lanes::mul32(a1, b1) + (middle >> 32) + (other >> 32);
}

// Returns the upper 64 bits of a b, or a number that is smaller by one or two: the carries of the lower halves are
// omitted. b1 = b >> 32.
template <class Lanes>
[[gnu::always_inline]] inline typename Lanes::V mulhi64_near(typename Lanes::V a, typename Lanes::V b,
                                                             typename Lanes::V b1) {
  const typename Lanes::V a1 = a >> 32;
  return Lanes::mul32(a1, b1) + (Lanes::mul32(a1, b) >> 32) + (Lanes::mul32(a, b1) >> 32);
}

}  // namespace ringfort::cpu::kernels
