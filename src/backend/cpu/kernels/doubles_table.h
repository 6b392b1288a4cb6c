// SPDX-License-Identifier: Apache-2.0
// Tables of the kernels that compute in doubles (doubles.h).
#pragma once

#include "backend/cpu/kernels/doubles_fused.h"
#include "backend/cpu/kernels/doubles_gadget.h"
#include "backend/cpu/kernels/rounding.h"

namespace ringfort::cpu::kernels {

// Returns the kernels for n >= 16 L, where L is the number of lanes. They require q < 2^50 if kTight is true, and
// q < 2^48 if not. The tables of twiddles contain doubles.
template <class Lanes64, class D, bool kTight>
constexpr Kernels<u64> doubles_table() {
  using T = DoubleTransforms<D, kTight>;
  Kernels<u64> k = table64<Lanes64>();
  k.forward = &InDefaultMode<&T::forward>::call;
  k.forward_digit = &InDefaultMode<&T::forward_digit>::call;
  k.inverse = &InDefaultMode<&T::inverse>::call;
  k.inverse_of = &InDefaultMode<&T::inverse_of>::call;
  k.multiply = &InDefaultMode<&multiply<typename T::M>>::call;
  k.multiply_add = &InDefaultMode<&multiply_add<typename T::M>>::call;
  k.multiply_scalar = &InDefaultMode<&T::multiply_scalar>::call;
  using S = DoubleSums<D, kTight>;
  using F = FusedDoubles<D, kTight>;
  k.inner_product = &InDefaultMode<&S::inner_product>::call;
  k.tensor = &InDefaultMode<&S::tensor>::call;
  k.forward_quotient = &InDefaultMode<&F::forward_quotient>::call;
  k.forward_second_quotient = &InDefaultMode<&F::forward_second_quotient>::call;
  k.gadget_product = &InDefaultMode<&gadget_product<D, kTight>>::call;
  k.key_switch_product = &InDefaultMode<&F::KeySwitch::compute>::call;
  return k;
}

}  // namespace ringfort::cpu::kernels
