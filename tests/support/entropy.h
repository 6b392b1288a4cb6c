// SPDX-License-Identifier: Apache-2.0
// Chosen seeds, for tests only: the linker takes this fill_entropy instead of ringfort_entropy's.
#pragma once

#include <cstdint>

namespace ringfort::testing {

// Every later seed is derived from `seed` and a counter; call it first in a test. Thread-safe counter, so a test that
// compares thread numbers must draw its seeds in one thread.
void choose_seed(std::uint64_t seed);

// The k-th request from now on fails (1 = the next); 0 switches failures off.
void fail_entropy_at(std::uint64_t k);

}  // namespace ringfort::testing
