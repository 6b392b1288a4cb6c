// SPDX-License-Identifier: Apache-2.0
// Decimal texts of words of 128 bits, for messages: std::to_string has no such overload.
#pragma once

#include <string>

#include "math/types.h"

namespace ringfort {

[[nodiscard]] inline std::string decimal(u128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

}  // namespace ringfort
