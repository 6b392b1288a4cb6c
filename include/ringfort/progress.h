// SPDX-License-Identifier: Apache-2.0
// Type of the functions that observe the progress of a long call and can stop it.
#pragma once

#include <cstdint>
#include <functional>

namespace ringfort {

// The library calls the function now and then, in the thread of the caller. If the function returns false, the call
// ends with Error(stopped). Only search::add_documents then keeps a partial result.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

}  // namespace ringfort
