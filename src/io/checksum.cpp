// SPDX-License-Identifier: Apache-2.0
// Computes CRC-32C (checksum.h). It uses the instruction of the processor on three interleaved streams. On processors
// without the instruction, it uses eight tables.
#include "io/checksum.h"

#include <sodium.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "base/cpu.h"
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

// The effect of kStride zero bytes on a remainder (the 32-bit state of the checksum), as one table for each byte of the
// remainder. The effect of one zero byte is a matrix over GF(2) with 32 columns. make_shift() squares this matrix
// repeatedly.
constexpr std::size_t kStride = 2048;
using Matrix = std::array<u32, 32>;
using Shift = std::array<std::array<u32, 256>, 4>;

constexpr u32 times(const Matrix& m, u32 v) {
  u32 out = 0;
  for (unsigned i = 0; i < 32; ++i) out ^= ((v >> i) & 1U) != 0 ? m[i] : 0U;
  return out;
}

constexpr Shift make_shift() {
  Matrix m{};
  for (unsigned i = 0; i < 32; ++i) m[i] = (u32{1} << i >> 8) ^ kTables[0][(u32{1} << i) & 0xFF];
  for (std::size_t bytes = 1; bytes < kStride; bytes *= 2) {
    Matrix square{};
    for (unsigned i = 0; i < 32; ++i) square[i] = times(m, m[i]);
    m = square;
  }
  Shift shift{};
  for (unsigned byte = 0; byte < 4; ++byte) {
    for (u32 v = 0; v < 256; ++v) shift[byte][v] = times(m, v << (8 * byte));
  }
  return shift;
}

constexpr Shift kShift = make_shift();

u32 shifted(u32 crc) noexcept {
  return kShift[0][crc & 0xFF] ^ kShift[1][(crc >> 8) & 0xFF] ^ kShift[2][(crc >> 16) & 0xFF] ^ kShift[3][crc >> 24];
}

#if defined(__x86_64__)
// Three streams hide the latency of the instruction. The tables kShift join their remainders.
__attribute__((target("sse4.2,crc32"))) u32 by_instruction(const u8* p, std::size_t count, u32 crc) noexcept {
  for (; count >= 3 * kStride; count -= 3 * kStride, p += 3 * kStride) {
    u64 a = crc, b = 0, c = 0;
    for (std::size_t i = 0; i < kStride; i += 8) {
      a = _mm_crc32_u64(a, load_u64(p + i));
      b = _mm_crc32_u64(b, load_u64(p + kStride + i));
      c = _mm_crc32_u64(c, load_u64(p + 2 * kStride + i));
    }
    crc = shifted(shifted(static_cast<u32>(a)) ^ static_cast<u32>(b)) ^ static_cast<u32>(c);
  }
  u64 state = crc;
  for (; count >= 8; count -= 8, p += 8) state = _mm_crc32_u64(state, load_u64(p));
  for (; count > 0; --count, ++p) state = _mm_crc32_u8(static_cast<u32>(state), *p);
  return static_cast<u32>(state);
}

const bool has_instruction = has_crc32_instruction();  // static objects that need it earlier get false, and the tables
#endif

}  // namespace

u32 crc32c(std::span<const u8> bytes, u32 seed) noexcept {
#if defined(__x86_64__)
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
