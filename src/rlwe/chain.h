// SPDX-License-Identifier: Apache-2.0
// The primes of a context. Their order is: auxiliary primes (only for products of BFV), special primes, data primes.
// The data primes form groups of `limbs_per_level`. Level l has the groups 0 .. l. Therefore the limbs of a level are
// neighbours, and a lower level is a shorter view of the same words. Key switching [HanKi20] (key_switch.h) cuts a
// polynomial into digits: digit d has the polynomial's residues modulo digit_limbs data primes, from number d *
// digit_limbs on. The last digit of a level may have fewer primes. At its end, key switching divides by P, the product
// of the special primes, which keeps the noise small. An encryption under a public key ends with a division by the last
// special prime, for the same reason (encryption.h).
#pragma once

#include <algorithm>

#include "math/types.h"

namespace ringfort {

struct Chain {
  u32 auxiliary_limbs = 0;
  u32 special_limbs = 0;
  u32 data_limbs = 0;  // a multiple of limbs_per_level
  u32 limbs_per_level = 1;
  u32 digit_limbs = 1;  // alpha of [HanKi20]; the product of the primes of a digit is at most 2 P
  bool operator==(const Chain&) const = default;

  [[nodiscard]] constexpr u32 limbs() const noexcept { return auxiliary_limbs + special_limbs + data_limbs; }
  [[nodiscard]] constexpr u32 top_level() const noexcept { return data_limbs / limbs_per_level - 1; }

  [[nodiscard]] constexpr Limbs auxiliary() const noexcept { return {0, auxiliary_limbs}; }
  [[nodiscard]] constexpr Limbs special() const noexcept { return {auxiliary_limbs, special_limbs}; }
  [[nodiscard]] constexpr Limbs data(u32 level) const noexcept {
    return {auxiliary_limbs + special_limbs, (level + 1) * limbs_per_level};
  }
  [[nodiscard]] constexpr Limbs data() const noexcept { return data(top_level()); }
  // Returns the primes by which a rescaling from `level` divides.
  [[nodiscard]] constexpr Limbs last_group(u32 level) const noexcept {
    return {auxiliary_limbs + special_limbs + level * limbs_per_level, limbs_per_level};
  }
  // Returns the last special prime, or nothing if there is no special prime.
  [[nodiscard]] constexpr Limbs last_special() const noexcept {
    return {special().end() - std::min(1u, special_limbs), std::min(1u, special_limbs)};
  }
  // Returns the last special prime and the data primes. They are the limbs of public keys, and of encryptions of zero
  // under public keys before the division by the special prime.
  [[nodiscard]] constexpr Limbs under_public(u32 level) const noexcept {
    return {last_special().first, last_special().count + data(level).count};
  }
  // Returns the special and the data primes. They are the limbs of secret keys, key-switching keys and key switching.
  [[nodiscard]] constexpr Limbs extended(u32 level) const noexcept {
    return {auxiliary_limbs, special_limbs + data(level).count};
  }
  [[nodiscard]] constexpr Limbs extended() const noexcept { return extended(top_level()); }

  [[nodiscard]] constexpr u32 digits(u32 level) const noexcept {
    return (data(level).count + digit_limbs - 1) / digit_limbs;
  }
  [[nodiscard]] constexpr Limbs digit(u32 level, u32 index) const noexcept {
    const u32 first = data(level).first + index * digit_limbs;
    return {first, std::min(digit_limbs, data(level).end() - first)};
  }
};

}  // namespace ringfort
