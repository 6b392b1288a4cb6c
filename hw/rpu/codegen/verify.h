// SPDX-License-Identifier: Apache-2.0
// Generated programs against the reference, whatever runs them: inputs, and what must come out.
#pragma once

#include <functional>
#include <map>

#include "codegen/kernels.h"

namespace ringfort::rpu {

using Words = std::vector<u128>;

// polynomials() * n words of each operand by name, and one scalar for each limb.
struct Inputs {
  std::map<std::string, Words> operands;
  Words scalars;
};

// What a program claims to be: the names of its operands, and the order of its evaluations.
struct KernelInterface {
  std::vector<std::string> operands;
  BitMap order;
};

// Runs the program; none where it trapped.
using Runner = std::function<std::optional<Words>(const Inputs& inputs)>;

// On a random input and on one of 0, 1, q - 1.
[[nodiscard]] bool verified(const KernelRequest& request, const KernelInterface& kernel_interface, u64 seed,
                            const Runner& run);

}  // namespace ringfort::rpu
