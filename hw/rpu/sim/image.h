// SPDX-License-Identifier: Apache-2.0
// A linked program, read from a file of format .b512. asm/image.py describes the layout. The bytes are not trusted:
// before the reader reads or allocates, it compares every length with the number of bytes that are left.
// hw/rpu/README.md explains the terms.
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
  u32 vdm_words = 0;  // size of each memory, in words, that the program needs
  u32 sdm_words = 0;

  // the name "" means the first kernel; throws if there is no such kernel
  [[nodiscard]] const Kernel& kernel(const std::string& name) const;
  [[nodiscard]] const Symbol& symbol(const std::string& name) const;  // throws if there is no such symbol
};

[[nodiscard]] Image parse_image(std::span<const u8> bytes);
[[nodiscard]] Image read_image(const std::string& path);
// Returns the bytes from which parse_image makes the same image. Segments and symbols of the image must be in ascending
// order.
[[nodiscard]] std::vector<u8> image_bytes(const Image& image);
[[nodiscard]] std::vector<u8> read_file(const std::string& path);
// Reads a file. Refuses a pipe, because reading could block for ever, and a device, because it may have no end.
[[nodiscard]] std::vector<u8> read_regular(const std::string& path);
[[nodiscard]] u32 crc32(std::span<const u8> bytes) noexcept;

// Read and write a word of 16 bytes, little endian, as in data files and images.
[[nodiscard]] u128 load_word(const u8* bytes) noexcept;
void store_word(u8* bytes, u128 word) noexcept;

}  // namespace ringfort::rpu
