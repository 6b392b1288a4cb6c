// SPDX-License-Identifier: Apache-2.0
// A linked program, as read from the binary form .b512 (asm/image.py states the layout). Bytes from outside: every
// length is checked against what is left before anything is taken or allocated.
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

struct Image {
  std::vector<Kernel> kernels;
  std::vector<u64> code;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;
  u32 vdm_words = 0;  // what the program occupies
  u32 sdm_words = 0;

  [[nodiscard]] const Kernel& kernel(const std::string& name) const;  // the first when empty; refuses an unknown name
  [[nodiscard]] const Symbol& symbol(const std::string& name) const;  // refuses an unknown name
};

[[nodiscard]] Image parse_image(std::span<const u8> bytes);
[[nodiscard]] Image read_image(const std::string& path);
// The bytes that parse_image reads back; segments and symbols stand in ascending order.
[[nodiscard]] std::vector<u8> image_bytes(const Image& image);
[[nodiscard]] std::vector<u8> read_file(const std::string& path);
[[nodiscard]] u32 crc32(std::span<const u8> bytes) noexcept;

// Words of 16 bytes, little endian, as in data files and images.
[[nodiscard]] u128 load_word(const u8* bytes) noexcept;
void store_word(u8* bytes, u128 word) noexcept;

}  // namespace ringfort::rpu
