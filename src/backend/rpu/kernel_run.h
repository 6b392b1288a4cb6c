// SPDX-License-Identifier: Apache-2.0
// A function that is called before every run of a kernel. It has two definitions, of which a program links one. The
// definition in kernel_run.cpp does nothing. The definition in tests/cosim/record_kernels.cpp writes the kernel and the
// memories to files. Nothing can start the recording at run time, because the memories can contain secrets.
#pragma once

#include "backend/rpu/kernel.h"
#include "sim/state.h"

namespace ringfort::rpu_host {

void before_kernel_run(const Kernel& kernel, const rpu::State& state);

}  // namespace ringfort::rpu_host
