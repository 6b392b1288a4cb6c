// SPDX-License-Identifier: Apache-2.0
// What a caller wrote, as a message repeats it: a long text's beginning, cut between two characters of UTF-8; a number
// in six digits.
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
