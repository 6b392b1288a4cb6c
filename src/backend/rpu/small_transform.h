// SPDX-License-Identifier: Apache-2.0
// Transforms of polynomials with n < 1024 coefficients. Two vectors hold 1024 / n such polynomials side by side. One
// bit of the index of a word selects the vector. A butterfly combines two vectors element by element, that is, words
// whose indices differ in this bit. Each stage of a transform needs another bit. A shuffle instruction makes a
// neighbouring bit select the vector: the bit below after the instructions UNPKLO and UNPKHI, the bit above after PKLO
// and PKHI (hw/rpu/doc/isa.md). Therefore nine shuffles reach all ten bits.
#pragma once

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

[[nodiscard]] Kernel small_transform(u32 n, bool inverse, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
