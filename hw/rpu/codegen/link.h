// SPDX-License-Identifier: Apache-2.0
// Adds the parts of an image (sim/image.h) that all generated programs have: kernels, one after another, and the scalar
// data memory with its symbols "zero", "moduli" and "scalars" (scalar_loads.h).
#pragma once

#include "codegen/schedule.h"
#include "sim/image.h"

namespace ringfort::rpu {

void add_kernel(Image& image, const std::string& name, const Schedule& schedule);
void add_scalar_memory(Image& image, const std::vector<u128>& moduli, const std::vector<u128>& scalars);

}  // namespace ringfort::rpu
