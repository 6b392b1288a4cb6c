// SPDX-License-Identifier: Apache-2.0
// Words as text, hashes of words, and memory that is overwritten: the functions of seal/util.
#include <sodium.h>

#include <cstring>
#include <vector>

#include "errors.h"
#include "seal/util/hash.h"
#include "seal/util/uintcore.h"

namespace seal::util {

void seal_memzero(void* data, std::size_t size) {
  if (size != 0) sodium_memzero(data, size);
}

void HashFunction::hash(const std::uint64_t* input, std::size_t uint64_count, hash_block_type& destination) {
  std::array<unsigned char, hash_block_byte_count> block{};
  const auto* bytes = reinterpret_cast<const unsigned char*>(input);
  if (crypto_generichash(block.data(), block.size(), bytes, uint64_count * sizeof *input, nullptr, 0) != 0)
    throw std::runtime_error("the hash of the parameters failed");
  std::memcpy(destination.data(), block.data(), block.size());
}

std::string uint_to_hex_string(const std::uint64_t* value, std::size_t uint64_count) {
  std::string text;
  for (std::size_t i = 16 * uint64_count; i-- > 0;) {
    const unsigned digit = value[i / 16] >> (4 * (i % 16)) & 15;
    if (digit != 0 || !text.empty() || i == 0) text += "0123456789ABCDEF"[digit];
  }
  return text.empty() ? "0" : text;
}

// Divides by ten once for each digit: numbers here have at most a few dozen words.
std::string uint_to_dec_string(const std::uint64_t* value, std::size_t uint64_count, MemoryPool&) {
  std::vector<std::uint64_t> rest(value, value + uint64_count);
  std::string text;
  do {
    unsigned __int128 remainder = 0;
    for (std::size_t i = rest.size(); i-- > 0;) {
      remainder = remainder << 64 | rest[i];
      rest[i] = static_cast<std::uint64_t>(remainder / 10);
      remainder %= 10;
    }
    text += static_cast<char>('0' + static_cast<int>(remainder));
  } while (!is_zero_uint(rest.data(), rest.size()));
  std::reverse(text.begin(), text.end());
  return text;
}

std::string poly_to_hex_string(const std::uint64_t* value, std::size_t coeff_count, std::size_t coeff_uint64_count) {
  std::string text;
  for (std::size_t i = coeff_count; i-- > 0;) {
    const std::uint64_t* coefficient = value + i * coeff_uint64_count;
    if (is_zero_uint(coefficient, coeff_uint64_count)) continue;
    if (!text.empty()) text += " + ";
    text += uint_to_hex_string(coefficient, coeff_uint64_count);
    if (i != 0) text += "x^" + std::to_string(i);
  }
  return text.empty() ? "0" : text;
}

}  // namespace seal::util
