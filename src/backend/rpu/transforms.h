// SPDX-License-Identifier: Apache-2.0
// Kernels of the negacyclic transforms, in place or into a second buffer, canonical orders on both sides (backend.h).
// n >= 1024: the generator's best program for `limbs` polynomials at a time, each with a prime of its own; its stages
// of a butterfly are interleaved. n < 1024: one program for 1024 words, 1024 / n polynomials of one prime side by side,
// which the highest bits of the index number and no stage touches.
#pragma once

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

inline constexpr u32 kLeastBlock = 1024;  // words: two vectors, which a shuffle needs

// Throws rpu::Refusal where the machine's memories do not hold the program.
[[nodiscard]] Kernel transform_kernel(u32 n, u32 limbs, bool inverse, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
