// SPDX-License-Identifier: Apache-2.0
// CRC-32C by the processor's instruction where it has one, else by eight tables (one step of eight bytes a look-up each).
#include "io/checksum.h"

#include <sodium.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "io/bytes.h"

namespace ringfort::io {

namespace {

constexpr u32 kPolynomial = 0x82F63B78U;

using Tables = std::array<std::array<u32, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (u32 i = 0; i < 256; ++i) {
    u32 value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
    tables[0][i] = value;
  }
  for (std::size_t t = 1; t < 8; ++t) {
    for (u32 i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xFF];
  }
  return tables;
}

constexpr Tables kTables = make_tables();

u32 by_tables(const u8* p, std::size_t count, u32 crc) noexcept {
  for (; count >= 8; count -= 8, p += 8) {
    const u64 x = load_u64(p) ^ crc;
    crc = 0;
    for (unsigned i = 0; i < 8; ++i) crc ^= kTables[7 - i][(x >> (8 * i)) & 0xFF];
  }
  for (; count > 0; --count, ++p) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) u32 by_instruction(const u8* p, std::size_t count, u32 crc) noexcept {
  u64 state = crc;
  for (; count >= 8; count -= 8, p += 8) state = _mm_crc32_u64(state, load_u64(p));
  for (; count > 0; --count, ++p) state = _mm_crc32_u8(static_cast<u32>(state), *p);
  return static_cast<u32>(state);
}
#endif

}  // namespace

u32 crc32c(std::span<const u8> bytes, u32 seed) noexcept {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~by_instruction(bytes.data(), bytes.size(), ~seed);
#endif
  return ~by_tables(bytes.data(), bytes.size(), ~seed);
}

Digest blake2b_256(std::span<const u8> bytes) noexcept {
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(), bytes.data(), bytes.size(), nullptr, 0);
  return digest;
}

}  // namespace ringfort::io
