// SPDX-License-Identifier: Apache-2.0
// Replaces base/machine.cpp in programs whose kernels for AVX-512 are emulated (immintrin.h in this folder). The
// emulation needs AVX2 and FMA.
#include "base/cpu.h"

namespace ringfort {

Isa machine_isa() noexcept { return Isa::ifma; }
bool has_crc32_instruction() noexcept { return true; }

}  // namespace ringfort
