// SPDX-License-Identifier: Apache-2.0
// The longest modulus, in bits, that is secure for a degree and a ternary secret: the tables of [Albrecht18], which
// SEAL applies. 0: the tables have no row for this degree. `tc`: attacks by classical computers, `tq`: by quantum
// computers.
#pragma once

#include <cstddef>

#include "seal/util/defines.h"

namespace seal {
namespace util {

// Returns the entry for degrees 1024, 2048 .. 32768.
constexpr int entry_for_degree(std::size_t degree, const int (&bits)[6]) noexcept {
  for (std::size_t i = 0; i < 6; ++i) {
    if (degree == std::size_t(1024) << i) return bits[i];
  }
  return 0;
}

[[nodiscard]] constexpr int seal_he_std_parms_128_tc(std::size_t poly_modulus_degree) noexcept {
  return entry_for_degree(poly_modulus_degree, {27, 54, 109, 218, 438, 881});
}
[[nodiscard]] constexpr int seal_he_std_parms_192_tc(std::size_t poly_modulus_degree) noexcept {
  return entry_for_degree(poly_modulus_degree, {19, 37, 75, 152, 305, 611});
}
[[nodiscard]] constexpr int seal_he_std_parms_256_tc(std::size_t poly_modulus_degree) noexcept {
  return entry_for_degree(poly_modulus_degree, {14, 29, 58, 118, 237, 476});
}
[[nodiscard]] constexpr int seal_he_std_parms_128_tq(std::size_t poly_modulus_degree) noexcept {
  return entry_for_degree(poly_modulus_degree, {25, 51, 101, 202, 411, 827});
}
[[nodiscard]] constexpr int seal_he_std_parms_192_tq(std::size_t poly_modulus_degree) noexcept {
  return entry_for_degree(poly_modulus_degree, {17, 35, 70, 141, 284, 571});
}
[[nodiscard]] constexpr int seal_he_std_parms_256_tq(std::size_t poly_modulus_degree) noexcept {
  return entry_for_degree(poly_modulus_degree, {13, 27, 54, 109, 220, 443});
}

constexpr double seal_he_std_parms_error_std_dev = 3.2;

}  // namespace util
}  // namespace seal
