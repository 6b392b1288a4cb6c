// SPDX-License-Identifier: Apache-2.0
// Reductions of words.
#pragma once

#include <stdint.h>

namespace intel {
namespace hexl {

// Writes words that are equal to the operand modulo the modulus, which is above 1, and below
// output_mod_factor * modulus. Words of the operand are below input_mod_factor * modulus; the factor is 1, 2 or 4. The
// factor may also be the modulus: then the operand may have any words, and all results are below the modulus. The
// output factor is 1 or 2, and at most the input factor. With factors 4 and 2, words below 2 * modulus are unchanged.
// `result` may be the operand.
void EltwiseReduceMod(uint64_t* result, const uint64_t* operand, uint64_t n, uint64_t modulus,
                      uint64_t input_mod_factor, uint64_t output_mod_factor);

}  // namespace hexl
}  // namespace intel
