// SPDX-License-Identifier: Apache-2.0
// The hash that identifies parameters: BLAKE2b with 256 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "seal/util/defines.h"

namespace seal {
namespace util {

class HashFunction {
 public:
  HashFunction() = delete;
  static constexpr std::size_t hash_block_uint64_count = 4;
  static constexpr std::size_t hash_block_byte_count = 32;
  using hash_block_type = std::array<std::uint64_t, hash_block_uint64_count>;
  static constexpr hash_block_type hash_zero_block{{0, 0, 0, 0}};
  static void hash(const std::uint64_t* input, std::size_t uint64_count, hash_block_type& destination);
};

}  // namespace util
}  // namespace seal
