// SPDX-License-Identifier: Apache-2.0
// Galois elements and steps (galois_elements.h).
#include "galois_elements.h"

#include <cstdlib>

#include "errors.h"

namespace seal::detail {

std::uint32_t element_of(int step, std::size_t n) {
  const auto two_n = static_cast<std::uint64_t>(2 * n);
  if (step == 0) return static_cast<std::uint32_t>(two_n - 1);
  if (static_cast<std::size_t>(std::abs(static_cast<long>(step))) >= n / 2) {
    refuse_argument("a rotation by " + std::to_string(step) + " was requested", "rotate by fewer steps than n/2");
  }
  const std::size_t left = step > 0 ? static_cast<std::size_t>(step) : n / 2 - static_cast<std::size_t>(-step);
  std::uint64_t element = 1;
  for (std::size_t i = 0; i < left; ++i) element = element * 3 % two_n;
  return static_cast<std::uint32_t>(element);
}

std::vector<std::uint32_t> slots_by_powers_of_5(std::size_t n) {
  const std::uint64_t two_n = 2 * n;
  const std::size_t half = n / 2;
  std::vector<std::uint32_t> at_root(n), slots(n);  // the slot of each element, at element / 2
  std::uint64_t power = 1;
  for (std::size_t k = 0; k < half; ++k, power = power * 5 % two_n) {
    at_root[power / 2] = static_cast<std::uint32_t>(k);
    at_root[(two_n - power) / 2] = static_cast<std::uint32_t>(half + k);
  }
  power = 1;
  for (std::size_t j = 0; j < half; ++j, power = power * 3 % two_n) {
    slots[j] = at_root[power / 2];
    slots[half + j] = at_root[(two_n - power) / 2];
  }
  return slots;
}

std::vector<int> default_steps(std::size_t n) {
  std::vector<int> steps{0};
  for (int step = 1; static_cast<std::size_t>(step) < n / 2; step *= 2) {
    steps.push_back(step);
    steps.push_back(-step);
  }
  return steps;
}

std::vector<int> signed_powers(int step) {
  std::vector<int> powers;
  for (int power = 1; step != 0; power *= 2, step /= 2) {
    if (step % 2 == 0) continue;
    // The digit is +-1, such that the rest is a multiple of 4: the next digit is then 0.
    const int digit = ((step % 4) + 4) % 4 == 1 ? 1 : -1;
    powers.push_back(digit * power);
    step -= digit;
  }
  return powers;
}

}  // namespace seal::detail
