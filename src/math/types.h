// SPDX-License-Identifier: Apache-2.0
// Types of residue words, limbs and seeds, which all folders of src but base use. Arithmetic is in math/word.h.
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

// Neighbouring limbs of a plan.
struct Limbs {
  u32 first = 0;
  u32 count = 0;
  [[nodiscard]] constexpr u32 end() const noexcept { return first + count; }
  bool operator==(const Limbs&) const = default;
};

// Returns the limbs in both ranges; count 0 if there are none.
[[nodiscard]] constexpr Limbs common(Limbs x, Limbs y) noexcept {
  const u32 first = x.first > y.first ? x.first : y.first, end = x.end() < y.end() ? x.end() : y.end();
  return {first, end > first ? end - first : 0};
}

// A public seed may be stored and sent; a secret seed never leaves the process. A public and a secret seed do not
// convert into each other.
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

// Purpose of a stream. Numbers are part of the file format: append, never renumber.
enum class Purpose : u16 {
  uniform_a = 1,  // uniform components
  secret_key = 2,
  error_0 = 3,
  error_1 = 4,
  encryption_r = 5,  // ternary randomness of public-key encryption
  flood = 6,
};

// The 96-bit nonce of ChaCha20: purpose (16) | object (48) | limb (16) | digit (16), little endian in this order.
struct StreamAddress {
  Purpose purpose = Purpose::uniform_a;
  u64 object = 0;  // < 2^48
  u16 limb = 0;
  u16 digit = 0;
};

}  // namespace ringfort
