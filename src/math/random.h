// SPDX-License-Identifier: Apache-2.0
// Addressed randomness. A seed and an address select a stream of ChaCha20 (RFC 8439, 32-bit block counter from 0). A
// sample has a fixed position in the stream. Therefore a polynomial is the same on every device and in every order of
// work. The distributions are:
//   uniform mod q : 16 bytes per coefficient, little endian, reduced mod q (bias < 2^-66 for q < 2^62). For
//                   u128 words a coefficient takes 32 bytes, and q must be odd
//   ternary       : 8 bytes w per coefficient, floor(3 w / 2^64) - 1
//   wide sum      : 512 bytes per coefficient, 32 words of 16 bytes: the sum of floor(width w / 2^128) over the first
//                   16 words minus the sum over the other 16; variance 32 (width^2 - 1) / 12, near normal
//   centred binomial k = 21 : 8 bytes per coefficient, popcount(bits 0..20) - popcount(bits 21..41); variance 10.5
// No branch, index or division depends on a sample.
#pragma once

#include <span>

#include "math/types.h"

namespace ringfort {

// These functions draw fresh seeds from the operating system, each with one call. They throw
// Error(entropy_unavailable). The linker chooses the library that defines the source, fill_entropy(): ringfort_entropy
// asks the operating system, and ringfort_testing lets tests choose the bytes.
[[nodiscard]] PublicSeed fresh_public_seed();
[[nodiscard]] SecretSeed fresh_secret_seed();

// Fills `out`. Returns false if it fails or gets too few bytes.
[[nodiscard]] bool fill_entropy(std::span<u8> out) noexcept;

// Writes the keystream of `key` at `address`, from the block with number `first_block` on. A block has 64 bytes.
void chacha20_stream(std::span<const u8, 32> key, const StreamAddress& address, u32 first_block,
                     std::span<u8> out) noexcept;

// Writes coefficient first + i to out[i]. `first` is a multiple of 8.
void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u64 q, u64 first,
                    std::span<u64> out) noexcept;
void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u64 q, u64 first,
                    std::span<u32> out) noexcept;
void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u128 q, u64 first,
                    std::span<u128> out) noexcept;
void sample_ternary(const SecretSeed& seed, const StreamAddress& address, std::span<i8> out) noexcept;
void sample_cbd21(const SecretSeed& seed, const StreamAddress& address, std::span<i8> out) noexcept;
inline constexpr u32 kWideTerms = 32;
// Samples the wide sum, for width <= 2^112.
void sample_wide(const SecretSeed& seed, const StreamAddress& address, u128 width, std::span<i128> out) noexcept;

}  // namespace ringfort
