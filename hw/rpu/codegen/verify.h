// SPDX-License-Identifier: Apache-2.0
// Compares the results of a program with the reference: the transform of roots.h, or arithmetic on single words.
// kernels.h lists the functions that a program can compute. The caller supplies the function that runs the program.
// hw/rpu/README.md explains the terms.
#pragma once

#include <functional>
#include <map>

#include "codegen/kernels.h"

namespace ringfort::rpu {

using Words = std::vector<u128>;

// The inputs of a program: polynomials() * n words for the name of each operand, and one scalar for each limb.
struct Inputs {
  std::map<std::string, Words> operands;
  Words scalars;
};

// The names of a program's operands, and the order of its evaluations (KernelPlan::order).
struct KernelInterface {
  std::vector<std::string> operands;
  BitMap order;
};

// Runs the program with these inputs. Returns its result, or none if a trap stopped it.
using Runner = std::function<std::optional<Words>(const Inputs& inputs)>;

// Compares results for a random input, and for an input of the words 0, 1 and q - 1.
[[nodiscard]] bool verified(const KernelRequest& request, const KernelInterface& kernel_interface, u64 seed,
                            const Runner& run);

}  // namespace ringfort::rpu
