// SPDX-License-Identifier: Apache-2.0
// A linked program, read from the binary form .b512 (asm/image.py has the layout). The bytes are untrusted: the reader
// checks every length against the bytes that are left before it reads or allocates.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/word.h"

namespace ringfort::rpu {

enum class Space : u8 { vdm = 0, sdm = 1 };

struct Kernel {
  std::string name;
  u32 first = 0;
  u32 count = 0;
};

struct Segment {
  Space space = Space::vdm;
  u32 address = 0;
  std::vector<u128> words;
};

struct Symbol {
  std::string name;
  Space space = Space::vdm;
  u32 address = 0;
  u32 words = 0;
};

inline constexpr u16 kImageVersion = 1;

struct Image {
  std::vector<Kernel> kernels;
  std::vector<u64> code;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;
  u32 vdm_words = 0;  // words that the program occupies
  u32 sdm_words = 0;

  [[nodiscard]] const Kernel& kernel(const std::string& name) const;  // "": the first; throws if unknown
  [[nodiscard]] const Symbol& symbol(const std::string& name) const;  // throws if unknown
};

[[nodiscard]] Image parse_image(std::span<const u8> bytes);
[[nodiscard]] Image read_image(const std::string& path);
// Returns the bytes that parse_image reads back. The image must have its segments and symbols in ascending order.
[[nodiscard]] std::vector<u8> image_bytes(const Image& image);
[[nodiscard]] std::vector<u8> read_file(const std::string& path);
// Refuses a pipe, which could block for ever, and a device, which may never end.
[[nodiscard]] std::vector<u8> read_regular(const std::string& path);
[[nodiscard]] u32 crc32(std::span<const u8> bytes) noexcept;

// Read and write a word of 16 bytes, little endian, as in data files and images.
[[nodiscard]] u128 load_word(const u8* bytes) noexcept;
void store_word(u8* bytes, u128 word) noexcept;

}  // namespace ringfort::rpu
