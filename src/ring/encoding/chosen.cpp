// SPDX-License-Identifier: Apache-2.0
// The tables of kernels by instruction set (chosen.h).
#include "ring/encoding/chosen.h"

namespace ringfort::encoding {

const Kernels& kernels_of(Isa isa) noexcept {
  static constexpr Kernels kNone;
#if defined(__x86_64__)
  if (isa >= Isa::avx512) return kAvx512;
  if (isa >= Isa::avx2) return kAvx2;
#endif
  static_cast<void>(isa);
  return kNone;
}

const Kernels& chosen_kernels() noexcept { return kernels_of(chosen_isa().used); }

}  // namespace ringfort::encoding
