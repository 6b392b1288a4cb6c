// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set of the kernels: the best set that the machine has, but none above the set that the
// environment variable RINGFORT_CPU names. The first call of chosen_isa() reads the variable, and later calls return
// the same choice. A device whose name contains a set ("cpu:avx2") ignores the variable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfort {

// The instruction sets in ascending order. A machine that has a set also has every set before it.
//   avx2: AVX2, BMI2, POPCNT (2013)   fma: avx2 with FMA (2013)   avx512: F, BW, CD, DQ, VL (2017)
//   ifma: avx512 with IFMA, VBMI, VBMI2, VPOPCNTDQ, BITALG (2019)
enum class Isa : std::uint8_t { ref, generic, avx2, fma, avx512, ifma };

struct IsaChoice {
  std::string requested;  // the text of RINGFORT_CPU; empty if it is not set
  Isa used = Isa::generic;
  bool known = true;     // false: `requested` names no set; `used` is then the best set of the machine
  bool lowered = false;  // the machine lacks the requested set
};

[[nodiscard]] std::string_view isa_name(Isa isa) noexcept;  // "ref", "generic", "avx2", "avx2-fma", "avx512", "ifma"

[[nodiscard]] Isa machine_isa() noexcept;
[[nodiscard]] bool has_crc32_instruction() noexcept;  // SSE 4.2

// Returns the choice for RINGFORT_CPU = `cap`, on a machine whose best set is `machine`.
[[nodiscard]] IsaChoice choose_isa(std::string_view cap, Isa machine);

// Returns the choice of this process.
[[nodiscard]] const IsaChoice& chosen_isa();

}  // namespace ringfort
