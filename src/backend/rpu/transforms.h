// SPDX-License-Identifier: Apache-2.0
// Kernels of the negacyclic transforms, in place or into a second buffer, with canonical orders of inputs and outputs
// (backend/plan.h). For n >= 1024, a kernel is the generator's best program for `limbs` polynomials at a time, each
// with its own prime, with interleaved butterfly stages. For n < 1024, it is one program for 1024 words: 1024 / n
// polynomials of one prime side by side. The highest bits of an index are then the number of the polynomial, and no
// stage uses them.
#pragma once

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

inline constexpr u32 kLeastBlock = 1024;  // words: two vectors, which a shuffle needs

// Throws rpu::Refusal if the machine's memories do not hold the program.
[[nodiscard]] Kernel transform_kernel(u32 n, u32 limbs, bool inverse, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
