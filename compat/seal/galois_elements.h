// SPDX-License-Identifier: Apache-2.0
// Galois elements: odd g below 2n, for the automorphism x -> x^g. SEAL numbers the slots of a row by powers of 3: slot
// j is the value at psi^(3^j), and 3^k rotates slots by k steps. Ringfort numbers them by powers of 5
// (ringfort/ring.h). Both powers are all elements up to their sign.
#pragma once

#include <cstdint>
#include <vector>

namespace seal::detail {

// Returns the element of a step to the left: 3^step modulo 2n. Step 0 gives that of the exchange of rows, which is the
// element -1. Throws std::invalid_argument unless |step| < n/2.
[[nodiscard]] std::uint32_t element_of(int step, std::size_t n);
// Returns, for each slot of SEAL, the slot of Ringfort. Slots are numbered row by row.
[[nodiscard]] std::vector<std::uint32_t> slots_by_powers_of_5(std::size_t n);
// Returns the steps 2^i to both sides, and 0.
[[nodiscard]] std::vector<int> default_steps(std::size_t n);
// Returns the fewest signed powers of two whose sum is `step`, smallest first.
[[nodiscard]] std::vector<int> signed_powers(int step);

}  // namespace seal::detail
