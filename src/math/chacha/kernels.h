// SPDX-License-Identifier: Apache-2.0
// ChaCha20 [RFC8439] kernels of each instruction set, as tables of functions; random.cpp chooses one table once. Every
// table gives the same bytes and the same samples. Files compiled for more than the base instruction set include this
// header. Therefore it has only plain types, and no function with external linkage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ringfort::chacha {

// Constants, key, block counter (word 12) and nonce of the first block.
struct State {
  std::uint32_t words[16];
};

// Constants of x mod q, for x of 128 bits and q of m = 28 .. 50 bits. Write x = x0 + 2^(m-2) x1 + 2^(m+50) x2. Two
// 52-bit Shoup products reduce x1 (2^(m-2) mod q) and x2 (2^(m+50) mod q). Their sum with x0 is below (1/2 + 2 + 1 +
// 2^(26-m)) q < 4q < 2^52.
struct Uniform52 {
  std::uint64_t q;
  std::uint64_t low_bits;     // m - 2
  std::uint64_t weight[2];    // weights of x1 and x2
  std::uint64_t quotient[2];  // floor(weight * 2^52 / q)
};

// Zeroes a kernel's copy of key or keystream; the barrier stops the compiler from removing the store.
static inline void forget(void* data, std::size_t bytes) {
  std::memset(data, 0, bytes);
  __asm__ volatile("" : : "r"(data) : "memory");
}

inline constexpr std::uint32_t kLeast52Bits = 28, kMost52Bits = 50;
inline constexpr std::size_t kGroupBlocks = 16;
inline constexpr std::size_t kGroupUniform = kGroupBlocks * 64 / 16;  // samples of 16 bytes in a group
inline constexpr std::size_t kGroupCbd = kGroupBlocks * 64 / 8;       // samples of 8 bytes

struct Kernels {
  // Writes `count` blocks of 64 bytes, starting at the state's counter.
  void (*blocks)(const State& state, std::uint8_t* out, std::size_t count);
  // Fused samplers: write the samples of `groups` groups of 16 blocks directly from registers. nullptr: the caller must
  // convert bytes.
  void (*uniform64)(const State& state, const Uniform52& modulus, std::uint64_t* out, std::size_t groups) = nullptr;
  void (*uniform32)(const State& state, const Uniform52& modulus, std::uint32_t* out, std::size_t groups) = nullptr;
  void (*cbd21)(const State& state, std::int8_t* out, std::size_t groups) = nullptr;
  // Applies the reduction of uniform64 to chosen words, so that tests reach its extremes. `count` is a multiple of 8.
  void (*reduce52)(const Uniform52& modulus, const std::uint64_t* low, const std::uint64_t* high, std::uint64_t* out,
                   std::size_t count) = nullptr;
};

extern const Kernels kGeneric;
#if defined(__x86_64__)
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kIfma;
#endif

}  // namespace ringfort::chacha
