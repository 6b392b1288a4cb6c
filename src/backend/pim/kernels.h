// SPDX-License-Identifier: Apache-2.0
// The programs of hw/pim/kernels, embedded in this library.
#pragma once

#include <dpu.h>

#include "math/types.h"

namespace ringfort::pim_host {

enum class Kernel : u8 { elementwise, ntt, tensor, automorphism, decompose, inner_product, convert, expand };

[[nodiscard]] dpu_incbin_t& program_of(Kernel kernel) noexcept;
// Returns false if the library was built without a compiler for DPUs. Then kernels compute on the host, and cycles come
// from the cost table.
[[nodiscard]] bool has_instructions() noexcept;

}  // namespace ringfort::pim_host
