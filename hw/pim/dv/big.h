// SPDX-License-Identifier: Apache-2.0
// Big integers for the tests of base conversion. The digits have 32 bits, the least significant first. Products are
// schoolbook products. Divisors have one digit.
#pragma once

#include <algorithm>
#include <vector>

#include "reference.h"

namespace ringfort::pim::testing {

class Big {
 public:
  explicit Big(u32 value = 0) : digits_{value} {}

  // Returns this * factor + term.
  Big times_plus(u32 factor, u32 term) const {
    Big result;
    result.digits_.clear();
    u64 carry = term;
    for (u32 digit : digits_) {
      carry += u64{digit} * factor;
      result.digits_.push_back(static_cast<u32>(carry));
      carry >>= 32;
    }
    if (carry != 0) result.digits_.push_back(static_cast<u32>(carry));
    return result;
  }

  u32 mod(u32 q) const {
    u64 rest = 0;
    for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) rest = ((rest << 32) | *digit) % q;
    return static_cast<u32>(rest);
  }

  bool below(const Big& other) const {
    if (digits_.size() != other.digits_.size()) return digits_.size() < other.digits_.size();
    return std::lexicographical_compare(digits_.rbegin(), digits_.rend(), other.digits_.rbegin(), other.digits_.rend());
  }

  // Returns this / 2^(32 dropped), rounded down. `dropped` is below size(), or is reduced to size() - 1.
  Big upper(std::size_t dropped) const {
    Big result;
    result.digits_.assign(digits_.begin() + static_cast<std::ptrdiff_t>(std::min(dropped, digits_.size() - 1)),
                          digits_.end());
    return result;
  }
  std::size_t size() const { return digits_.size(); }

 private:
  std::vector<u32> digits_;
};

inline Big product(const std::vector<u32>& factors) {
  Big result(1);
  for (u32 factor : factors) result = result.times_plus(factor, 0);
  return result;
}

}  // namespace ringfort::pim::testing
