// SPDX-License-Identifier: Apache-2.0
// Products with one number, and a sum.
#pragma once

#include <stdint.h>

namespace intel {
namespace hexl {

// Computes result[i] = arg1[i] * arg2 + arg3[i] mod modulus, in [0, modulus), for n > 0 words. If arg3 is null, nothing
// is added. All operands are below input_mod_factor * modulus. The factor is 1, 2, 4 or 8, and the modulus is in
// [2, 2^61). With factor 8, arg1 may have any words. `result` may be an operand.
void EltwiseFMAMod(uint64_t* result, const uint64_t* arg1, uint64_t arg2, const uint64_t* arg3, uint64_t n,
                   uint64_t modulus, uint64_t input_mod_factor);

}  // namespace hexl
}  // namespace intel
