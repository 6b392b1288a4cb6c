// SPDX-License-Identifier: Apache-2.0
// Text in fields of files. It is UTF-8 without control characters, and without marks that change the order of the text
// around them.
#pragma once

#include <string_view>

namespace ringfort::io {

// Tells whether `text` is printable UTF-8.
[[nodiscard]] bool is_text(std::string_view text) noexcept;
// Returns the longest start of `text` that has at most `bytes` bytes and ends with a whole character.
[[nodiscard]] std::string_view whole_characters(std::string_view text, std::size_t bytes) noexcept;

}  // namespace ringfort::io
