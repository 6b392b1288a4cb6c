// SPDX-License-Identifier: Apache-2.0
// Automorphisms in the evaluation domain. Place j holds the value at psi^e, e = 2 rev(j) + 1, which becomes the one at
// psi^(e g). With j = block 2^k + inner and n = 2^L, e = e_block + rev_k(inner) 2^(L - k + 1): the lower bits of e g come from the
// block alone, so aligned blocks of 2^k words move as a whole, and inside one they are permuted by one of 2^k patterns.
#pragma once

#include "backend/cpu/kernels/convert.h"

namespace ringfort::cpu::kernels {

[[gnu::always_inline]] static inline u32 reversed(u32 value, u32 bits) {       // bits >= 1
  value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
  value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
  value = (value & 0x0F0F0F0F) << 4 | (value >> 4 & 0x0F0F0F0F);
  return __builtin_bswap32(value) >> (32 - bits);
}

// The blocks of 2^kLog words in order, and where each one's words come from. n > 2^kLog.
template <u32 kLog>
class Places {
 public:
  [[gnu::always_inline]] Places(std::size_t n, u32 galois)
      : upper_(static_cast<u32>(__builtin_ctzll(n)) - kLog), mask_(static_cast<u32>(2 * n - 1)), galois_(galois) {
    next_power();
  }
  [[gnu::always_inline]] void next() {
    ++block_;
    next_power();
  }
  [[gnu::always_inline]] std::size_t block() const { return upper_ == 0 ? 0 : reversed(power_ >> 1 & ((1u << upper_) - 1), upper_); }
  [[gnu::always_inline]] u32 start() const { return power_ >> (upper_ + 1); }
  [[gnu::always_inline]] u32 inner(u32 start, u32 place) const {
    return reversed((start + reversed(place, kLog) * galois_) & ((1u << kLog) - 1), kLog);
  }

 private:
  [[gnu::always_inline]] void next_power() { power_ = (2 * (upper_ == 0 ? 0 : reversed(block_, upper_)) + 1) * galois_ & mask_; }
  u32 upper_, mask_, galois_, block_ = 0, power_ = 0;
};

// P: Index, kLog, index(places of one pattern, 16 readable), move(out, from, index): one vector. n >= 2^(kLog + 1).
template <class P, class W>
void substitute_vectors(W* out, const W* a, std::size_t n, u32 galois) {
  constexpr u32 kSize = 1u << P::kLog;
  Places<P::kLog> places(n, galois);
  typename P::Index patterns[kSize];
  for (u32 start = 0; start < kSize; ++start) {
    u8 pattern[16] = {};
    for (u32 inner = 0; inner < kSize; ++inner) pattern[inner] = static_cast<u8>(places.inner(start, inner));
    patterns[start] = P::index(pattern);
  }
  for (std::size_t block = 0; block < n / kSize; ++block, places.next()) {
    P::move(out + block * kSize, a + places.block() * kSize, patterns[places.start()]);
  }
}

template <class W>
[[gnu::always_inline]] inline void substitute_singly(W* out, const W* a, std::size_t n, u32 galois) {
  Places<0> places(n, galois);
  for (std::size_t j = 0; j < n; ++j, places.next()) out[j] = a[places.block()];
}

}  // namespace ringfort::cpu::kernels
