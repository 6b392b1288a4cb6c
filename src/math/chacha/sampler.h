// SPDX-License-Identifier: Apache-2.0
// The samplers of math/random.h, for a given table of kernels. random.cpp passes the table for this processor. Tests
// pass every table. Only files of the folder math include this header.
#pragma once

#include <span>

#include "base/cpu.h"
#include "math/chacha/kernels.h"
#include "math/random.h"
#include "math/word.h"

namespace ringfort::chacha {

[[nodiscard]] const Kernels& kernels_of(Isa isa) noexcept;

// Returns the table for chosen_isa(), which is determined once.
[[nodiscard]] const Kernels& chosen_kernels() noexcept;

// Computes x mod q for any x = hi 2^64 + lo and 2 <= q < 2^62. It uses two Shoup products, each of which is below 2q.
class WideRemainder {
 public:
  explicit WideRemainder(u64 q) noexcept;
  [[nodiscard]] u64 operator()(u64 lo, u64 hi) const noexcept {
    const u64 quotient = mulhi<u64>(hi, weight_quotient_) + mulhi<u64>(lo, unit_quotient_);
    const u64 rest = hi * weight_ + lo - quotient * q_;  // below 4q; terms wrap around, but their sum is right
    return subtract_if_not_below<u64>(subtract_if_not_below<u64>(rest, 2 * q_), q_);
  }

 private:
  u64 q_;
  u64 weight_;           // 2^64 mod q
  u64 weight_quotient_;  // floor(weight 2^64 / q)
  u64 unit_quotient_;    // floor(2^64 / q)
};

// Returns the constants of the 52-bit kernels. The length of q is kLeast52Bits .. kMost52Bits.
[[nodiscard]] Uniform52 uniform52(u64 q) noexcept;

class Sampler {
 public:
  Sampler(const Kernels& kernels, std::span<const u8, 32> key, const StreamAddress& address) noexcept;
  ~Sampler();  // wipes the key
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void stream(u32 first_block, std::span<u8> out) noexcept;
  template <class W>
  void uniform(u64 q, u64 first, std::span<W> out) noexcept;  // W is u32 or u64
  void uniform128(u128 q, u64 first, std::span<u128> out) noexcept;
  void ternary(std::span<i8> out) noexcept;
  void cbd21(std::span<i8> out) noexcept;

 private:
  // Calls convert(bytes, i) for the samples from .. count - 1, which have sample_bytes bytes each. Sample 0 begins the
  // block with number first_block.
  template <class Convert>
  void convert_each(u32 first_block, std::size_t from, std::size_t count, std::size_t sample_bytes,
                    Convert convert) noexcept;
  [[nodiscard]] const State& at_block(u64 block) noexcept;

  const Kernels& kernels_;
  State state_{};
};

}  // namespace ringfort::chacha
