// SPDX-License-Identifier: Apache-2.0
// Shortens a caller's value for a message: keeps the beginning of a long text, cut between two UTF-8 characters, or six
// digits of a number.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace ringfort {

inline constexpr std::size_t kShownBytes = 80;

inline std::string shown(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  std::size_t cut = kShownBytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return std::string(text.substr(0, cut)) + "...";
}

inline std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

}  // namespace ringfort
