// SPDX-License-Identifier: Apache-2.0
// Writes a plan (plan.h: a dataflow of vector operations with its constants) as a program in plain C: one statement per
// operation, without registers or schedule. The program reads the operands from standard input in their order, as words
// of 16 bytes, little endian, then the scalars of multiply_scalar, and writes the result. It multiplies bit by bit,
// with shifts and additions, and is therefore slow: its purpose is to check generated programs.
#pragma once

#include <string>

#include "codegen/kernels.h"

namespace ringfort::rpu {

[[nodiscard]] std::string c_source(const KernelPlan& plan, const KernelRequest& request);

}  // namespace ringfort::rpu
