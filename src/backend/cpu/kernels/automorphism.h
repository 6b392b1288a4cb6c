// SPDX-License-Identifier: Apache-2.0
// Automorphisms x -> x^g in the evaluation domain. Let n = 2^L be the ring degree. Word j is the value at psi^e,
// where psi is the root of the transform, e = 2 rev(j) + 1, and rev reverses L bits. The automorphism writes the value
// at psi^(e g) to word j. Now divide the words into aligned blocks of 2^k words: j = block 2^k + inner. Then e =
// e_block + rev_k(inner) 2^(L - k + 1), where only e_block depends on the block. Therefore the lower bits of e g depend
// only on the block, and each block of the result has the words of one block of the operand. The order of these words
// is one of 2^k orders (patterns).
#pragma once

#include "backend/cpu/kernels/convert.h"

namespace ringfort::cpu::kernels {

[[gnu::always_inline]] static inline u32 reversed(u32 value, u32 bits) {  // bits >= 1
  value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
  value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
  value = (value & 0x0F0F0F0F) << 4 | (value >> 4 & 0x0F0F0F0F);
  return __builtin_bswap32(value) >> (32 - bits);
}

// Iterates over the blocks of 2^kLog words. Gives the source block and the start of the pattern of each block. n >=
// 2^kLog.
template <u32 kLog>
class SourceBlocks {
 public:
  [[gnu::always_inline]] SourceBlocks(std::size_t n, u32 galois)
      : upper_(static_cast<u32>(__builtin_ctzll(n)) - kLog),
        mask_(static_cast<u32>(2 * n - 1)),
        galois_(galois) {
    next_power();
  }
  [[gnu::always_inline]] void next() {
    ++block_;
    next_power();
  }
  [[gnu::always_inline]] std::size_t block() const {
    return upper_ == 0 ? 0 : reversed(power_ >> 1 & ((1u << upper_) - 1), upper_);
  }
  [[gnu::always_inline]] u32 start() const { return power_ >> (upper_ + 1); }
  [[gnu::always_inline]] u32 inner(u32 start, u32 position) const {
    return reversed((start + reversed(position, kLog) * galois_) & ((1u << kLog) - 1), kLog);
  }

 private:
  [[gnu::always_inline]] void next_power() {
    power_ = (2 * (upper_ == 0 ? 0 : reversed(block_, upper_)) + 1) * galois_ & mask_;
  }
  u32 upper_, mask_, galois_, block_ = 0, power_ = 0;
};

// Sources and patterns of eight blocks whose numbers differ only in the lowest three bits b. The numbers of the eight
// source blocks also differ only in their lowest three bits. The values of e g of the eight blocks differ by rev(b) g
// 2^(upper - 2). Therefore one value of e g determines all eight sources and patterns.
template <u32 kLog>
class EightSourceBlocks {
 public:
  static constexpr u32 kCount = 8;
  [[gnu::always_inline]] EightSourceBlocks(std::size_t n, u32 galois)
      : upper_(static_cast<u32>(__builtin_ctzll(n)) - kLog),
        mask_(static_cast<u32>(2 * n - 1)),
        galois_(galois) {}
  [[gnu::always_inline]] static bool fit(std::size_t n) { return n >= std::size_t{16} << kLog; }
  // Calls f(block, source block, start of its pattern) for the blocks 8 group .. 8 group + 7.
  template <class F>
  [[gnu::always_inline]] void each(u32 group, F f) const {
    const u32 bits = upper_ - 3, power = (2 * reversed(group, bits) + 1) * galois_ & mask_;
    const u32 from = reversed(power >> 1 & ((1u << bits) - 1), bits) << 3, top = power >> (upper_ - 2);
    for (u32 b = 0; b < kCount; ++b) {
      const u32 exponent = top + galois_ * kReversed[b];
      f(group * kCount + b, from | kReversed[exponent & 7], exponent >> 3 & ((1u << kLog) - 1));
    }
  }

 private:
  static constexpr u32 kReversed[kCount] = {0, 4, 2, 6, 1, 5, 3, 7};
  u32 upper_, mask_, galois_;
};

// Applies the automorphism with vectors, for n >= 2^(kLog + 1). P::index(pattern) prepares a pattern from its list of
// source positions, of which it may read 16 bytes. P::move(out, from, index) permutes a vector of 2^P::kLog words by a
// prepared pattern.
template <class P, class W>
void automorphism_vectors(W* out, const W* a, std::size_t n, u32 galois) {
  constexpr u32 kSize = 1u << P::kLog;
  SourceBlocks<P::kLog> sources(n, galois);
  typename P::Index patterns[kSize];
  for (u32 start = 0; start < kSize; ++start) {
    u8 pattern[16] = {};
    for (u32 inner = 0; inner < kSize; ++inner) pattern[inner] = static_cast<u8>(sources.inner(start, inner));
    patterns[start] = P::index(pattern);
  }
  using Eight = EightSourceBlocks<P::kLog>;
  if (Eight::fit(n)) {
    const Eight eight(n, galois);
    for (u32 group = 0; group < n / kSize / Eight::kCount; ++group) {
      eight.each(group, [&](u32 block, u32 from, u32 start) __attribute__((always_inline)) {
        P::move(out + block * kSize, a + from * kSize, patterns[start]);
      });
    }
    return;
  }
  for (std::size_t block = 0; block < n / kSize; ++block, sources.next()) {
    P::move(out + block * kSize, a + sources.block() * kSize, patterns[sources.start()]);
  }
}

template <class W>
[[gnu::always_inline]] inline void automorphism_singly(W* out, const W* a, std::size_t n, u32 galois) {
  SourceBlocks<0> sources(n, galois);
  for (std::size_t j = 0; j < n; ++j, sources.next()) out[j] = a[sources.block()];
}

}  // namespace ringfort::cpu::kernels
