// SPDX-License-Identifier: Apache-2.0
// Writes a plan (plan.h) as a program in plain C, with one statement for each operation of the dataflow (dataflow.h).
// The C program has no registers and no schedule. It reads the operands, in their order, from standard input, as words
// of 16 bytes, little endian. For multiply_scalar it then reads the scalars. It writes the result to standard output.
// It multiplies bit by bit, with shifts and additions, and is therefore slow. Its purpose is to check generated
// programs.
#pragma once

#include <string>

#include "codegen/kernels.h"

namespace ringfort::rpu {

[[nodiscard]] std::string c_source(const KernelPlan& plan, const KernelRequest& request);

}  // namespace ringfort::rpu
