// SPDX-License-Identifier: Apache-2.0
// The exception that the simulators throw if they cannot use a file, a machine or a command line. The text states what
// was found and how to fix it. A program that breaks a rule of the instruction set does not throw: the result is a
// Trap.
#pragma once

#include <stdexcept>
#include <string>

namespace ringfort::rpu {

class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& problem, const std::string& fix) : std::runtime_error(problem + "; " + fix) {}
};

}  // namespace ringfort::rpu
