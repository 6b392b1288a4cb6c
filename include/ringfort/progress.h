// SPDX-License-Identifier: Apache-2.0
// Progress of a long call, and the means to stop it.
#pragma once

#include <cstdint>
#include <functional>

namespace ringfort {

// The library calls it now and then in the thread of the caller. If it returns false, the work stops with
// Error(stopped), and no partial results remain.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

}  // namespace ringfort
