// SPDX-License-Identifier: Apache-2.0
// Called before every run of a kernel. The linker chooses the function: kernel_run.cpp does nothing, and the program
// tests/cosim/record_kernels.cpp has its own, which writes program and memories to files. Nothing at run time replaces
// one by the other, because the memories can hold secrets.
#pragma once

#include "backend/rpu/kernel.h"
#include "sim/state.h"

namespace ringfort::rpu_host {

void before_kernel_run(const Kernel& kernel, const rpu::State& state);

}  // namespace ringfort::rpu_host
