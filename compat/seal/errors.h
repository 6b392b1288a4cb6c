// SPDX-License-Identifier: Apache-2.0
// Programs that were written for SEAL catch exceptions of the standard library. translated() runs a function, and turns
// a ringfort::Error into the class that SEAL throws for the same misuse.
#pragma once

#include <string>
#include <utility>

#include "ringfort/error.h"

namespace seal::detail {

// std::invalid_argument: operands that the caller should not have passed. std::logic_error: an object or a file that is
// not valid, or a result that the caller should not have requested. std::runtime_error: the machine failed.
// std::bad_alloc: too little memory.
[[noreturn]] void throw_translated(const ringfort::Error& error);

template <class F>
auto translated(F&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const ringfort::Error& error) { throw_translated(error); }
}

[[noreturn]] void refuse_argument(const std::string& problem, const std::string& fix);  // std::invalid_argument
[[noreturn]] void refuse_state(const std::string& problem, const std::string& fix);     // std::logic_error

}  // namespace seal::detail
