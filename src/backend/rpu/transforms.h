// SPDX-License-Identifier: Apache-2.0
// Kernels of transforms modulo x^n + 1, in place or into a second buffer. Inputs and outputs are in the canonical
// orders (backend/plan.h). For n >= 1024, a kernel is the best program of the generator (hw/rpu/codegen) for `limbs`
// polynomials at a time. Each polynomial has its own prime, and the butterfly stages of the polynomials are
// interleaved. For n < 1024, a kernel is one program for 1024 words: 1024 / n polynomials of one prime side by side.
// Then the highest bits of an index are the number of the polynomial, and no stage uses them.
#pragma once

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

inline constexpr u32 kLeastWords = 1024;  // least size of an operand: two vectors, which a shuffle needs

// Throws rpu::Refusal if the memories of the machine cannot hold the program.
[[nodiscard]] Kernel transform_kernel(u32 n, u32 limbs, bool inverse, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
