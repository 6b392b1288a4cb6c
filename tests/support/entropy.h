// SPDX-License-Identifier: Apache-2.0
// Deterministic seeds, for tests only: the linker takes this fill_entropy instead of ringfort_entropy's.
#pragma once

#include <cstdint>

namespace ringfort::testing {

// Derives every later seed from `seed` and a counter; call it first in a test. The counter is thread-safe, but a test
// that compares thread counts must draw its seeds in one thread.
void choose_seed(std::uint64_t seed);

// Makes the k-th request from now on fail (1 = the next); 0 switches failures off.
void fail_entropy_at(std::uint64_t k);

}  // namespace ringfort::testing
