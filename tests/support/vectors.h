// SPDX-License-Identifier: Apache-2.0
// Reads known answers in tests/vectors (JSON). Converts 128-bit numbers from and to decimal text.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "math/types.h"

namespace ringfort::testing {

[[nodiscard]] nlohmann::json read_vectors(const std::string& file);  // throws std::runtime_error

[[nodiscard]] u128 parse_decimal(std::string_view digits);
[[nodiscard]] std::string decimal(u128 value);

// Returns one step of the splitmix64 generator on x. Many vectors use its output as input.
[[nodiscard]] constexpr u64 splitmix64(u64 x) noexcept {
  x += 0x9E3779B97F4A7C15;  // floor(2^64 / golden ratio), odd
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

}  // namespace ringfort::testing
