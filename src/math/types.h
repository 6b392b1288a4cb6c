// SPDX-License-Identifier: Apache-2.0
// Types of words, limbs and seeds. All folders of src except base use them. math/word.h has the arithmetic on words.
#pragma once

#include <array>
#include <cstdint>

#include "base/secret.h"

namespace ringfort {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i64 = std::int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

enum class Word : u8 { u32, u64, u128 };

[[nodiscard]] constexpr std::size_t word_bytes(Word word) noexcept {
  return word == Word::u32 ? 4 : word == Word::u64 ? 8 : 16;
}

// A range of neighbouring limbs (primes) of a plan (backend/plan.h).
struct Limbs {
  u32 first = 0;
  u32 count = 0;
  [[nodiscard]] constexpr u32 end() const noexcept { return first + count; }
  bool operator==(const Limbs&) const = default;
};

// Returns the limbs that are in both ranges. If there are none, its count is 0.
[[nodiscard]] constexpr Limbs common(Limbs x, Limbs y) noexcept {
  const u32 first = x.first > y.first ? x.first : y.first, end = x.end() < y.end() ? x.end() : y.end();
  return {first, end > first ? end - first : 0};
}

// A public seed may be stored and sent. A secret seed never leaves the process. Neither converts into the other.
struct PublicSeed {
  std::array<u8, 32> bytes{};
  bool operator==(const PublicSeed&) const = default;
};

class SecretSeed {
 public:
  SecretSeed() : bytes_(32) {}
  [[nodiscard]] Secret<u8>& bytes() noexcept { return bytes_; }
  [[nodiscard]] const Secret<u8>& bytes() const noexcept { return bytes_; }

 private:
  Secret<u8> bytes_;
};

// The purpose of a stream of random numbers. The numbers are part of the file format. Append new numbers, and never
// change the existing numbers.
enum class Purpose : u16 {
  uniform_a = 1,  // uniform polynomials of keys and ciphertexts
  secret_key = 2,
  error_0 = 3,
  error_1 = 4,
  encryption_r = 5,  // ternary randomness of public-key encryption
  flood = 6,         // noise that hides the error of a released result
};

// The 96-bit nonce of ChaCha20. It has purpose (16 bits), object (48), limb (16) and digit (16), in this order, little
// endian.
struct StreamAddress {
  Purpose purpose = Purpose::uniform_a;
  u64 object = 0;  // < 2^48
  u16 limb = 0;
  u16 digit = 0;
};

}  // namespace ringfort
