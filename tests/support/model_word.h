// SPDX-License-Identifier: Apache-2.0
// ModelWord<B> is an unsigned word of B <= 15 bits. Its operators wrap modulo 2^B. The library's word arithmetic
// consists of templates over the type of word. With words of 8 bits, tests run these templates for every modulus and
// every input. With words of 10 bits, some tests try only a sample.
#pragma once

#include <cstdint>

#include "math/word.h"

namespace ringfort {

namespace testing {

template <u32 B>
class ModelWord {
 public:
  static constexpr u32 kMask = (1u << B) - 1;
  constexpr ModelWord() = default;
  constexpr explicit ModelWord(u32 value) noexcept : value_(value & kMask) {}
  [[nodiscard]] constexpr u32 value() const noexcept { return value_; }
  bool operator==(const ModelWord&) const = default;
  auto operator<=>(const ModelWord&) const = default;
  friend constexpr ModelWord operator+(ModelWord a, ModelWord b) noexcept { return ModelWord(a.value_ + b.value_); }
  friend constexpr ModelWord operator-(ModelWord a, ModelWord b) noexcept { return ModelWord(a.value_ - b.value_); }
  friend constexpr ModelWord operator*(ModelWord a, ModelWord b) noexcept { return ModelWord(a.value_ * b.value_); }
  friend constexpr ModelWord operator&(ModelWord a, ModelWord b) noexcept { return ModelWord(a.value_ & b.value_); }
  friend constexpr ModelWord operator|(ModelWord a, ModelWord b) noexcept { return ModelWord(a.value_ | b.value_); }
  friend constexpr ModelWord operator<<(ModelWord a, u32 count) noexcept { return ModelWord(a.value_ << count); }
  friend constexpr ModelWord operator>>(ModelWord a, u32 count) noexcept { return ModelWord(a.value_ >> count); }

 private:
  u32 value_ = 0;
};

}  // namespace testing

template <u32 B>
struct WordTraits<testing::ModelWord<B>> {
  static constexpr u32 kBits = B;
  using W = testing::ModelWord<B>;
  using Wide = u32;
  static constexpr Wide multiply(W a, W b) noexcept { return a.value() * b.value(); }
  static constexpr Wide join(W hi, W lo) noexcept { return hi.value() << B | lo.value(); }
  static constexpr W low(Wide x) noexcept { return W(x); }
  static constexpr W high(Wide x) noexcept { return W(x >> B); }
  static constexpr W shift_low(Wide x, u32 count) noexcept { return W(x >> count); }
};

}  // namespace ringfort
