// SPDX-License-Identifier: Apache-2.0
// The kernels of ChaCha20 [RFC8439]. Each instruction set has a table of functions. sampler.cpp chooses one table once.
// Every table gives the same bytes and the same samples. Files that are compiled for more than the base instruction set
// include this header. Therefore it has only plain types, and no function with external linkage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ringfort::chacha {

// The state before the first block: constants, key, block counter (word 12) and nonce.
struct State {
  std::uint32_t words[16];
};

// Constants of the reduction of x modulo q, where x has 128 bits, and q has m = 28 .. 50 bits. Write
// x = x0 + 2^(m-2) x1 + 2^(m+50) x2, with x0 < 2^(m-2) and x1 < 2^52. Let w1 = 2^(m-2) mod q and w2 = 2^(m+50) mod q.
// Two 52-bit Shoup products (math/reduction_shoup.h) reduce x1 w1 and x2 w2. The sum of x0 and these two results is
// below (1/2 + 2 + 1 + 2^(26-m)) q < 4q < 2^52.
struct Uniform52 {
  std::uint64_t q;
  std::uint64_t low_bits;     // m - 2
  std::uint64_t weight[2];    // weights of x1 and x2
  std::uint64_t quotient[2];  // floor(weight * 2^52 / q)
};

// Zeroes a kernel's copy of the key or of the keystream. The barrier stops the compiler from removing the store.
static inline void forget(void* data, std::size_t bytes) {
  std::memset(data, 0, bytes);
  __asm__ volatile("" : : "r"(data) : "memory");
}

inline constexpr std::uint32_t kLeast52Bits = 28, kMost52Bits = 50;
inline constexpr std::size_t kGroupBlocks = 16;
inline constexpr std::size_t kGroupUniform = kGroupBlocks * 64 / 16;  // number of samples of 16 bytes in a group
inline constexpr std::size_t kGroupCbd = kGroupBlocks * 64 / 8;       // number of samples of 8 bytes in a group

struct Kernels {
  // Writes `count` blocks of 64 bytes. The first block has the counter of the state.
  void (*blocks)(const State& state, std::uint8_t* out, std::size_t count);
  // Fused samplers. They write the samples of `groups` groups of 16 blocks directly from registers. If an entry is
  // nullptr, the caller converts bytes.
  void (*uniform64)(const State& state, const Uniform52& modulus, std::uint64_t* out, std::size_t groups) = nullptr;
  void (*uniform32)(const State& state, const Uniform52& modulus, std::uint32_t* out, std::size_t groups) = nullptr;
  void (*cbd21)(const State& state, std::int8_t* out, std::size_t groups) = nullptr;
  // Applies the reduction of uniform64 to given words, so that tests reach its extremes. `count` is a multiple of 8.
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
