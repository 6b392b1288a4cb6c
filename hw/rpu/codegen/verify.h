// SPDX-License-Identifier: Apache-2.0
// Compares the results of generated programs with the reference transform (roots.h), for any way of running the
// programs.
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

// Interface of a program: the names of its operands, and the order of its evaluations.
struct KernelInterface {
  std::vector<std::string> operands;
  BitMap order;
};

// Runs the program; returns none if it trapped.
using Runner = std::function<std::optional<Words>(const Inputs& inputs)>;

// Compares on a random input and on an input of the words 0, 1, q - 1.
[[nodiscard]] bool verified(const KernelRequest& request, const KernelInterface& kernel_interface, u64 seed,
                            const Runner& run);

}  // namespace ringfort::rpu
