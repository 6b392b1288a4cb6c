// SPDX-License-Identifier: Apache-2.0
// The transforms of 1024 / n polynomials of n < 1024 coefficients, side by side in two vectors. Every shuffle exposes
// the next bit of the index (UNPK: the one below, PK: the one above), so that nine of them lead around all ten places.
#pragma once

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

[[nodiscard]] Kernel small_transform(u32 n, bool inverse, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
