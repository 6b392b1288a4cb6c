// SPDX-License-Identifier: Apache-2.0
// Puts text between quotation marks, for JSON and CSV. Control characters become spaces.
#pragma once

#include <string>
#include <string_view>

namespace ringfort {

// json: a backslash precedes each quotation mark and each backslash. csv: each quotation mark is doubled.
enum class Quoting : unsigned char { json, csv };

[[nodiscard]] inline std::string quoted(std::string_view text, Quoting quoting) {
  std::string out = "\"";
  for (const char c : text) {
    if (quoting == Quoting::json && (c == '"' || c == '\\')) out += '\\';
    if (quoting == Quoting::csv && c == '"') out += '"';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace ringfort
