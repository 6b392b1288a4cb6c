// SPDX-License-Identifier: Apache-2.0
// Differences of residues. All operands are below the modulus, which is in [2, 2^63). `result` may be an operand.
#pragma once

#include <stdint.h>

namespace intel {
namespace hexl {

// Computes result[i] = operand1[i] - operand2[i] mod modulus for n > 0 words.
void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n, uint64_t modulus);

// Computes result[i] = operand1[i] - operand2 mod modulus.
void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2, uint64_t n, uint64_t modulus);

}  // namespace hexl
}  // namespace intel
