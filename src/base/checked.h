// SPDX-License-Identifier: Apache-2.0
// Sizes that remember an overflow. Checked(n) * limbs * 8 + 64 either has the true value, or its ok() is false. Use
// Checked for every size that is computed from a file or from a caller's value, before an allocation or a read.
#pragma once

#include <cstdint>

namespace ringfort {

class Checked {
 public:
  // NOLINT(google-explicit-constructor): allows n * Checked(m)
  constexpr Checked(std::uint64_t value) noexcept : value_(value) {}
  [[nodiscard]] constexpr bool ok() const noexcept { return ok_; }
  [[nodiscard]] constexpr bool at_most(std::uint64_t limit) const noexcept { return ok_ && value_ <= limit; }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }  // call it only if ok()

  friend constexpr Checked operator+(Checked a, Checked b) noexcept {
    Checked sum(0);
    const bool overflow = __builtin_add_overflow(a.value_, b.value_, &sum.value_);
    sum.ok_ = a.ok_ && b.ok_ && !overflow;
    return sum;
  }
  friend constexpr Checked operator-(Checked a, Checked b) noexcept {
    Checked difference(0);
    const bool overflow = __builtin_sub_overflow(a.value_, b.value_, &difference.value_);
    difference.ok_ = a.ok_ && b.ok_ && !overflow;
    return difference;
  }
  friend constexpr Checked operator*(Checked a, Checked b) noexcept {
    Checked product(0);
    const bool overflow = __builtin_mul_overflow(a.value_, b.value_, &product.value_);
    product.ok_ = a.ok_ && b.ok_ && !overflow;
    return product;
  }

 private:
  std::uint64_t value_;
  bool ok_ = true;
};

}  // namespace ringfort
