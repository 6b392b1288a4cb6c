// SPDX-License-Identifier: Apache-2.0
// Checks and truncates texts in fields of files (text.h).
#include "io/text.h"

#include <array>

#include "math/types.h"

namespace ringfort::io {

namespace {

// Tells whether a character is a control character: it controls a terminal (C0, delete, C1), separates lines or
// paragraphs, or changes the order of the text around it.
bool is_control(u32 character) noexcept {
  return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x61C ||
         (character >= 0x200E && character <= 0x200F) || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

}  // namespace

bool is_text(std::string_view text) noexcept {
  // Element i is the least code point that needs i continuation bytes (bytes after the first).
  constexpr std::array<u32, 4> kLeast = {0, 0x80, 0x800, 0x10000};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const u8 first = static_cast<u8>(text[i]);
    const unsigned more = first < 0x80             ? 0
                          : (first & 0xE0) == 0xC0 ? 1
                          : (first & 0xF0) == 0xE0 ? 2
                          : (first & 0xF8) == 0xF0 ? 3
                                                   : 4;
    if (more == 4 || more >= text.size() - i) return false;
    u32 character = more == 0 ? first : first & (0x3FU >> more);
    for (unsigned k = 0; k < more; ++k) {
      const u8 next = static_cast<u8>(text[++i]);
      if ((next & 0xC0) != 0x80) return false;
      character = character << 6 | (next & 0x3FU);
    }
    const bool is_surrogate = character >= 0xD800 && character < 0xE000;
    if (character < kLeast[more] || character > 0x10FFFF || is_surrogate || is_control(character)) return false;
  }
  return true;
}

std::string_view whole_characters(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<u8>(text[bytes]) & 0xC0) == 0x80) --bytes;  // a byte inside a character
  return text.substr(0, bytes);
}

}  // namespace ringfort::io
