// SPDX-License-Identifier: Apache-2.0
// What a caller wrote, as a message repeats it: a long text's beginning, cut between two characters of UTF-8.
#pragma once

#include <cstddef>
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

}  // namespace ringfort
