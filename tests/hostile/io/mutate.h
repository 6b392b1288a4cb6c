// SPDX-License-Identifier: Apache-2.0
// Structured changes of the bytes of a file. The seed of the generator reproduces the changes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "math/types.h"
#include "ringfort/files.h"

namespace ringfort::testing {

using Generator = std::mt19937_64;

inline u64 below(Generator& generator, u64 bound) { return bound == 0 ? 0 : generator() % bound; }

inline void put_field(std::vector<u8>& bytes, std::size_t at, u64 value, unsigned width) {
  for (unsigned i = 0; i < width && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<u8>(value >> (8 * i));
}

// Makes one structured change: a typical fault in a length, count, type or residue.
inline void mutate(std::vector<u8>& bytes, Generator& generator) {
  constexpr std::array<u64, 12> kExtremes = {0,
                                             1,
                                             2,
                                             0x7F,
                                             0xFF,
                                             0xFFFF,
                                             0x7FFFFFFF,
                                             0x80000000,
                                             0xFFFFFFFF,
                                             0x7FFFFFFFFFFFFFFF,
                                             0x8000000000000000,
                                             0xFFFFFFFFFFFFFFFF};
  if (bytes.empty()) return;
  // Half of the changes hit the first 256 bytes, which have most of the fields.
  const std::size_t reach = below(generator, 2) == 0 ? std::min<std::size_t>(bytes.size(), 256) : bytes.size();
  const std::size_t at = below(generator, reach);
  switch (below(generator, 8)) {
    case 0: bytes[at] = static_cast<u8>(bytes[at] ^ (1U << below(generator, 8))); break;
    case 1: bytes[at] = static_cast<u8>(generator()); break;
    case 2: put_field(bytes, at & ~std::size_t{3}, kExtremes[below(generator, kExtremes.size())], 4); break;
    case 3: put_field(bytes, at & ~std::size_t{7}, kExtremes[below(generator, kExtremes.size())], 8); break;
    case 4: bytes.resize(at); break;
    case 5: bytes.insert(bytes.end(), below(generator, 100), static_cast<u8>(generator())); break;
    case 6:
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(at, 64)));
      break;
    default:
      std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(at / 2, 64)),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at / 2));
      break;
  }
}

// Calls inspect on the bytes. It must return facts, or throw an Error with a code. The function passes on any other
// exception.
inline void require_inspectable(const std::vector<u8>& bytes) {
  try {
    (void)io::inspect(io::ByteView(bytes));
  } catch (const Error& refused) { EXPECT_NE(refused.code(), Code::internal) << refused.problem(); }
}

}  // namespace ringfort::testing
