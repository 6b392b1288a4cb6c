// SPDX-License-Identifier: Apache-2.0
// The other target of a plan: plain C, one statement for each operation of the dataflow, without registers or schedule.
// It reads the operands from standard input, one after the other, words of 16 bytes, little endian (behind them the
// scalars of multiply_scalar), and writes the result. Arithmetic by shifts and additions, one bit after the other: to
// compare with, not for speed.
#pragma once

#include <string>

#include "codegen/kernels.h"

namespace ringfort::rpu {

[[nodiscard]] std::string c_source(const KernelPlan& plan, const KernelRequest& request);

}  // namespace ringfort::rpu
