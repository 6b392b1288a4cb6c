// SPDX-License-Identifier: Apache-2.0
// Tests the packing of residues into bits, and the checksum of files.
#include <gtest/gtest.h>

#include <random>

#include "io/checksum.h"
#include "io/pack.h"

namespace ringfort::io {
namespace {

// Packs bit by bit, by the definition of the format: value i is in the bits [i width, (i + 1) width) of the
// little-endian bit string.
std::vector<u8> packed_bit_by_bit(const std::vector<u64>& values, unsigned width) {
  std::vector<u8> bytes(packed_bytes(values.size(), width));
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (unsigned b = 0; b < width; ++b) {
      const std::size_t bit = i * width + b;
      bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] | (((values[i] >> b) & 1) << (bit % 8)));
    }
  }
  return bytes;
}

TEST(Pack, EveryWidthAndLengthMatchesTheFormatsDefinitionAndReadsBack) {
  std::mt19937_64 generator(1);
  for (unsigned width = 1; width <= 62; ++width) {
    const u64 q = width == 62 ? (u64{1} << 62) : (u64{1} << width);
    for (const std::size_t count : {1U, 2U, 7U, 8U, 9U, 31U, 64U, 257U}) {
      std::vector<u64> values(count), back(count);
      for (u64& value : values) value = generator() % q;
      values[0] = q - 1;
      std::vector<u8> packed(packed_bytes(count, width));
      pack_residues(values, width, packed);
      ASSERT_EQ(packed, packed_bit_by_bit(values, width)) << "width " << width << " count " << count;
      ASSERT_TRUE(unpack_residues(packed, width, q, back)) << "width " << width << " count " << count;
      ASSERT_EQ(back, values) << "width " << width << " count " << count;
    }
  }
}

TEST(Pack, AResidueThatIsNotBelowTheModulusIsFoundWhereverItIs) {
  for (const u64 q : {u64{0x7FFE0001}, u64{1125899906826241}}) {
    const unsigned width = residue_width(q);
    for (std::size_t at = 0; at < 67; ++at) {
      std::vector<u64> values(67, 5), back(67);
      values[at] = q;
      std::vector<u8> packed(packed_bytes(values.size(), width));
      pack_residues(values, width, packed);
      EXPECT_FALSE(unpack_residues(packed, width, q, back)) << "q " << q << " at " << at;
      values[at] = q - 1;
      pack_residues(values, width, packed);
      EXPECT_TRUE(unpack_residues(packed, width, q, back)) << "q " << q << " at " << at;
    }
  }
}

TEST(Pack, WrongLengthsAndFillingBitsAreRefused) {
  std::vector<u64> back(3);
  std::vector<u8> packed(packed_bytes(3, 31));
  EXPECT_TRUE(unpack_residues(packed, 31, 0x7FFE0001, back));
  packed.back() = 0x80;  // 93 bits are used, and 3 bits are padding
  EXPECT_FALSE(unpack_residues(packed, 31, 0x7FFE0001, back));
  packed.back() = 0;
  packed.push_back(0);
  EXPECT_FALSE(unpack_residues(packed, 31, 0x7FFE0001, back));
}

TEST(Checksum, Crc32cMeetsThePublishedAnswers) {
  // answers from RFC 3720, appendix B.4, and the check value from a catalogue of CRC polynomials
  const std::vector<u8> zeros(32, 0), ones(32, 0xFF);
  std::vector<u8> rising(32), falling(32);
  for (u8 i = 0; i < 32; ++i) rising[i] = i, falling[i] = static_cast<u8>(31 - i);
  const std::vector<u8> digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(crc32c(zeros), 0x8A9136AAU);
  EXPECT_EQ(crc32c(ones), 0x62A8AB43U);
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(crc32c(falling), 0x113FDB5CU);
  EXPECT_EQ(crc32c(digits), 0xE3069283U);
  EXPECT_EQ(crc32c(std::span(digits).subspan(4), crc32c(std::span(digits).first(4))), 0xE3069283U);
}

TEST(Checksum, LongInputsEqualTheDefinitionBitByBit) {
  std::mt19937_64 generator(2);
  for (const std::size_t size : {6143U, 6144U, 6145U, 12288U, 20000U}) {
    std::vector<u8> bytes(size);
    for (u8& byte : bytes) byte = static_cast<u8>(generator());
    u32 crc = 0xFFFFFFFFU;
    for (const u8 byte : bytes) {
      crc ^= byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    }
    EXPECT_EQ(crc32c(bytes), ~crc) << size;
  }
}

}  // namespace
}  // namespace ringfort::io
