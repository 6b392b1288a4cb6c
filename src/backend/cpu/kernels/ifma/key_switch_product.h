// SPDX-License-Identifier: Apache-2.0
// The inner product of a key switch with the 52-bit multiplier. Ranges: gadget_product.h.
#pragma once

#include "backend/cpu/kernels/ifma/conversion.h"
#include "backend/cpu/kernels/ifma/gadget_product.h"
#include "backend/cpu/kernels/key_switch_product.h"

namespace ringfort::cpu::ifma {

template <bool kWide, u32 kTerms>
using KeySwitchProduct = kernels::KeySwitchProduct<Engine<u64, kWide>, InnerProducts<u64, kTerms>>;

template <bool kWide>
void key_switch_product(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch) {
  if constexpr (kWide) KeySwitchProduct<true, 32>(limb, p, digits, scratch).accumulate_digits();
  else if (limb.bits <= 47) KeySwitchProduct<false, 16>(limb, p, digits, scratch).accumulate_digits();
  else KeySwitchProduct<false, 4>(limb, p, digits, scratch).accumulate_digits();
}

}  // namespace ringfort::cpu::ifma
