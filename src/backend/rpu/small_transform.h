// SPDX-License-Identifier: Apache-2.0
// Transforms of 1024 / n polynomials of n < 1024 coefficients, side by side in two vectors. One bit of a word's index
// selects the vector. After a shuffle, a neighbouring bit selects the vector: after UNPK the bit below, after PK the
// bit above. Therefore nine shuffles reach all ten bits.
#pragma once

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

[[nodiscard]] Kernel small_transform(u32 n, bool inverse, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
