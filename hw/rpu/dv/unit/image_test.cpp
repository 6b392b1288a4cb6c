// SPDX-License-Identifier: Apache-2.0
// Tests that the reader of programs does not trust bytes. It must reject every truncation and every flipped bit of a
// program. It must also reject a head that states more parts than the file has, kernels outside the program's
// instructions, and data outside their memory.
#include "sim/image.h"

#include <gtest/gtest.h>

#include <limits>

namespace ringfort::rpu {
namespace {

class Writer {
 public:
  template <class T>
  Writer& put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<u8>(value >> (8 * i)));
    return *this;
  }
  Writer& name(const std::string& text) {
    put(static_cast<u16>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  std::vector<u8> sealed() const {
    Writer copy = *this;
    copy.put(crc32(bytes_));
    return copy.bytes_;
  }

 private:
  std::vector<u8> bytes_{'B', '5', '1', '2'};
};

// Writes the head: the version and a zero; the numbers of kernels, instructions, segments and symbols; the sizes of the
// two memories in words.
Writer head(u32 kernels, u32 instructions, u32 segments, u32 symbols, u32 vdm, u32 sdm) {
  Writer writer;
  writer.put(u16{1}).put(u16{0}).put(kernels).put(instructions).put(segments).put(symbols).put(vdm).put(sdm);
  return writer;
}

std::vector<u8> sound_program() {
  Writer writer = head(1, 2, 1, 1, 0, 2);
  writer.put(u32{0}).put(u32{2}).name("main").put(u64{7}).put(u64{9});
  writer.put(u32{1}).put(u32{0}).put(u32{2}).put(u64{97}).put(u64{0}).put(u64{5}).put(u64{6});
  writer.put(u32{1}).put(u32{0}).put(u32{2}).name("q");
  return writer.sealed();
}

bool refused(std::span<const u8> bytes) {
  try {
    static_cast<void>(parse_image(bytes));
  } catch (const std::exception&) { return true; }
  return false;
}

TEST(Image, TheCheckIsThatOfTheStandard) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32({reinterpret_cast<const u8*>(text.data()), text.size()}), 0xCBF43926U);
}

TEST(Image, ASoundProgramIsRead) {
  const Image image = parse_image(sound_program());
  EXPECT_EQ(image.kernel("main").count, 2U);
  EXPECT_EQ(image.code, (std::vector<u64>{7, 9}));
  EXPECT_TRUE(image.segments[0].words[1] == ((u128{6} << 64) | 5));
  EXPECT_EQ(image.symbol("q").words, 2U);
  EXPECT_THROW(static_cast<void>(image.kernel("other")), std::exception);
}

TEST(Image, EveryCutAndEveryFlippedBitIsRefused) {
  const std::vector<u8> bytes = sound_program();
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_TRUE(refused(std::span(bytes).first(size))) << size;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<u8> damaged = bytes;
    damaged[bit / 8] = static_cast<u8>(damaged[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_TRUE(refused(damaged)) << bit;
  }
}

TEST(Image, LengthsThatExceedTheFileAreRefused) {
  constexpr u32 kHuge = std::numeric_limits<u32>::max();
  EXPECT_TRUE(refused(head(kHuge, 0, 0, 0, 0, 0).sealed()));
  EXPECT_TRUE(refused(head(1, kHuge, 0, 0, 0, 0).sealed()));
  EXPECT_TRUE(refused(head(1, 65536, 0, 0, 0, 0).put(u32{0}).put(u32{1}).name("main").sealed()));
  Writer program = head(1, 1, 1, 0, 2097152, 0);
  program.put(u32{0}).put(u32{1}).name("main").put(u64{7});
  EXPECT_TRUE(refused(program.put(u32{0}).put(u32{0}).put(u32{2097152}).sealed()));  // 32 MiB of data that are missing
}

TEST(Image, KernelsAndDataOutsideTheirMemoriesAreRefused) {
  EXPECT_TRUE(refused(head(1, 1, 0, 0, 0, 0).put(u32{0}).put(u32{2}).name("main").put(u64{7}).sealed()));
  EXPECT_TRUE(refused(head(1, 1, 0, 0, 0, 0).put(u32{0xFFFFFFFF}).put(u32{2}).name("main").put(u64{7}).sealed()));
  EXPECT_TRUE(refused(head(1, 1, 0, 0, 0, 0).put(u32{0}).put(u32{0}).name("main").put(u64{7}).sealed()));
  const auto with_entry = [](u32 memory, u32 address, u32 extent) {
    Writer program = head(1, 1, 1, 0, extent, extent);
    program.put(u32{0}).put(u32{1}).name("main").put(u64{7});
    return program.put(memory).put(address).put(u32{1}).put(u64{1}).put(u64{2}).sealed();
  };
  EXPECT_FALSE(refused(with_entry(0, 5, 6)));
  EXPECT_TRUE(refused(with_entry(2, 5, 6)));        // there is no such memory
  EXPECT_TRUE(refused(with_entry(0, 2097152, 6)));  // after the end of the largest memory
  EXPECT_TRUE(refused(with_entry(0, 5, 5)));        // after the 5 words that the head states
}

}  // namespace
}  // namespace ringfort::rpu
