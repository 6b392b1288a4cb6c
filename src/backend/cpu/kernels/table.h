// SPDX-License-Identifier: Apache-2.0
// Functions that fill the table of kernels (Kernels in limb.h) for vector instruction sets without a 52-bit multiplier.
// The tables of `ifma`, which has this multiplier, replace some of the entries.
#pragma once

#include "backend/cpu/kernels/elementwise.h"
#include "backend/cpu/kernels/engines.h"
#include "backend/cpu/kernels/fermat.h"
#include "backend/cpu/kernels/inner_product64.h"

namespace ringfort::cpu::kernels {

// Number of adjacent vectors in a tile of a sum. Wide tiles read long runs of each page of memory (4 KiB). With words
// of 64 bits, it is the largest number for which the registers hold two columns of the tile. With words of 32 bits, a
// tile has two cache lines. Its upper sums (HalfSum::high) may be in memory, because they seldom change.
template <class Lanes64>
inline constexpr unsigned kSumVectors64 = Lanes64::kLanes == 8 ? 2 : 1;
template <class Lanes32>
inline constexpr unsigned kSumVectors32 = 32 / Lanes32::kLanes;

template <class Lanes64, template <class> class Engine = Lazy>
constexpr Kernels<u64> table64() {
  using T = InPlace<Engine, Lanes64>;
  using M = Multiplier64<Lanes64>;
  Kernels<u64> k;
  k.forward = &T::forward;
  k.forward_digit = &T::forward_digit;
  k.inverse = &T::inverse;
  k.add = &add<Lanes64>;
  k.subtract = &subtract<Lanes64>;
  k.negate = &negate<Lanes64>;
  k.multiply = &multiply<M>;
  k.multiply_add = &multiply_add<M>;
  k.multiply_scalar = &multiply_scalar64<Lanes64>;
  k.decompose = &decompose<Lanes64>;
  k.inner_product = &InnerProducts64<HalvesOfLimb<Lanes64>, kSumVectors64<Lanes64>>::accumulate;
  return k;
}

template <class Lanes32, class Lanes64, template <class> class Engine, class M>
constexpr Kernels<u32> any_table32() {
  using T = InPlace<Engine, Lanes32>;
  Kernels<u32> k;
  k.forward = &T::forward;
  k.forward_digit = &T::forward_digit;
  k.inverse = &T::inverse;
  k.add = &add<Lanes32>;
  k.subtract = &subtract<Lanes32>;
  k.negate = &negate<Lanes32>;
  k.multiply = &multiply<M>;
  k.multiply_add = &multiply_add<M>;
  k.multiply_scalar = &multiply_scalar32<M>;
  k.decompose = &decompose<Lanes32>;
  k.inner_product = &InnerProducts64<WholesOfLimb<Lanes32, Lanes64>, kSumVectors32<Lanes32>>::accumulate;
  return k;
}

template <class Lanes32, class Lanes64>
constexpr Kernels<u32> table32() {
  return any_table32<Lanes32, Lanes64, Strict32, Multiplier32<Lanes64>>();
}

template <class Lanes32, class Lanes64, template <class> class Engine = Lazy>
constexpr Kernels<u32> lazy_table32() {  // q < 2^30
  return any_table32<Lanes32, Lanes64, Engine, PackedMultiplier32<Lanes32, Lanes64>>();
}

}  // namespace ringfort::cpu::kernels
