// SPDX-License-Identifier: Apache-2.0
// Texts of values for messages, tables and traces. A long text is cut between two UTF-8 characters, and escapes replace
// control characters, so that a message stays on its line. Programs may read the numbers. Therefore decimal numbers
// have a point, even if the locale of the program has a comma.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace ringfort {

inline constexpr std::size_t kShownBytes = 80;

inline std::string shown(std::string_view text) {
  std::size_t cut = std::min(text.size(), kShownBytes);
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  std::string found;
  for (const char c : text.substr(0, cut)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) found += c;
    else if (c == '\n' || c == '\r' || c == '\t') found.append("\\").append(1, c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
    else found.append("\\x").append(1, "0123456789abcdef"[byte >> 4U]).append(1, "0123456789abcdef"[byte & 15U]);
  }
  return cut < text.size() ? found + "..." : found;
}

// Returns a text with at most six significant digits of the number.
inline std::string shown(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.begin(), text.end(), number, std::chars_format::general, 6).ptr};
}

// Returns a text of the number with at most 20 decimals.
inline std::string fixed(double number, int decimals) {
  std::array<char, 340> text{};  // the largest double has 309 digits before the point
  return {text.data(), std::to_chars(text.begin(), text.end(), number, std::chars_format::fixed, decimals).ptr};
}

}  // namespace ringfort
