// SPDX-License-Identifier: Apache-2.0
// The programs of hw/pim/kernels for DPUs (processors in memory banks), which are embedded in this library.
#pragma once

#include <dpu.h>

#include "math/types.h"

namespace ringfort::pim_host {

enum class Kernel : u8 {
  elementwise,
  ntt,
  tensor,
  automorphism,
  decompose,
  inner_product,
  convert,
  expand,
  // The kernels below do the same on words of 64 bits.
  elementwise64,
  ntt64,
  tensor64,
  automorphism64,
  decompose64,
  inner_product64,
  convert64,
  expand64
};
inline constexpr u32 kKernels = 16;

[[nodiscard]] inline Kernel on_64_bits(Kernel kernel) noexcept {
  return static_cast<Kernel>(static_cast<u8>(kernel) + kKernels / 2);
}

[[nodiscard]] dpu_incbin_t& program_of(Kernel kernel) noexcept;
// Tells whether the library has the instructions of the kernels. It has none if it was built without a compiler for
// DPUs. Then kernels compute on the host, and cycles come from the cost table.
[[nodiscard]] bool has_instructions() noexcept;

}  // namespace ringfort::pim_host
