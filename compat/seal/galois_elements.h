// SPDX-License-Identifier: Apache-2.0
// Galois elements: odd g below 2n, for the automorphism x -> x^g. Every g is 5^k or -5^k modulo 2n, with k below n/2.
// Here 5^k rotates slots by k steps. SEAL numbers slots by powers of 3, and programs know the key of a step as that of
// the element 3^k. Therefore keys that are made for steps have these names.
#pragma once

#include <cstdint>
#include <vector>

#include "ringfort/keys.h"

namespace seal::detail {

struct Automorphism {
  std::int32_t step;    // a rotation by k steps to the left: 5^k
  bool exchanges_rows;  // the exchange of rows, or conjugation: -1
};

// Returns the name of the key for a step to the left: 3^step modulo 2n. Step 0 gives that of the exchange of rows,
// which is the element -1. Throws std::invalid_argument unless |step| < n/2.
[[nodiscard]] std::uint32_t element_of(int step, std::size_t n);
// Throws std::invalid_argument unless `element` is odd and below 2n.
[[nodiscard]] Automorphism automorphism_of(std::uint32_t element, std::size_t n);
// Tells, for the index g/2 of each element g, whether g is a name of keys that have this plan: the name of a step, or
// an element whose rotation and exchange of rows have keys. The element 1 needs no key.
[[nodiscard]] std::vector<bool> names_of(const ringfort::KeyPlan& plan, std::size_t n);
// Returns the steps 2^i to both sides, and 0.
[[nodiscard]] std::vector<int> default_steps(std::size_t n);
// Returns the fewest signed powers of two whose sum is `step`, smallest first.
[[nodiscard]] std::vector<int> signed_powers(int step);

}  // namespace seal::detail
