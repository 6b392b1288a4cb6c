// SPDX-License-Identifier: Apache-2.0
// Packs and unpacks residues (pack.h).
#include "io/pack.h"

#include "io/bytes.h"

namespace ringfort::io {

namespace {

// Returns one value of up to 62 bits, through a window of 128 bits. It never reads past the end.
u64 value_at(std::span<const u8> packed, std::size_t index, unsigned width) noexcept {
  const std::size_t bit = index * width;
  u128 window = 0;
  const std::size_t first = bit / 8;
  for (unsigned i = 0; i < 9 && first + i < packed.size(); ++i)
    window |= static_cast<u128>(packed[first + i]) << (8 * i);
  return static_cast<u64>(window >> (bit % 8)) & ((u64{1} << width) - 1);
}

// Unpacks groups of eight values. It stops where a load of eight bytes could pass the end. Returns the number of
// values.
template <unsigned kWidth>
std::size_t unpack_groups(std::span<const u8> packed, std::span<u64> out, u64 last, u64& above) noexcept {
  constexpr u64 kMask = (u64{1} << kWidth) - 1;
  std::size_t done = 0;
  const u8* p = packed.data();
  for (std::size_t left = packed.size(); done + 8 <= out.size() && left >= kWidth + 8;
       left -= kWidth, p += kWidth, done += 8) {
    for (unsigned i = 0; i < 8; ++i) {
      const u64 value = (load_u64(p + i * kWidth / 8) >> (i * kWidth % 8)) & kMask;
      out[done + i] = value;
      above |= last - value;  // sets the top bit exactly if value > last
    }
  }
  return done;
}

// Packs groups of eight values. It stores one unaligned word for each value. If a value begins inside a byte, the
// lowest bits of its word are the last bits of the previous value. The function stops where a store of eight bytes
// could pass the end; the caller then writes the remaining bytes. Returns the number of values.
template <unsigned kWidth>
std::size_t pack_groups(std::span<const u64> values, std::span<u8> out) noexcept {
  std::size_t done = 0;
  u8* p = out.data();
  for (std::size_t left = out.size(); done + 8 <= values.size() && left >= kWidth + 8;
       left -= kWidth, p += kWidth, done += 8) {
    u64 word = 0;
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned at = i * kWidth / 8, shift = i * kWidth % 8, next = (i + 1) * kWidth / 8;
      word |= values[done + i] << shift;
      store_u64(p + at, word);
      word >>= 8 * (next - at);  // keeps the bits in the first byte of the next value
    }
  }
  return done;
}

}  // namespace

void pack_residues(std::span<const u64> values, unsigned width, std::span<u8> out) noexcept {
  std::size_t grouped = 0;
  if (width == 50) grouped = pack_groups<50>(values, out);
  if (width == 31) grouped = pack_groups<31>(values, out);
  values = values.subspan(grouped);
  out = out.subspan(grouped / 8 * width);
  u128 window = 0;
  unsigned filled = 0;
  std::size_t at = 0;
  for (const u64 value : values) {
    window |= static_cast<u128>(value) << filled;
    filled += width;
    if (filled >= 64) {
      store_u64(out.data() + at, static_cast<u64>(window));
      at += 8;
      window >>= 64;
      filled -= 64;
    }
  }
  for (; at < out.size(); ++at, window >>= 8) out[at] = static_cast<u8>(window);
}

bool unpack_residues(std::span<const u8> packed, unsigned width, u64 q, std::span<u64> out) noexcept {
  if (packed.size() != packed_bytes(out.size(), width)) return false;
  const u64 last = q - 1;
  u64 above = 0;
  std::size_t done = 0;
  if (width == 50) done = unpack_groups<50>(packed, out, last, above);
  if (width == 31) done = unpack_groups<31>(packed, out, last, above);
  for (; done < out.size(); ++done) {
    out[done] = value_at(packed, done, width);
    above |= last - out[done];
  }
  const std::size_t filling = packed.size() * 8 - out.size() * width;
  const bool clean = filling == 0 || (packed.back() >> (8 - filling)) == 0;
  return (above >> 63) == 0 && clean;
}

}  // namespace ringfort::io
