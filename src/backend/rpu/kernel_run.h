// SPDX-License-Identifier: Apache-2.0
// A function that is called before every run of a kernel. The linker chooses it: that of kernel_run.cpp does nothing;
// that of the program tests/cosim/record_kernels.cpp writes program and memories to files. It cannot be replaced at run
// time, because the memories can contain secrets.
#pragma once

#include "backend/rpu/kernel.h"
#include "sim/state.h"

namespace ringfort::rpu_host {

void before_kernel_run(const Kernel& kernel, const rpu::State& state);

}  // namespace ringfort::rpu_host
