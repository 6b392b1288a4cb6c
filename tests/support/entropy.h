// SPDX-License-Identifier: Apache-2.0
// Deterministic seeds, for tests only. In test programs, the linker takes the function fill_entropy from entropy.cpp
// beside this file, and not from the library ringfort_entropy, which asks the operating system.
#pragma once

#include <cstdint>

namespace ringfort::testing {

// Derives every later seed from `seed` and a counter. Call it first in a test. The counter is thread-safe. But a test
// that compares numbers of threads must draw its seeds in one thread.
void choose_seed(std::uint64_t seed);

// Makes the k-th request for random bytes from now on fail. If k is 1, the next request fails. If k is 0, no request
// fails.
void fail_entropy_at(std::uint64_t k);

}  // namespace ringfort::testing
