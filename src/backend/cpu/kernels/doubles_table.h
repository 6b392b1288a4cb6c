// SPDX-License-Identifier: Apache-2.0
// Tables of the kernels that compute in doubles.
#pragma once

#include "backend/cpu/kernels/doubles_fused.h"

namespace ringfort::cpu::kernels {

// The kernels for n >= 16 lanes and q < 2^50 (kTight) or q < 2^48. Constants and twiddles are doubles.
template <class Lanes64, class D, bool kTight>
constexpr Kernels<u64> doubles_table() {
  using T = DoubleTransforms<D, kTight>;
  Kernels<u64> k = table64<Lanes64>();
  k.forward = &T::forward;
  k.forward_digit = &T::forward_digit;
  k.inverse = &T::inverse;
  k.inverse_of = &T::inverse_of;
  k.polymul = &T::polymul;
  k.multiply = &multiply<typename T::M>;
  k.multiply_add = &multiply_add<typename T::M>;
  k.multiply_scalar = &T::multiply_scalar;
  using S = DoubleSums<D, kTight>;
  using F = FusedDoubles<D, kTight>;
  k.inner_product = &S::inner_product;
  k.tensor = &S::tensor;
  k.forward_quotient = &F::forward_quotient;
  k.forward_second_quotient = &F::forward_second_quotient;
  k.key_switch_product = &F::key_switch_product;
  return k;
}

}  // namespace ringfort::cpu::kernels
