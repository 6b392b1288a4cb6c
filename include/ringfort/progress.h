// SPDX-License-Identifier: Apache-2.0
// Progress of a long call, and the means to stop it.
#pragma once

#include <cstdint>
#include <functional>

namespace ringfort {

// Called now and then from the calling thread. A result of false stops the work: Error(stopped); no partial results
// remain.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

}  // namespace ringfort
