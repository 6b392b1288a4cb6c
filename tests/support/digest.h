// SPDX-License-Identifier: Apache-2.0
// Returns BLAKE2b-256 of words, in memory order (little endian), as hexadecimal text. If a known answer is too long to
// store, its digest is stored.
#pragma once

#include <sodium.h>

#include <string>
#include <vector>

#include "math/types.h"

namespace ringfort::testing {

template <class Word>
[[nodiscard]] std::string blake2b_text(const std::vector<Word>& words) {
  u8 out[32];
  crypto_generichash(out, sizeof out, reinterpret_cast<const u8*>(words.data()), words.size() * sizeof(Word), nullptr,
                     0);
  char text[2 * sizeof out + 1];
  return sodium_bin2hex(text, sizeof text, out, sizeof out);
}

}  // namespace ringfort::testing
