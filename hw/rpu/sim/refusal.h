// SPDX-License-Identifier: Apache-2.0
// The one exception of the simulators: a file, a machine or a command line that cannot be used. The text says what was
// found and what to do. A program that breaks the instruction set's rules is not an exception but a Trap value.
#pragma once

#include <stdexcept>
#include <string>

namespace ringfort::rpu {

class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& problem, const std::string& fix) : std::runtime_error(problem + "; " + fix) {}
};

}  // namespace ringfort::rpu
