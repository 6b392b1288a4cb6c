// SPDX-License-Identifier: Apache-2.0
// The definition that does nothing (kernel_run.h).
#include "backend/rpu/kernel_run.h"

namespace ringfort::rpu_host {

void before_kernel_run(const Kernel&, const rpu::State&) {}

}  // namespace ringfort::rpu_host
