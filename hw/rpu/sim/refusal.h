// SPDX-License-Identifier: Apache-2.0
// The exception that the simulators throw if a file, a machine or a command line is unusable. The text states the
// finding and the fix. A program that breaks the rules of the instruction set yields a Trap value instead.
#pragma once

#include <stdexcept>
#include <string>

namespace ringfort::rpu {

class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& problem, const std::string& fix) : std::runtime_error(problem + "; " + fix) {}
};

}  // namespace ringfort::rpu
