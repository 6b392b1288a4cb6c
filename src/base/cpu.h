// SPDX-License-Identifier: Apache-2.0
// Which instruction set the kernels may use: what the machine has, capped by RINGFORT_CPU. Read once, at the first use;
// kernels are then chosen once (a table of functions), never per call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfort {

// In rising order: each implies all before it.
//   avx2: AVX2, BMI2, POPCNT (2013)   avx512: F, BW, CD, DQ, VL (2017)
//   ifma: avx512 with IFMA, VBMI, VBMI2, VPOPCNTDQ, BITALG (2019)
enum class Isa : std::uint8_t { ref, generic, avx2, avx512, ifma };

struct IsaChoice {
  std::string requested;  // the variable's text; empty when unset
  Isa used = Isa::generic;
  bool known = true;     // false: not one of the five names; `used` is then what the machine has
  bool lowered = false;  // the machine has less than was asked for
};

[[nodiscard]] std::string_view isa_name(Isa isa) noexcept;  // "ref", "generic", "avx2", "avx512", "ifma"

[[nodiscard]] Isa machine_isa() noexcept;

// The choice for a cap's text on a machine that has `machine`.
[[nodiscard]] IsaChoice choose_isa(std::string_view cap, Isa machine);

// The choice of this process.
[[nodiscard]] const IsaChoice& chosen_isa();

}  // namespace ringfort
