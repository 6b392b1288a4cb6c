// SPDX-License-Identifier: Apache-2.0
// How far a long call is, and the way to stop it.
#pragma once

#include <cstdint>
#include <functional>

namespace ringfort {

// Called now and then from the calling thread; false stops the work: Error(stopped), nothing half done remains.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

}  // namespace ringfort
