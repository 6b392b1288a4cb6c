// SPDX-License-Identifier: Apache-2.0
// Comparisons of words.
#pragma once

#include <cstddef>

namespace intel {
namespace hexl {

#undef TRUE
#undef FALSE

// The comparison of a word with a bound. The numbers are those of AVX-512's comparisons.
enum class CMPINT {
  EQ = 0,     // equal
  LT = 1,     // less
  LE = 2,     // less or equal
  FALSE = 3,  // never
  NE = 4,     // not equal
  NLT = 5,    // not less
  NLE = 6,    // not less or equal
  TRUE = 7    // always
};

// Returns the comparison that is true where `cmp` is false: bit 2 of the number negates a comparison.
inline CMPINT Not(CMPINT cmp) { return static_cast<CMPINT>(static_cast<int>(cmp) ^ 4); }

}  // namespace hexl
}  // namespace intel
