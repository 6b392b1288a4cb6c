// SPDX-License-Identifier: Apache-2.0
// Transforms in portable code (transform.h): one pass over the polynomial for each stage of butterflies.
#include "transform.h"

#include "math/butterfly.h"
#include "math/prime.h"

namespace ringfort::hexl {

void forward_portable(std::span<u64> words, const PowerTables& tables) {
  const std::size_t n = words.size();
  for (std::size_t blocks = 1; blocks < n; blocks *= 2) {
    const std::size_t half = n / (2 * blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
      const ShoupFactor<u64> w{tables.powers[blocks + block], tables.companions[blocks + block]};
      u64* const first = words.data() + 2 * block * half;
      for (std::size_t i = 0; i < half; ++i) forward_butterfly_lazy4(first[i], first[half + i], w, tables.q);
    }
  }
  for (u64& word : words) word = canonical_from_lazy4(word, tables.q);
}

void inverse_portable(std::span<u64> words, const PowerTables& tables) {
  const std::size_t n = words.size();
  std::size_t at = 1;  // entry 0 of the tables is the power 0
  for (std::size_t blocks = n / 2; blocks >= 1; blocks /= 2) {
    const std::size_t half = n / (2 * blocks);
    for (std::size_t block = 0; block < blocks; ++block, ++at) {
      const ShoupFactor<u64> w{tables.inverse_powers[at], tables.inverse_companions[at]};
      u64* const first = words.data() + 2 * block * half;
      for (std::size_t i = 0; i < half; ++i) inverse_butterfly_lazy2(first[i], first[half + i], w, tables.q);
    }
  }
  const u64 scale = tables.q - (tables.q - 1) / n;  // n (q - (q - 1) / n) = 1 mod q
  const ShoupFactor<u64> factor = shoup_factor(scale, tables.q);
  for (u64& word : words) word = shoup_multiply(word, factor, tables.q);
}

}  // namespace ringfort::hexl
