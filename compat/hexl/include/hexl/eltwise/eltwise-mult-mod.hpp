// SPDX-License-Identifier: Apache-2.0
// Products of residues.
#pragma once

#include <stdint.h>

namespace intel {
namespace hexl {

// Computes result[i] = operand1[i] * operand2[i] mod modulus, in [0, modulus), for n > 0 words. Operands are below
// input_mod_factor * modulus, which is below 2^63; the factor is 1, 2 or 4. `result` may be an operand.
void EltwiseMultMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n, uint64_t modulus,
                    uint64_t input_mod_factor);

}  // namespace hexl
}  // namespace intel
